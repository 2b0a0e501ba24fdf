package service

import (
	"io"
	"log/slog"
)

// LogFlag says how log lines look.
type LogFlag struct {
	Format string `name:"log-format" enum:"text,json" default:"text" help:"How log lines look: text or json (${default})."`
}

// Open returns the log, which is written to w.
func (f LogFlag) Open(w io.Writer) *slog.Logger {
	var lines slog.Handler = slog.NewTextHandler(w, nil)
	if f.Format == "json" {
		lines = slog.NewJSONHandler(w, nil)
	}
	return slog.New(lines)
}
