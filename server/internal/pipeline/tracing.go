package pipeline

import (
	"context"
	"errors"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
)

// Bounds of what is kept of traces, and told of them.
const (
	maxTrace  = 256 // characters
	maxTraces = 32  // of a step
)

// traced runs a step, and tells the tracer of it.
func (p *processor) traced(ctx context.Context, t task, s queue.Step, run func(context.Context) error) error {
	if p.cfg.Tracer == nil {
		return attempt.Guard(func() error { return run(ctx) })
	}
	told := engine.Step{Kind: t.work.Kind, Extraction: t.extraction, Attempt: t.work.Attempt}
	if r, ok := s.(recognizeArgs); ok {
		told.Chunk = r.Chunk
	}
	told.Traces, _ = p.store.Jobs.Traces(ctx, t.extraction, maxTraces) // a step without them is better than none
	under, end := p.cfg.Tracer.Step(ctx, told)
	err := attempt.Guard(func() error { return run(under) })
	if errors.Is(err, attempt.ErrUnwanted) || errors.Is(context.Cause(ctx), attempt.ErrUnwanted) {
		end(nil) // the run was cut off, and has no result
	} else {
		end(err)
	}
	return err
}

// traceOf is what to keep of the trace of a request.
func traceOf(ctx context.Context, tracer engine.Tracer) string {
	if tracer == nil {
		return ""
	}
	trace := tracer.Trace(ctx)
	if len(trace) > maxTrace {
		return ""
	}
	for _, c := range []byte(trace) {
		if c <= ' ' || c > '~' {
			return ""
		}
	}
	return trace
}
