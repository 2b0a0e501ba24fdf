package service

import (
	"io"
	"log/slog"
)

// logFlag sets the format of log lines.
type logFlag struct {
	Format string `name:"log-format" enum:"text,json" default:"text" help:"How log lines look: text or json (${default})."`
}

// Open returns a log that writes to w. least is the lowest level that is written.
func (f logFlag) Open(w io.Writer, least slog.Level) *slog.Logger {
	options := &slog.HandlerOptions{Level: least}
	var lines slog.Handler = slog.NewTextHandler(w, options)
	if f.Format == "json" {
		lines = slog.NewJSONHandler(w, options)
	}
	return slog.New(lines)
}
