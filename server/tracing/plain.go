package tracing

import (
	"context"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/transcriptkit/transcriptkit/server/account"
)

// plain makes a client's text suitable for a span: it removes keys, and it replaces invalid
// UTF-8, because an exporter drops a whole export that contains invalid text.
func plain(text string) string {
	return strings.ToValidUTF8(account.HideKeys(text), "\uFFFD")
}

// plainProvider makes tracers whose spans begin with such texts.
type plainProvider struct{ trace.TracerProvider }

// Tracer implements trace.TracerProvider.
func (p plainProvider) Tracer(name string, options ...trace.TracerOption) trace.Tracer {
	return plainTracer{p.TracerProvider.Tracer(name, options...)}
}

type plainTracer struct{ trace.Tracer }

// Start implements trace.Tracer. If two attributes have the same key, the later attribute
// counts.
func (t plainTracer) Start(ctx context.Context, name string, options ...trace.SpanStartOption) (context.Context, trace.Span) {
	begins := trace.NewSpanStartConfig(options...)
	for _, a := range begins.Attributes() {
		if a.Value.Type() != attribute.STRING {
			continue
		}
		if text := a.Value.AsString(); plain(text) != text {
			options = append(options, trace.WithAttributes(a.Key.String(plain(text))))
		}
	}
	return t.Tracer.Start(ctx, name, options...)
}
