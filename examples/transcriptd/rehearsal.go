package main

import (
	"context"

	"github.com/transcriptkit/transcriptkit/server/engine"
)

// rehearser is a caption source that tests its program with a site inside this process.
type rehearser interface {
	engine.CaptionSource
	Rehearse(ctx context.Context) engine.Finding
}

// rehearsal lets server.Examine run the test too.
type rehearsal struct{ rehearser }

// Examine returns the finding of the test.
func (r rehearsal) Examine(ctx context.Context) []engine.Finding {
	return []engine.Finding{r.Rehearse(ctx)}
}

// rehearsing makes an engine whose examination also runs the tests of its caption sources.
func rehearsing(make func(engine.Host) (engine.Engine, error)) func(engine.Host) (engine.Engine, error) {
	return func(host engine.Host) (engine.Engine, error) {
		e, err := make(host)
		for _, source := range e.Captions {
			if r, ok := source.(rehearser); ok {
				e.Captions = append(e.Captions, rehearsal{r})
			}
		}
		return e, err
	}
}
