package client_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jarcoal/httpmock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// around is middleware of a function.
func around(f func(r *http.Request, next http.RoundTripper) (*http.Response, error)) client.RequestOption {
	return client.WithMiddleware(func(next http.RoundTripper) http.RoundTripper {
		return client.RoundTripFunc(func(r *http.Request) (*http.Response, error) { return f(r, next) })
	})
}

// TestMiddlewareSeesEachAttempt, that of the call before that of the client, and what it changes
// in a request is in that attempt alone.
func TestMiddlewareSeesEachAttempt(t *testing.T) {
	t.Parallel()
	var order []string
	named := func(name string) client.RequestOption {
		return around(func(r *http.Request, next http.RoundTripper) (*http.Response, error) {
			order = append(order, name)
			r.Header.Add("X-Passed", name)
			return next.RoundTrip(r)
		})
	}
	c, mt := mocked(t, named("near"), named("client"))
	var sent []http.Header
	answer := script(nil, step{status: 502}, step{}, step{status: 200, body: jobBody("pending", "queued", 1)})
	mt.RegisterResponder("GET", jobURL, func(r *http.Request) (*http.Response, error) {
		sent = append(sent, r.Header)
		return answer(r)
	})
	_, err := c.Jobs.Get(t.Context(), jobID, named("call"), named("far"))
	require.NoError(t, err)
	once := []string{"far", "call", "client", "near"}
	assert.Equal(t, append(append(once, once...), once...), order)
	for _, h := range sent {
		assert.Equal(t, once, h.Values("X-Passed"))
		assert.Equal(t, "Bearer "+key, h.Get("Authorization"))
	}

	order = nil
	_, err = c.Jobs.Get(t.Context(), jobID)
	require.NoError(t, err)
	assert.Equal(t, once[2:], order, "middleware of a call stays with it")
	_, err = c.Jobs.Get(t.Context(), jobID, client.WithMiddleware(func(http.RoundTripper) http.RoundTripper { return nil }))
	require.ErrorContains(t, err, "returned nil")
	_, err = watch(t.Context(), c, client.WithMiddleware(func(http.RoundTripper) http.RoundTripper { return nil }))
	require.ErrorContains(t, err, "returned nil")
}

// TestMiddlewareSeesStreams: each connection of a stream, as the service will see it, and the
// questions and streams of a wait.
func TestMiddlewareSeesStreams(t *testing.T) {
	t.Parallel()
	c := served(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !strings.HasSuffix(r.URL.Path, "/events"):
			writeJSON(w, http.StatusOK, jobBody("processing", "asr_running", 2))
			return
		case r.Header.Get("Last-Event-ID") == "":
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, snapshot(2, "asr_running")) // and the connection breaks
		default:
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, completed(3))
		}
	})
	var mu sync.Mutex
	var seen []string
	spy := around(func(r *http.Request, next http.RoundTripper) (*http.Response, error) {
		mu.Lock()
		defer mu.Unlock()
		assert.Equal(t, "Bearer "+key, r.Header.Get("Authorization"))
		seen = append(seen, r.URL.Path[strings.LastIndex(r.URL.Path, "/"):]+" "+r.Header.Get("Last-Event-ID"))
		return next.RoundTrip(r)
	})
	events, err := watch(t.Context(), c, spy)
	require.NoError(t, err)
	assert.Len(t, events, 2)
	assert.Equal(t, []string{"/events ", "/events 2"}, seen)
	seen = nil
	_, err = c.Jobs.Wait(t.Context(), jobID, spy)
	require.NoError(t, err)
	assert.Contains(t, seen, "/"+jobID+" ")
	assert.Contains(t, seen, "/events 2")
}

// TestMiddlewareSeesUploads: the bytes of each attempt, while the progress is reported.
func TestMiddlewareSeesUploads(t *testing.T) {
	t.Parallel()
	m := &media{content: bytes.Repeat([]byte("sound"), 100_000)}
	var attempts atomic.Int32
	c := served(t, func(w http.ResponseWriter, r *http.Request) {
		got, err := received(r)
		assert.NoError(t, err)
		assert.Equal(t, m.content, got)
		if attempts.Add(1) == 1 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		writeJSON(w, http.StatusOK, resultBody())
	})
	var passed []*counted
	var sent int64
	_, _, err := c.Transcripts.Submit(t.Context(), transcript.Request{Source: m.source(int64(len(m.content)))},
		client.WithUploadProgress(func(n, _ int64) { sent = n }),
		around(func(r *http.Request, next http.RoundTripper) (*http.Response, error) {
			body := &counted{ReadCloser: r.Body}
			passed = append(passed, body)
			r.Body = body
			return next.RoundTrip(r)
		}))
	require.NoError(t, err)
	require.Len(t, passed, 2)
	for _, body := range passed {
		assert.Greater(t, body.n.Load(), int64(len(m.content)))
	}
	assert.Equal(t, int64(len(m.content)), sent)
	assert.EqualValues(t, 2, m.opened.Load())
}

