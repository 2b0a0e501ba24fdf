package main

import (
	"context"
	"log/slog"
	"slices"

	"github.com/alecthomas/kong"

	"github.com/transcriptkit/transcriptkit/examples/internal/service"
)

// ownFlags configure the service that a command runs in its own process.
type ownFlags struct {
	service.RecognizerFlags
	service.LinkFlags
}

// flags returns the flags of the service.
func (o ownFlags) flags() service.Flags {
	return service.Flags{RecognizerFlags: o.RecognizerFlags, LinkFlags: o.LinkFlags}
}

// setup returns the flags and the chosen recognizer.
func (o ownFlags) setup(ctx context.Context, log *slog.Logger) (service.Setup, error) {
	return o.flags().Setup(ctx, log)
}

// configures reports whether the command line has a flag for the service in this process.
func configures(call *kong.Context) bool {
	return slices.ContainsFunc(call.Path, func(p *kong.Path) bool {
		return p.Flag != nil && p.Flag.Group != nil && !p.Resolved
	})
}
