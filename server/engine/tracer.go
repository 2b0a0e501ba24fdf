package engine

import "context"

// Tracer follows work from the requests that ask for it to the steps that do it, in
// whatever process these run. Package tracing has one for OpenTelemetry. Safe for
// concurrent use.
type Tracer interface {
	// Trace returns by what the trace of a request can be found again, which is kept
	// with the request's job: up to 256 visible ASCII characters, or it is not kept.
	// Empty: the request is not traced.
	Trace(ctx context.Context) string
	// Step is told that a step begins. The step and the engine work under the context
	// that it returns, and end is called once with how the step ended: nil also where
	// nobody wants the work any more.
	Step(ctx context.Context, s Step) (_ context.Context, end func(error))
}

// Step is a part of the work on a content, as a [Tracer] is told of it.
type Step struct {
	Kind       string // "captions", "prepare", "recognize" and so on
	Extraction string // a UUID, which all steps on a content have in common
	Attempt    int    // at the step, from 1: what died with its process is begun again
	Chunk      int    // the piece of the recording that is recognized, from 0
	// Traces are those of the requests that wait for the work, as Trace has returned
	// them, oldest first, at most 32.
	Traces []string
}
