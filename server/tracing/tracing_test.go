package tracing_test

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/server/tracing"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// process is a service with the spans that it makes.
type process struct {
	*servertest.Server
	url   string // of its traced handler
	spans *tracetest.InMemoryExporter

	mu     sync.Mutex
	worked []trace.SpanContext // under which the recognizer was called
}

func newProcess(t *testing.T, o tracing.Options, configure ...servertest.Option) *process {
	t.Helper()
	p := &process{spans: tracetest.NewInMemoryExporter()}
	o.Provider = sdktrace.NewTracerProvider(sdktrace.WithSyncer(p.spans))
	tracer := tracing.New(o)
	p.Server = servertest.New(t, append(configure, servertest.Configure(func(c *server.Config) {
		c.Tracer = tracer
		scripted := c.Engine
		c.Engine = func(h engine.Host) (engine.Engine, error) {
			e, err := scripted(h)
			e.Recognizer = &watched{e.Recognizer, p}
			return e, err
		}
	}))...)
	web := httptest.NewServer(tracer.Handler(p.Handler()))
	t.Cleanup(web.Close)
	p.url = web.URL
	return p
}

// watched is a recognizer that notes by whom it is called.
type watched struct {
	engine.Recognizer
	by *process
}

func (w *watched) Recognize(ctx context.Context, a engine.Audio, o engine.RecognizeOptions) (engine.Recognition, error) {
	w.by.mu.Lock()
	w.by.worked = append(w.by.worked, trace.SpanContextFromContext(ctx))
	w.by.mu.Unlock()
	return w.Recognizer.Recognize(ctx, a, o)
}

// post asks for a link and returns the job's id.
func (p *process) post(t *testing.T, key string, headers http.Header) (id string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.url+"/v1/transcript?note=a-secret",
		strings.NewReader(`{"url": "dQw4w9WgXcQ", "waitMs": 0}`))
	require.NoError(t, err)
	r.Header = http.Header{}
	maps.Copy(r.Header, headers)
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusAccepted, res.StatusCode, string(body))
	var job struct{ JobID string }
	require.NoError(t, json.Unmarshal(body, &job))
	return job.JobID
}

// end follows a job by its event stream, and returns how it ended.
func (p *process) end(t *testing.T, key, id string) (last transcript.Job, err error) {
	t.Helper()
	c, err := client.New(p.url, client.WithAPIKey(key))
	require.NoError(t, err)

	for event, err := range c.Jobs.Events(t.Context(), id) {
		if err != nil {
			return last, err
		}
		last = event.Job
	}
	return last, nil
}

// named are the spans of a name, once there are as many.
func (p *process) named(t *testing.T, name string, n int) (found []tracetest.SpanStub) {
	t.Helper()
	require.Eventually(t, func() bool {
		found = nil
		for _, s := range p.spans.GetSpans() {
			if s.Name == name {
				found = append(found, s)
			}
		}
		return len(found) >= n
	}, time.Minute, 5*time.Millisecond, "%d of %q", n, name)
	return found
}

func attributeOf(s tracetest.SpanStub, key attribute.Key) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			return a.Value.String()
		}
	}
	return ""
}

func linked(s tracetest.SpanStub) (to []trace.SpanID) {
	for _, l := range s.Links {
		to = append(to, l.SpanContext.SpanID())
	}
	return to
}

const caller = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

func from(traceparent ...string) http.Header { return http.Header{"Traceparent": traceparent} }

