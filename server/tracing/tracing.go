// Package tracing shows the service to OpenTelemetry: a span for each request, named by
// its route, and one for each step of the work, in whatever process it runs, linked to
// the requests that wait for it.
//
//	tracer := tracing.New(tracing.Options{Provider: provider})
//	service, err := server.New(ctx, server.Config{Store: s, Engine: engines, Tracer: tracer})
//	err = http.Serve(l, tracer.Handler(service.Handler()))
//
// All processes on a database want it, those that accept requests and those that work.
// The provider, its exporter and how much is sampled are the program's. Programs that do not
// import this package compile no tracing in.
package tracing

import (
	"context"
	"errors"
	"net/http"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// scope is by whom OpenTelemetry says that spans are made.
const scope = "github.com/transcriptkit/transcriptkit/server/tracing"

// maxError is how many characters of an error a span holds.
const maxError = 1000

// Options say where spans go. The zero value is good.
type Options struct {
	// Provider makes the spans; nil: otel.GetTracerProvider.
	Provider trace.TracerProvider
	// Propagator reads the trace of the caller from the headers of a request; nil: the
	// W3C's traceparent and tracestate.
	Propagator propagation.TextMapPropagator
	// Public says that callers are strangers: the span of a request begins a trace of
	// its own, linked to the caller's, so that it is not theirs to say what is sampled.
	Public bool
}

// Tracer is the [engine.Tracer] of OpenTelemetry. Safe for concurrent use.
type Tracer struct {
	options Options
	tracer  trace.Tracer
}

var _ engine.Tracer = (*Tracer)(nil)

// New makes a tracer, for server.Config.Tracer and around the server's handlers.
func New(o Options) *Tracer {
	if o.Provider == nil {
		o.Provider = otel.GetTracerProvider()
	}
	if o.Propagator == nil {
		o.Propagator = propagation.TraceContext{}
	}
	o.Provider = plainProvider{o.Provider}
	return &Tracer{o, o.Provider.Tracer(scope)}
}

// Handler is a handler of a server, each request in a span that is named by its method
// and route, as in "POST /v1/transcript". It stands directly around the server's, within
// http.StripPrefix. A span holds the path of a request, never its query.
func (t *Tracer) Handler(of http.Handler) http.Handler {
	routed := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() { // the server has found out by now
			trace.SpanFromContext(r.Context()).SetAttributes(attribute.String("http.route", r.Pattern))
		}()
		of.ServeHTTP(w, r)
	})
	return otelhttp.NewHandler(routed, "",
		otelhttp.WithTracerProvider(t.options.Provider),
		otelhttp.WithPropagators(t.options.Propagator),
		otelhttp.WithPublicEndpointFn(func(*http.Request) bool { return t.options.Public }),
	)
}

// traceparent is the W3C's header, in whose form a trace is kept.
const traceparent = "traceparent"

// Trace returns the span of the request that ctx belongs to, as a traceparent.
func (t *Tracer) Trace(ctx context.Context) string {
	header := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, header)
	return header[traceparent]
}

// Step begins the span of a step, the first one of a trace, linked to the requests that
// wait for it.
func (t *Tracer) Step(ctx context.Context, s engine.Step) (context.Context, func(error)) {
	attributes := []attribute.KeyValue{
		attribute.String("transcript.extraction", s.Extraction),
		attribute.Int("transcript.attempt", s.Attempt),
	}
	if s.Kind == "recognize" {
		attributes = append(attributes, attribute.Int("transcript.chunk", s.Chunk))
	}
	ctx, span := t.tracer.Start(ctx, s.Kind,
		trace.WithNewRoot(), trace.WithSpanKind(trace.SpanKindConsumer),
		trace.WithAttributes(attributes...), trace.WithLinks(links(s.Traces)...))
	return ctx, func(err error) { end(span, err) }
}

// links lead to what Trace has returned. What cannot be read leads nowhere.
func links(traces []string) (all []trace.Link) {
	for _, kept := range traces {
		ctx := propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{traceparent: kept})
		if to := trace.SpanContextFromContext(ctx); to.IsValid() {
			all = append(all, trace.Link{SpanContext: to})
		}
	}
	return all
}

func end(span trace.Span, err error) {
	if err != nil {
		said := clip.To(plain(err.Error()), maxError)
		if coded := (*transcript.Error)(nil); errors.As(err, &coded) {
			span.SetAttributes(attribute.String("error.type", string(coded.Code)))
		}
		span.RecordError(errors.New(said))
		span.SetStatus(codes.Error, said)
	}
	span.End()
}
