// Package tracing reports the service's work to OpenTelemetry: a span for each request, named
// by its route, and a span for each step of the work, in any process, linked to the requests
// that wait for it.
//
//	tracer := tracing.New(tracing.Options{Provider: provider})
//	service, err := server.New(ctx, server.Config{Store: s, Engine: engines, Tracer: tracer})
//	err = http.Serve(l, tracer.Handler(service.Handler()))
//
// Use a Tracer in all processes that share a database, whether they accept requests or
// work on jobs. The program chooses the provider, its exporter and the sampling.
// Programs that do not import this package contain no tracing code.
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

// scope names this package as the source of the spans.
const scope = "github.com/transcriptkit/transcriptkit/server/tracing"

// maxError limits the text of an error in a span, in characters.
const maxError = 1000

// Options configure a [Tracer]. The zero value is usable.
type Options struct {
	// Provider makes the spans; nil means otel.GetTracerProvider.
	Provider trace.TracerProvider
	// Propagator reads the caller's trace from the headers of a request; nil means the
	// W3C headers traceparent and tracestate.
	Propagator propagation.TextMapPropagator
	// Public says that callers are not trusted: the span of a request begins a new
	// trace, which is linked to the caller's. So callers cannot decide what is sampled.
	Public bool
}

// Tracer is an [engine.Tracer] for OpenTelemetry. It is safe for concurrent use.
type Tracer struct {
	options Options
	tracer  trace.Tracer
}

var _ engine.Tracer = (*Tracer)(nil)

// New returns a tracer. Set it as server.Config.Tracer, and wrap the server's handlers
// in [Tracer.Handler].
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

// Handler wraps a handler of a server. Each request gets a span that is named by its method and
// route, as in "POST /v1/transcript". Handler must wrap the server's handler directly, inside
// http.StripPrefix. A span holds the path of a request, never its query.
func (t *Tracer) Handler(of http.Handler) http.Handler {
	routed := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() { // at this point the server has found the route
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

// traceparent is the W3C's header. References to traces have its format.
const traceparent = "traceparent"

// Trace returns the span of the request that ctx belongs to, as a traceparent.
func (t *Tracer) Trace(ctx context.Context) string {
	header := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, header)
	return header[traceparent]
}

// Step begins the span of a step. The span begins a new trace, which is linked to the
// requests that wait for the step.
func (t *Tracer) Step(ctx context.Context, s engine.Step) (context.Context, func(error)) {
	attributes := []attribute.KeyValue{
		attribute.String("transcript.extraction", s.Work),
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

// links returns links to the traces that Trace has returned, and skips unreadable ones.
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
