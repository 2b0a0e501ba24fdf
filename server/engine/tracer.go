package engine

import "context"

// Tracer follows work from the requests that ask for it to the steps that do it, also across
// processes. Package tracing has a Tracer for OpenTelemetry. Safe for concurrent use.
type Tracer interface {
	// Trace returns a reference to the trace of a request, which is kept with the request's
	// job. A reference of more than 256 visible ASCII characters is not kept. Empty: the
	// request is not traced.
	Trace(ctx context.Context) string
	// Step is called when a step begins. The step and the engine work under the returned
	// context. end is called once with the step's error, also with nil if no request wants the
	// work any more.
	Step(ctx context.Context, s Step) (_ context.Context, end func(error))
}

// Step is a part of the work on a content, as a [Tracer] sees it.
type Step struct {
	Kind    string // "captions", "prepare", "recognize" and so on
	Work    string // a UUID that all steps on a content share
	Attempt int    // of the step, from 1; a step whose process died begins again
	Chunk   int    // the recognized piece of the recording, from 0
	// Traces are the references, as Trace has returned them, of the requests that wait for the
	// work: oldest first, at most 32.
	Traces []string
}
