package client_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/transcriptkit/transcriptkit/client"
)

// A middleware of one call sees each attempt of the call.
func ExampleWithMiddleware() {
	service := busyService(func(*http.Request) {})
	defer service.Close()

	watch := client.WithMiddleware(func(next http.RoundTripper) http.RoundTripper {
		return client.RoundTripFunc(func(r *http.Request) (*http.Response, error) {
			r.Header.Set("X-Team", "speech")
			resp, err := next.RoundTrip(r)
			if err == nil {
				fmt.Println(r.Method, r.URL.Path, resp.StatusCode)
			}
			return resp, err
		})
	})
	c, err := client.New(service.URL, client.WithAPIKey("tr_example"), client.WithRetry(soon), watch)
	if err != nil {
		log.Fatal(err)
	}
	usage, err := c.Usage.Get(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("plan:", usage.Account.Plan)
	// Output:
	// GET /v1/usage 503
	// GET /v1/usage 200
	// plan: pro
}

// OpenTelemetry's transport is a middleware. Each attempt has a span below the span of the
// caller, and the service gets the trace.
func ExampleWithMiddleware_openTelemetry() {
	service := busyService(func(r *http.Request) {
		fmt.Println("the service has the trace:", r.Header.Get("traceparent") != "")
	})
	defer service.Close()

	ctx := context.Background()
	spans := tracetest.NewSpanRecorder() // in a program: an exporter
	provider := trace.NewTracerProvider(trace.WithSpanProcessor(spans))
	c, err := client.New(service.URL, client.WithAPIKey("tr_example"), client.WithRetry(soon),
		client.WithMiddleware(func(next http.RoundTripper) http.RoundTripper {
			return otelhttp.NewTransport(next,
				otelhttp.WithTracerProvider(provider), otelhttp.WithPropagators(propagation.TraceContext{}))
		}))
	if err != nil {
		log.Fatal(err)
	}
	ctx, span := provider.Tracer("example").Start(ctx, "ask what is left")
	if _, err := c.Usage.Get(ctx); err != nil {
		log.Fatal(err)
	}
	span.End()
	for _, s := range spans.Ended() {
		fmt.Print(s.Name())
		for _, about := range s.Attributes() {
			if about.Key == "http.response.status_code" {
				fmt.Print(" ", about.Value.AsInt64())
			}
		}
		fmt.Println(", of this trace:", s.SpanContext().TraceID() == span.SpanContext().TraceID())
	}
	// Output:
	// the service has the trace: true
	// the service has the trace: true
	// HTTP GET 503, of this trace: true
	// HTTP GET 200, of this trace: true
	// ask what is left, of this trace: true
}

// soon repeats without long pauses.
var soon = client.RetryPolicy{MinWait: time.Millisecond}

// busyService refuses the first request, and shows each request to see.
func busyService(see func(*http.Request)) *httptest.Server {
	var busy atomic.Bool
	busy.Store(true)
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		see(r)
		if busy.Swap(false) {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, usageBody)
	}))
}