type counted struct {
	io.ReadCloser
	n atomic.Int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// TestMiddlewareAnswersByItself, and the service hears nothing.
func TestMiddlewareAnswersByItself(t *testing.T) {
	t.Parallel()
	c, mt := mocked(t, client.WithRetry(client.NoRetry))
	answers := func(status int, body io.ReadCloser, err error) client.RequestOption {
		return around(func(*http.Request, http.RoundTripper) (*http.Response, error) {
			return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: body, ContentLength: -1}, err
		})
	}
	text := func(s string) io.ReadCloser { return io.NopCloser(strings.NewReader(s)) }

	job, err := c.Jobs.Get(t.Context(), jobID, answers(200, text(`{"jobId":"`+jobID+`","status":"pending"}`), nil))
	require.NoError(t, err)
	assert.Equal(t, transcript.JobPending, job.Status)
	events, err := watch(t.Context(), c, answers(200, text(completed(3)), nil))
	require.NoError(t, err)
	assert.Len(t, events, 1)

	both := &counted{ReadCloser: text("")}
	for name, tc := range map[string]struct {
		with client.RequestOption
		says string
	}{
		"a status alone":     {answers(404, nil, nil), "404"},
		"an answer and more": {answers(200, both, errors.New("out of order")), "out of order"},
		"nothing":            {around(func(*http.Request, http.RoundTripper) (*http.Response, error) { return nil, nil }), "neither an answer nor an error"},
	} {
		_, err := c.Jobs.Get(t.Context(), jobID, tc.with)
		require.ErrorContains(t, err, tc.says, name)
		_, err = watch(t.Context(), c, tc.with)
		require.ErrorContains(t, err, tc.says, name)
		_, err = c.Batches.Export(t.Context(), batchID, client.ExportParams{Format: "txt"}, tc.with)
		require.ErrorContains(t, err, tc.says, name)
	}
	assert.Zero(t, mt.GetTotalCallCount())

	// A middleware that has read a part of an upload leaves no file open.
	m := &media{content: []byte("the media")}
	_, _, err = c.Transcripts.Submit(t.Context(), transcript.Request{Source: m.source(9)},
		around(func(r *http.Request, _ http.RoundTripper) (*http.Response, error) {
			_, err := io.CopyN(io.Discard, r.Body, 200)
			assert.NoError(t, err)
			return httpmock.NewStringResponse(413, ""), nil
		}))
	require.ErrorContains(t, err, "413")
	assert.Equal(t, m.opened.Load(), m.closed.Load())
	assert.EqualValues(t, 1, m.opened.Load())
}

// TestMiddlewareAndRedirects: the middleware sees a request to the same service again, and no
// request to another host.
func TestMiddlewareAndRedirects(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("reached") }))
	t.Cleanup(other.Close)
	c := served(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/same":
			http.Redirect(w, r, "/v1/target", http.StatusTemporaryRedirect)
		case "/v1/target":
			writeJSON(w, http.StatusOK, object{})
		default:
			http.Redirect(w, r, other.URL+"/v1/target", http.StatusTemporaryRedirect)
		}
	})
	var seen []string
	spy := around(func(r *http.Request, next http.RoundTripper) (*http.Response, error) {
		seen = append(seen, r.URL.Path)
		return next.RoundTrip(r)
	})
	require.NoError(t, c.Do(t.Context(), http.MethodGet, "/v1/same", nil, nil, spy))
	require.ErrorContains(t, c.Do(t.Context(), http.MethodGet, "/v1/other", nil, nil, spy), "307")
	assert.Equal(t, []string{"/v1/same", "/v1/target", "/v1/other"}, seen)
	// An answer of the middleware takes the key nowhere either.
	require.ErrorContains(t, c.Do(t.Context(), http.MethodGet, "/v1/same", nil, nil,
		around(func(*http.Request, http.RoundTripper) (*http.Response, error) {
			resp := httpmock.NewStringResponse(307, "")
			resp.Header.Set("Location", other.URL)
			return resp, nil
		})), "307")
}

// TestMiddlewareHasTheTimeOfAnAttempt, and what the client logs and returns names no key.
func TestMiddlewareHasTheTimeOfAnAttempt(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	c, _ := mocked(t, client.WithLogger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
	attempts := 0
	began := time.Now()
	err := c.Do(t.Context(), http.MethodGet, "/v1/x?q=secretquery", nil, nil, client.WithAttemptTimeout(10*time.Millisecond),
		client.WithRetry(client.RetryPolicy{Attempts: 2, MinWait: 1, MaxWait: time.Minute}),
		around(func(r *http.Request, _ http.RoundTripper) (*http.Response, error) {
			attempts++
			<-r.Context().Done()
			return nil, r.Context().Err()
		}))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "no whole answer within 10ms")
	assert.Equal(t, 2, attempts)
	assert.GreaterOrEqual(t, time.Since(began), 20*time.Millisecond)
	for _, text := range []string{err.Error(), log.String()} {
		assert.NotContains(t, text, "secret")
		assert.Contains(t, text, "/v1/x")
	}
}
