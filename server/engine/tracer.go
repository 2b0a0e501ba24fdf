package engine

import "context"

// Tracer traces work from the requests to the steps that do it, even across processes.
// Package tracing has a Tracer for OpenTelemetry. A Tracer must be safe for concurrent
// use.
type Tracer interface {
	// Trace returns a reference to the trace of a request, which the server stores with
	// the request's job. Empty means that the request is not traced. A reference has at
	// most 256 visible ASCII characters; the server does not store others.
	Trace(ctx context.Context) string
	// Step is called when a step begins. The step and the engine work under the returned
	// context. end is called once with the step's error. It is also called with nil if no
	// request needs the work any more.
	Step(ctx context.Context, s Step) (_ context.Context, end func(error))
}

// Step describes a part of the work on some content to a [Tracer].
type Step struct {
	Kind    string // "captions", "prepare", "recognize" and so on
	Work    string // a UUID that all steps on a content share
	Attempt int    // of the step, from 1; a step whose process died begins again
	Chunk   int    // the recognized piece of the recording, from 0
	// Traces are the results of Trace for the requests that wait for the work: oldest
	// first, at most 32.
	Traces []string
}
