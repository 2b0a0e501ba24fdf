package service

import (
	"io"
	"log/slog"
)

// logFlag says how log lines look.
type logFlag struct {
	Format string `name:"log-format" enum:"text,json" default:"text" help:"How log lines look: text or json (${default})."`
}

// Open returns the log, which is written to w. least is the level from which on a line
// is written.
func (f logFlag) Open(w io.Writer, least slog.Level) *slog.Logger {
	options := &slog.HandlerOptions{Level: least}
	var lines slog.Handler = slog.NewTextHandler(w, options)
	if f.Format == "json" {
		lines = slog.NewJSONHandler(w, options)
	}
	return slog.New(lines)
}