// One process accepts, another one works: each step is found from each request that
// waits for it, and the engine works under the step's span.
func TestStepsAreLinkedToRequestsOfAnotherProcess(t *testing.T) {
	t.Parallel()
	shared := storetest.Postgres(t)
	in := func(role server.Role) *process {
		return newProcess(t, tracing.Options{},
			servertest.ConfigureStore(func(o *store.Options) { *o = shared }),
			servertest.Configure(func(c *server.Config) { c.Role = role }))
	}
	works, accepts := in(server.RoleWorker), in(server.RoleAPI)
	works.Engine.SetTracks() // so that there is all to do
	release := works.Engine.HoldCaptions()

	other := accepts.NewKey(t, "globex")
	mine, theirs := accepts.post(t, accepts.Key, from(caller)), accepts.post(t, other, nil)
	release()
	for key, id := range map[string]string{accepts.Key: mine, other: theirs} {
		job, err := accepts.end(t, key, id)
		require.NoError(t, err)
		require.Equal(t, transcript.JobSuccess, job.Status)
	}

	requests := accepts.named(t, "POST /v1/transcript", 2)
	require.Len(t, requests, 2)
	assert.Equal(t, "0af7651916cd43dd8448eb211c80319c", requests[0].SpanContext.TraceID().String(), "the caller's")
	assert.Equal(t, "b7ad6b7169203331", requests[0].Parent.SpanID().String())
	assert.False(t, requests[1].Parent.IsValid())
	assert.Equal(t, "/v1/transcript", attributeOf(requests[0], "http.route"))
	both := []trace.SpanID{requests[0].SpanContext.SpanID(), requests[1].SpanContext.SpanID()}

	traces := map[trace.TraceID]bool{}
	for _, kind := range []string{"captions", "prepare", "recognize", "publish"} {
		for _, s := range works.named(t, kind, 1) {
			assert.Equal(t, trace.SpanKindConsumer, s.SpanKind, kind)
			assert.False(t, s.Parent.IsValid(), kind)
			assert.Contains(t, linked(s), both[0], kind)
			assert.Equal(t, codes.Unset, s.Status.Code, "%s: %s", kind, s.Status.Description)
			assert.NotEmpty(t, attributeOf(s, "transcript.extraction"), kind)
			if kind != "captions" { // which began with the first request
				assert.Equal(t, both, linked(s), kind)
			}
			traces[s.SpanContext.TraceID()] = true
		}
	}
	assert.GreaterOrEqual(t, len(traces), 4, "each step has a trace of its own")
	recognized := works.named(t, "recognize", 1)
	assert.Equal(t, "0", attributeOf(recognized[0], "transcript.chunk"))
	assert.Equal(t, recognized[0].SpanContext.SpanID(), works.worked[0].SpanID(), "the engine works under it")

	accepts.named(t, "GET /v1/transcript/job/{id}/events", 2)
	for _, s := range append(accepts.spans.GetSpans(), works.spans.GetSpans()...) {
		for _, a := range s.Attributes {
			assert.NotContains(t, a.Value.String(), "a-secret", "a query holds what does not belong into a trace")
		}
	}
}

// A step that fails says why, with the code that its job ends with.
func TestErrorsOfSteps(t *testing.T) {
	t.Parallel()
	p := newProcess(t, tracing.Options{})
	p.Engine.SetTracks()
	p.Engine.Fail(transcript.Errorf(transcript.NotImplemented, "Not this %s.", strings.Repeat("x", 5000)))
	job, err := p.end(t, p.Key, p.post(t, p.Key, nil))
	require.NoError(t, err)
	assert.Equal(t, transcript.JobFailed, job.Status)
	s := p.named(t, "recognize", 1)[0]
	assert.Equal(t, codes.Error, s.Status.Code)
	assert.Contains(t, s.Status.Description, "NOT_IMPLEMENTED: Not this xxx")
	assert.Less(t, len(s.Status.Description), 1100, "bounded")
	assert.Equal(t, "NOT_IMPLEMENTED", attributeOf(s, "error.type"))
	require.Len(t, s.Events, 1)
	assert.Equal(t, "exception", s.Events[0].Name)
	assert.Equal(t, codes.Unset, p.named(t, "prepare", 1)[0].Status.Code)
}

// What a stranger sends for a trace costs nothing and ends up nowhere.
func TestHostileTraceparents(t *testing.T) {
	t.Parallel()
	for what, header := range map[string]http.Header{
		"long":        from(caller + "-" + strings.Repeat("f", 8<<10)),
		"junk":        from("'; DROP TABLE jobs; --\xff\xfe"),
		"zero":        from("00-00000000000000000000000000000000-0000000000000000-01"),
		"version ff":  from("ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
		"upper case":  from(strings.ToUpper(caller)),
		"two of them": {"Traceparent": {"nonsense", caller}},
		"long state":  {"Traceparent": {"nonsense"}, "Tracestate": {"a=" + strings.Repeat("b", 30<<10)}},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			p := newProcess(t, tracing.Options{})
			job, err := p.end(t, p.Key, p.post(t, p.Key, header))
			require.NoError(t, err)
			assert.Equal(t, transcript.JobSuccess, job.Status)
			request, step := p.named(t, "POST /v1/transcript", 1)[0], p.named(t, "captions", 1)[0]
			assert.False(t, request.Parent.IsValid(), "a trace of its own")
			require.Len(t, step.Links, 1)
			assert.Equal(t, request.SpanContext.TraceID(), step.Links[0].SpanContext.TraceID())
			assert.Equal(t, request.SpanContext.SpanID(), step.Links[0].SpanContext.SpanID())
			assert.Empty(t, step.Links[0].SpanContext.TraceState().String())
		})
	}
}

