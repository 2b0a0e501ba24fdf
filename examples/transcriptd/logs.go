package main

import (
	"io"
	"log/slog"
)

// logFlag says how log lines look.
type logFlag struct {
	Format string `name:"log-format" enum:"text,json" default:"text" help:"How log lines look: text or json (${default})."`
}

// open returns the log.
func (f logFlag) open(w io.Writer) *slog.Logger {
	var lines slog.Handler = slog.NewTextHandler(w, nil)
	if f.Format == "json" {
		lines = slog.NewJSONHandler(w, nil)
	}
	return slog.New(lines)
}
