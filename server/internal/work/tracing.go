package work

import (
	"context"
	"errors"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/server/internal/step"
)

// maxTraces is the largest number of traces of a step's requests that are passed on.
const maxTraces = 32

// traced runs a step, and tells the tracer of it.
func (p *processor) traced(ctx context.Context, t step.Held, s queue.Step, run func(context.Context) error) error {
	if p.Tracer == nil {
		return attempt.Guard(func() error { return run(ctx) })
	}
	told := engine.Step{Kind: t.Row.Kind, Work: t.Work, Attempt: t.Row.Attempt}
	if r, ok := s.(step.Recognize); ok {
		told.Chunk = r.Chunk
	}
	told.Traces, _ = p.Store.Jobs.Traces(ctx, t.Work, maxTraces) // a step without them is better than none
	under, end := p.Tracer.Step(ctx, told)
	err := attempt.Guard(func() error { return run(under) })
	if errors.Is(err, attempt.ErrUnwanted) || errors.Is(context.Cause(ctx), attempt.ErrUnwanted) {
		end(nil) // the run was cut off, and has no result
	} else {
		end(err)
	}
	return err
}