// Whom nobody knows says neither what is sampled nor in which trace.
func TestPublic(t *testing.T) {
	t.Parallel()
	p := newProcess(t, tracing.Options{Public: true})
	p.post(t, p.Key, from(caller))
	request := p.named(t, "POST /v1/transcript", 1)[0]
	assert.False(t, request.Parent.IsValid())
	assert.NotEqual(t, "0af7651916cd43dd8448eb211c80319c", request.SpanContext.TraceID().String())
	require.Len(t, request.Links, 1)
	assert.Equal(t, "0af7651916cd43dd8448eb211c80319c", request.Links[0].SpanContext.TraceID().String())
}

// Names are bounded, whatever is asked for.
func TestNamesOfUnknownRoutes(t *testing.T) {
	t.Parallel()
	p := newProcess(t, tracing.Options{})
	for _, path := range []string{"/nowhere", "/v1/../x", "/v1/transcript/job/" + strings.Repeat("x", 100)} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.url+path, nil)
		require.NoError(t, err)
		res, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		_ = res.Body.Close() // it is not read
	}
	require.Eventually(t, func() bool { return len(p.spans.GetSpans()) == 3 }, time.Minute, 5*time.Millisecond)
	for _, s := range p.spans.GetSpans() {
		assert.Contains(t, []string{"GET /", "GET", "GET /v1/transcript/job/{id}"}, s.Name)
	}
}

// What Trace has not returned leads nowhere.
func TestLinksOfStrangeTraces(t *testing.T) {
	t.Parallel()
	spans := tracetest.NewInMemoryExporter()
	tracer := tracing.New(tracing.Options{Provider: sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))})
	_, end := tracer.Step(t.Context(), engine.Step{Kind: "publish", Traces: []string{"", "nonsense", caller, strings.Repeat("0", 5000)}})
	end(nil)
	require.Len(t, spans.GetSpans(), 1)
	require.Len(t, spans.GetSpans()[0].Links, 1)
	assert.Equal(t, "b7ad6b7169203331", spans.GetSpans()[0].Links[0].SpanContext.SpanID().String())
	assert.Empty(t, tracer.Trace(t.Context()), "no request, no trace")
}

// What is not UTF-8 in a request, or a key, does not get into its span: an
// attribute that is not UTF-8 makes exporters lose all spans that they send with it.
func TestRequestsThatAreNoText(t *testing.T) {
	t.Parallel()
	p := newProcess(t, tracing.Options{})
	for _, path := range []string{"/%ff", "/v1/transcript/job/%ff%fe", "/" + p.Key} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.url+path, nil)
		require.NoError(t, err)
		r.Header.Set("User-Agent", "a browser \xff")
		r.Header.Set("X-Forwarded-For", "\xff")
		r.Header.Set("Baggage", "a=%ff")
		r.Header.Set("Tracestate", "a=\xff")
		r.Header.Set("Traceparent", strings.Repeat("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", 100))
		r.Host = "host\xff"
		resp, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
	}
	require.Eventually(t, func() bool { return len(p.spans.GetSpans()) == 3 }, time.Minute, time.Millisecond)
	for _, s := range p.spans.GetSpans() {
		assert.True(t, utf8.ValidString(s.Name), "%q", s.Name)
		for _, a := range s.Attributes {
			assert.True(t, utf8.ValidString(a.Value.String()), "%s: %q", a.Key, a.Value.String())
			assert.NotContains(t, a.Value.String(), p.Key)
			assert.Less(t, len(a.Value.String()), 3000, "%s", a.Key)
		}
	}
}
