package tracing_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/server/tracing"
)

func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := store.Open(ctx, store.Options{Database: "sqlite:" + filepath.Join(dir, "service.db"), Blobs: dir})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	spans := tracetest.NewInMemoryExporter() // a real program sends them to a collector
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))
	tracer := tracing.New(tracing.Options{Provider: provider})
	service, err := server.New(ctx, server.Config{Store: s, Tracer: tracer})
	if err != nil {
		log.Fatal(err)
	}
	if err := service.Start(ctx); err != nil {
		log.Fatal(err)
	}
	defer service.Stop(ctx) //nolint:errcheck // the program ends
	handler := tracer.Handler(service.Handler())

	handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/v1/transcript/job/7", nil))
	fmt.Println(spans.GetSpans()[0].Name)
	// Output: GET /v1/transcript/job/{id}
}
