package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jarcoal/httpmock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// connection is what the service does with one request for events.
type connection func(w http.ResponseWriter, r *http.Request)

// eventServer plays its connections one after the other, the last one again
// and again, and notes the Last-Event-ID of each.
type eventServer struct {
	mu    sync.Mutex
	next  []connection
	calls []string
}

func (s *eventServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.calls = append(s.calls, r.Header.Get("Last-Event-ID"))
	play := s.next[0]
	if len(s.next) > 1 {
		s.next = s.next[1:]
	}
	s.mu.Unlock()
	play(w, r)
}

func (s *eventServer) seen() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.calls...)
}

// streamOf sends the blocks and ends in an orderly way.
func streamOf(blocks ...string) connection {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "retry: 3000\n: hello\n\n")
		for _, b := range blocks {
			_, _ = io.WriteString(w, b)
			w.(http.Flusher).Flush()
		}
	}
}

// broken sends the blocks and drops the connection.
func broken(blocks ...string) connection {
	return func(w http.ResponseWriter, r *http.Request) {
		streamOf(blocks...)(w, r)
		panic(http.ErrAbortHandler)
	}
}

// hanging sends the blocks and then nothing more.
func hanging(blocks ...string) connection {
	return func(w http.ResponseWriter, r *http.Request) {
		streamOf(blocks...)(w, r)
		<-r.Context().Done()
	}
}

func refusing(status int, body string, header ...string) connection {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func block(id int, event string, data object) string {
	b, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	s := "event: " + event + "\ndata: " + string(b) + "\n\n"
	if id > 0 {
		s = fmt.Sprintf("id: %d\n", id) + s
	}
	return s
}

func snapshot(sequence int, stage string) string {
	return block(0, "job.snapshot", jobBody("processing", stage, sequence))
}

func transition(sequence int, stage string) string {
	return block(sequence, "job.progress", object{"jobId": jobID, "status": "processing", "stage": stage,
		"sequence": sequence, "attempt": 1, "at": "2026-11-21T02:04:10.001Z"})
}

func progress(sequence int, fraction float64) string {
	return block(0, "job.progress", object{"jobId": jobID, "status": "processing", "stage": "asr_running",
		"sequence": sequence, "attempt": 1, "at": "2026-11-21T02:04:10.001Z",
		"progress": object{"fraction": fraction, "processedSec": 1.0, "totalSec": 2.0}})
}

func completed(sequence int) string { return block(sequence, "job.completed", doneBody(sequence)) }

const ping = ": ping\n\n"

// told is an event as the tests compare it.
func told(e transcript.Event) string {
	s := fmt.Sprintf("%s %d/%d %s", e.Type, e.ID, e.Job.Sequence, e.Job.Stage)
	if e.Job.Progress != nil {
		s += fmt.Sprintf(" %.1f", e.Job.Progress.Fraction)
	}
	return s
}

// watch collects the events of a job until they end.
func watch(ctx context.Context, c *client.Client, opts ...client.RequestOption) (events []string, err error) {
	for e, eventErr := range c.Jobs.Events(ctx, jobID, opts...) {
		if eventErr != nil {
			return events, eventErr
		}
		events = append(events, told(e))
	}
	return events, nil
}

func TestEvents(t *testing.T) {
	t.Parallel()
	all := []string{
		"job.snapshot 0/2 caption_fetch",
		"job.progress 3/3 duration_check",
		"job.progress 4/4 asr_running",
		"job.progress 0/4 asr_running 0.5",
		"job.progress 5/5 publishing",
		"job.completed 6/6 done",
	}
	big := strings.Repeat("x", 300<<10)
	for name, tc := range map[string]struct {
		connections []connection
		events      []string
		resumed     []string
	}{
		"one connection": {
			[]connection{streamOf(ping, snapshot(2, "caption_fetch"), ping, transition(3, "duration_check"), ping,
				transition(4, "asr_running"), progress(4, 0.5), ping, transition(5, "publishing"), completed(6))},
			all, []string{""},
		},
		"broken in the middle": {
			[]connection{
				broken(snapshot(2, "caption_fetch"), transition(3, "duration_check")),
				broken(transition(4, "asr_running"), progress(4, 0.5)),
				streamOf(transition(5, "publishing"), completed(6)),
			},
			all, []string{"", "3", "4"},
		},
		"ended in an orderly way too early": {
			[]connection{
				streamOf(snapshot(2, "caption_fetch"), transition(3, "duration_check")),
				streamOf(transition(4, "asr_running"), progress(4, 0.5), transition(5, "publishing"), completed(6)),
			},
			all, []string{"", "3"},
		},
		"broken after the snapshot: what it showed is not told again": {
			[]connection{
				broken(snapshot(2, "caption_fetch")),
				streamOf(transition(3, "duration_check"), transition(4, "asr_running"), progress(4, 0.5), transition(5, "publishing"), completed(6)),
			},
			all, []string{"", "2"},
		},
		"refused for a while": {
			[]connection{
				refusing(503, "", "Retry-After", "0"), refusing(502, "<html>"), refusing(429, `{"error":"rate_limited"}`, "Retry-After", "0"),
				streamOf(snapshot(2, "caption_fetch"), completed(3)),
			},
			[]string{"job.snapshot 0/2 caption_fetch", "job.completed 3/3 done"}, []string{"", "", "", ""},
		},
		"the service repeats itself": {
			[]connection{
				broken(snapshot(2, "caption_fetch"), transition(3, "duration_check"), transition(4, "asr_queued")),
				streamOf(transition(2, "caption_fetch"), transition(3, "duration_check"), transition(5, "asr_running"), completed(6)),
			},
			[]string{"job.snapshot 0/2 caption_fetch", "job.progress 3/3 duration_check", "job.progress 4/4 asr_queued",
				"job.progress 5/5 asr_running", "job.completed 6/6 done"}, []string{"", "4"},
		},
		"cut off in the middle of an event": {
			[]connection{
				streamOf(snapshot(2, "caption_fetch"), transition(3, "duration_check")[:60]),
				streamOf(transition(3, "duration_check"), completed(4)),
			},
			[]string{"job.snapshot 0/2 caption_fetch", "job.progress 3/3 duration_check", "job.completed 4/4 done"}, []string{"", "2"},
		},
		"already ended": {
			[]connection{
				broken(block(0, "job.snapshot", jobBody("failed", "duration_check", 4))),
				streamOf(block(0, "job.snapshot", jobBody("failed", "duration_check", 4)), block(4, "job.failed", jobBody("failed", "duration_check", 4))),
			},
			[]string{"job.snapshot 0/4 duration_check", "job.failed 4/4 duration_check"}, []string{"", ""},
		},
		"cancelled": {
			[]connection{streamOf(snapshot(2, "asr_running"), block(3, "job.cancelled", jobBody("cancelled", "asr_running", 3)), "garbage\n\n", completed(4))},
			[]string{"job.snapshot 0/2 asr_running", "job.cancelled 3/3 asr_running"}, []string{""},
		},
		"events and fields of a later version": {
			[]connection{streamOf(snapshot(2, "asr_running"), block(0, "job.party", object{"x": 1}), block(0, "job.progress", object{
				"jobId": jobID, "status": "dancing", "stage": "asr_running", "sequence": 2, "attempt": 1, "new": true}), completed(3))},
			[]string{"job.snapshot 0/2 asr_running", "job.progress 0/2 asr_running", "job.completed 3/3 done"}, []string{""},
		},
		"a large event": {
			[]connection{streamOf(block(0, "job.snapshot", jobBody("processing", "asr_running", 2, object{"big": big})), completed(3))},
			[]string{"job.snapshot 0/2 asr_running", "job.completed 3/3 done"}, []string{""},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := &eventServer{next: tc.connections}
			events, err := watch(t.Context(), served(t, srv.ServeHTTP))
			require.NoError(t, err)
			assert.Equal(t, tc.events, events)
			assert.Equal(t, tc.resumed, srv.seen())
		})
	}
}

func TestEventsErrors(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		connections []connection
		opts        []client.RequestOption
		check       func(*testing.T, error)
		calls       int
	}{
		"unknown job": {
			[]connection{refusing(404, `{"error":{"code":"NOT_FOUND","message":"m"}}`)}, nil,
			func(t *testing.T, err error) { require.ErrorIs(t, err, transcript.NotFound) }, 1,
		},
		"no credential": {
			[]connection{refusing(401, `{"error":"unauthorized"}`)}, nil,
			func(t *testing.T, err error) { require.ErrorContains(t, err, "401 UNAUTHORIZED") }, 1,
		},
		"crash": {
			[]connection{refusing(500, `{"error":"internal_error"}`)}, nil,
			func(t *testing.T, err error) { require.ErrorIs(t, err, transcript.Internal) }, 1,
		},
		"not a stream": {
			[]connection{refusing(200, "<html>login</html>", "Content-Type", "text/html")}, nil,
			func(t *testing.T, err error) {
				var e *client.Error
				require.ErrorAs(t, err, &e)
				assert.Equal(t, "<html>login</html>", string(e.Body))
			}, 1,
		},
		"an event that cannot be read": {
			[]connection{streamOf(block(0, "job.snapshot", object{"jobId": 5}), snapshot(2, "queued"))}, nil,
			func(t *testing.T, err error) { require.ErrorContains(t, err, "job.snapshot") }, 1,
		},
		"an event of another job": {
			[]connection{streamOf(ofAnotherJob(), snapshot(2, "queued"))}, nil,
			func(t *testing.T, err error) { require.ErrorContains(t, err, "another job") }, 1,
		},
		"an event beyond all bounds": {
			[]connection{streamOf(block(0, "job.snapshot", object{"x": strings.Repeat("x", 5<<20)}))}, nil,
			func(t *testing.T, err error) { require.ErrorContains(t, err, "larger than") }, 1,
		},
		"ended, with repetition off": {
			[]connection{streamOf(snapshot(2, "queued"))}, []client.RequestOption{client.WithRetry(client.NoRetry)},
			func(t *testing.T, err error) { require.ErrorIs(t, err, io.ErrUnexpectedEOF) }, 1,
		},
		"nothing ever comes": {
			[]connection{broken("")}, nil,
			func(t *testing.T, err error) { require.ErrorIs(t, err, io.ErrUnexpectedEOF) }, 10,
		},
		"asked to wait for longer than the cap": {
			[]connection{refusing(429, `{"error":"rate_limited"}`, "Retry-After", "6")}, nil,
			func(t *testing.T, err error) { require.ErrorIs(t, err, transcript.RateLimited) }, 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := &eventServer{next: tc.connections}
			_, err := watch(t.Context(), served(t, srv.ServeHTTP), tc.opts...)
			require.Error(t, err)
			tc.check(t, err)
			assert.Len(t, srv.seen(), tc.calls)
		})
	}
}

// ofAnotherJob is the end of a job that nobody asked for.
func ofAnotherJob() string {
	body := jobBody("cancelled", "asr_running", 9, nil)
	body["jobId"] = "019321a0-7c11-7c3e-9a55-2f6d1f0c9b99"
	return block(9, "job.cancelled", body)
}

// TestEventsErrorOnce: the error ends the sequence, also for a loop that goes on.
func TestEventsErrorOnce(t *testing.T) {
	t.Parallel()
	srv := &eventServer{next: []connection{refusing(404, "")}}
	c := served(t, srv.ServeHTTP)
	sequence := c.Jobs.Events(t.Context(), jobID)
	assert.Empty(t, srv.seen(), "nothing is sent before the range")
	for range 2 { // each range starts anew
		n := 0
		for e, err := range sequence {
			n++
			assert.Zero(t, e)
			assert.Error(t, err)
		}
		assert.Equal(t, 1, n)
	}
	assert.Len(t, srv.seen(), 2)
	for _, err := range c.Jobs.Events(t.Context(), "") {
		require.ErrorContains(t, err, "empty job id")
	}
}

// TestEventsResumedByTheCaller: another process goes on where one left off.
func TestEventsResumedByTheCaller(t *testing.T) {
	t.Parallel()
	srv := &eventServer{next: []connection{streamOf(transition(4, "asr_running"), completed(5)), refusing(204, "")}}
	c := served(t, srv.ServeHTTP)
	events, err := watch(t.Context(), c, client.WithHeader("Last-Event-ID", "3"))
	require.NoError(t, err)
	assert.Equal(t, []string{"job.progress 4/4 asr_running", "job.completed 5/5 done"}, events)
	events, err = watch(t.Context(), c, client.WithHeader("Last-Event-ID", "5"))
	require.NoError(t, err)
	assert.Empty(t, events)
	assert.Equal(t, []string{"3", "5"}, srv.seen())
}

func TestEventsClosingAnnounced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, mt := mocked(t)
		var at []time.Time
		bodies := []string{
			snapshot(2, "asr_running") + block(0, "stream.closing", object{"reason": "shutdown", "retryMs": 2000}),
			"retry: 3000\n\n" + block(0, "stream.closing", object{"reason": "max_age", "retryMs": 1000}),
			completed(3),
		}
		mt.RegisterResponder("GET", jobURL+"/events", func(*http.Request) (*http.Response, error) {
			at = append(at, time.Now())
			resp := httpmock.NewStringResponse(200, bodies[min(len(at), len(bodies))-1])
			resp.Header.Set("Content-Type", "text/event-stream; charset=utf-8")
			return resp, nil
		})
		events, err := watch(t.Context(), c)
		require.NoError(t, err)
		assert.Equal(t, []string{"job.snapshot 0/2 asr_running", "job.completed 3/3 done"}, events, "the announcement is not an event of the job")
		require.Len(t, at, 3)
		assert.Equal(t, 2*time.Second, at[1].Sub(at[0]))
		assert.Equal(t, time.Second, at[2].Sub(at[1]))
	})
}

// TestEventsWithoutProgress: a stream that closes right after what it has said before is
// not followed for good, however it closes; and each equal snapshot is told once.
func TestEventsWithoutProgress(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"a snapshot":             snapshot(2, "asr_running"),
		"a closing":              snapshot(2, "asr_running") + block(0, "stream.closing", object{"reason": "shutdown", "retryMs": 1}),
		"equal progress":         snapshot(2, "asr_running") + progress(2, 0.5),
		"an end that is missing": block(0, "job.snapshot", jobBody("failed", "asr_running", 2)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var at []time.Time
				c, err := client.New(base, client.WithHTTPClient(&http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
					at = append(at, time.Now())
					resp := httpmock.NewStringResponse(200, body)
					resp.Header.Set("Content-Type", "text/event-stream")
					return resp, nil
				})}))
				require.NoError(t, err)
				events, err := watch(t.Context(), c)
				require.Error(t, err)
				snapshots := 0
				for _, e := range events {
					if strings.HasPrefix(e, "job.snapshot") {
						snapshots++
					}
				}
				assert.Equal(t, 1, snapshots, "%v", events)
				require.Len(t, at, 10)
				assert.Greater(t, at[9].Sub(at[8]), 10*at[1].Sub(at[0]), "pauses grow")
			})
		})
	}
}

// TestEventsOfAJobThatWaits: a connection that stands for a minute has not failed, also
// when there is nothing to tell.
func TestEventsOfAJobThatWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		connections := 0
		c, err := client.New(base, client.WithHTTPClient(&http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			connections++
			resp := httpmock.NewStringResponse(200, "")
			resp.Header.Set("Content-Type", "text/event-stream")
			said := []io.Reader{strings.NewReader(snapshot(2, "queued"))}
			for range 5 {
				said = append(said, &late{strings.NewReader(ping), r.Context(), time.NewTimer(0)})
			}
			if connections == 30 {
				said = []io.Reader{strings.NewReader(completed(3))}
			}
			resp.Body = io.NopCloser(&paced{io.MultiReader(said...), time.NewTicker(15 * time.Second)})
			return resp, nil
		})}))
		require.NoError(t, err)
		events, err := watch(t.Context(), c)
		require.NoError(t, err)
		assert.Equal(t, []string{"job.snapshot 0/2 queued", "job.completed 3/3 done"}, events)
		assert.Equal(t, 30, connections)
	})
}

// paced is a body that brings something at each tick.
type paced struct {
	io.Reader
	tick *time.Ticker
}

func (p *paced) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	<-p.tick.C
	return n, err
}

// TestEventsWithinADeadline: the error is the context's, and comes when that ends.
func TestEventsWithinADeadline(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func() (*http.Response, error){
		"breaks":  func() (*http.Response, error) { return nil, errBroken },
		"refuses": func() (*http.Response, error) { return nil, errRefused },
		"closes": func() (*http.Response, error) {
			resp := httpmock.NewStringResponse(200, snapshot(2, "asr_running"))
			resp.Header.Set("Content-Type", "text/event-stream")
			return resp, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c, err := client.New(base, client.WithHTTPClient(&http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) { return answer() })}))
				require.NoError(t, err)
				began := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
				defer cancel()
				_, err = watch(ctx, c)
				require.ErrorIs(t, err, context.DeadlineExceeded)
				assert.Equal(t, 15*time.Second, time.Since(began))
			})
		})
	}
}

// TestEventsAfterAByteOrderMark: some programs put one before each text.
func TestEventsAfterAByteOrderMark(t *testing.T) {
	t.Parallel()
	marked := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "\uFEFF"+snapshot(2, "queued")+completed(3))
	}
	refused := refusing(404, "\uFEFF"+`{"error": {"code": "NOT_FOUND", "message": "No such job."}}`)
	srv := &eventServer{next: []connection{marked, refused}}
	c := served(t, srv.ServeHTTP)
	events, err := watch(t.Context(), c)
	require.NoError(t, err)
	assert.Equal(t, []string{"job.snapshot 0/2 queued", "job.completed 3/3 done"}, events)
	_, err = watch(t.Context(), c)
	require.ErrorIs(t, err, transcript.NotFound)
	_, err = c.Jobs.Get(t.Context(), jobID)
	require.ErrorIs(t, err, transcript.NotFound)
	require.ErrorContains(t, err, "No such job.")
}

// A key that is revoked while a stream is open ends the sequence, with the error
// that the next call would get: it is not connected again.
func TestEventsEndWithTheKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, mt := mocked(t)
		connections := 0
		mt.RegisterResponder("GET", jobURL+"/events", func(*http.Request) (*http.Response, error) {
			connections++
			resp := httpmock.NewStringResponse(200, snapshot(2, "asr_running")+block(0, "stream.closing", object{"reason": "unauthorized"}))
			resp.Header.Set("Content-Type", "text/event-stream")
			resp.Header.Set("X-Request-Id", "r_1")
			return resp, nil
		})
		events, err := watch(t.Context(), c)
		var refused *client.Error
		require.ErrorAs(t, err, &refused)
		assert.Equal(t, http.StatusUnauthorized, refused.Response.StatusCode)
		assert.Equal(t, "unauthorized", refused.Slug)
		assert.False(t, refused.Retryable())
		assert.Regexp(t, `^GET /v1/transcript/job/.*/events: 401 UNAUTHORIZED: the key is no longer good.* \(request r_1\)$`, err.Error())
		assert.Equal(t, []string{"job.snapshot 0/2 asr_running"}, events)
		assert.Equal(t, 1, connections)
	})
}

// silent is a body that says something at first and then nothing until closed.
type silent struct {
	io.Reader
	ctx context.Context
}

func (s *silent) Read(p []byte) (int, error) {
	if n, err := s.Reader.Read(p); err == nil {
		return n, nil
	}
	<-s.ctx.Done() // as a transport does
	return 0, s.ctx.Err()
}

func (s *silent) Close() error { return nil }

// TestEventsSilence: a stream without heartbeats is broken; one whose consumer
// takes its time is not.
func TestEventsSilence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var at []time.Time
		c, err := client.New(base, client.WithRetry(quick), client.WithHTTPClient(&http.Client{
			Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				at = append(at, time.Now())
				resp := httpmock.NewStringResponse(200, "")
				resp.Header.Set("Content-Type", "text/event-stream")
				resp.Body = io.NopCloser(strings.NewReader(completed(3)))
				if len(at) == 1 {
					resp.Body = &silent{strings.NewReader(snapshot(2, "asr_running")), r.Context()}
				}
				return resp, nil
			})}))
		require.NoError(t, err)
		var events []string
		var left time.Time
		for e, err := range c.Jobs.Events(t.Context(), jobID) {
			require.NoError(t, err)
			events = append(events, told(e))
			if len(events) == 1 {
				time.Sleep(10 * time.Second) // of the bubble's clock
				left = time.Now()
			}
		}
		assert.Equal(t, []string{"job.snapshot 0/2 asr_running", "job.completed 3/3 done"}, events)
		require.Len(t, at, 2)
		assert.GreaterOrEqual(t, at[1].Sub(at[0]), 20*time.Second)
		assert.LessOrEqual(t, at[1].Sub(left), 21*time.Second)
	})
}

// streaming is a client whose service streams bodies, one per connection.
func streaming(t *testing.T, h *http.Client, bodies ...func(context.Context) io.Reader) (*client.Client, *int) {
	t.Helper()
	connections := 0
	h.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
		connections++
		resp := httpmock.NewStringResponse(200, "")
		resp.Header.Set("Content-Type", "text/event-stream")
		resp.Body = io.NopCloser(bodies[min(connections, len(bodies))-1](r.Context()))
		return resp, nil
	})
	c, err := client.New(base, client.WithRetry(quick), client.WithHTTPClient(h))
	require.NoError(t, err)
	return c, &connections
}

// TestEventsSlowConsumer: time that the consumer takes is no silence.
func TestEventsSlowConsumer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		all := snapshot(2, "asr_running") + progress(2, 0.1) + progress(2, 0.2) + progress(2, 0.3) + completed(3)
		c, connections := streaming(t, &http.Client{}, func(context.Context) io.Reader { return strings.NewReader(all) })
		n := 0
		for _, err := range c.Jobs.Events(t.Context(), jobID) {
			require.NoError(t, err)
			n++
			time.Sleep(time.Hour) // of the bubble's clock
		}
		assert.Equal(t, 5, n)
		assert.Equal(t, 1, *connections)
	})
}

// late is a body that comes after a while, unless its request ends before.
type late struct {
	io.Reader
	ctx   context.Context
	after *time.Timer
}

func (l *late) Read(p []byte) (int, error) {
	select {
	case <-l.ctx.Done():
		return 0, l.ctx.Err()
	case <-l.after.C:
		l.after.Reset(0)
		return l.Reader.Read(p)
	}
}

// TestEventsWithoutTimeout: a stream outlives the timeouts of other requests.
func TestEventsWithoutTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, connections := streaming(t, &http.Client{Timeout: 10 * time.Second}, func(ctx context.Context) io.Reader {
			return &late{strings.NewReader(completed(3)), ctx, time.NewTimer(15 * time.Second)}
		})
		events, err := watch(t.Context(), c, client.WithAttemptTimeout(5*time.Second))
		require.NoError(t, err)
		assert.Equal(t, []string{"job.completed 3/3 done"}, events)
		assert.Equal(t, 1, *connections)
	})
}

// TestEventsThroughAnUnsteadyConnection: what brings something may break any
// number of times.
func TestEventsThroughAnUnsteadyConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var bodies []func(context.Context) io.Reader
		for i := range 30 {
			bodies = append(bodies, func(context.Context) io.Reader { return strings.NewReader(transition(i+2, "asr_running")) })
		}
		bodies = append(bodies, func(context.Context) io.Reader { return strings.NewReader(completed(32)) })
		c, connections := streaming(t, &http.Client{}, bodies...)
		events, err := watch(t.Context(), c)
		require.NoError(t, err)
		assert.Len(t, events, 31)
		assert.Equal(t, 31, *connections)
	})
}

func TestEventsEndWithTheContext(t *testing.T) {
	t.Parallel()
	srv := &eventServer{next: []connection{hanging(snapshot(2, "queued"))}}
	c := served(t, srv.ServeHTTP)
	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancelCause(t.Context())
		errQuit := errors.New("the user left")
		defer cancel(nil)
		var got error
		for _, err := range c.Jobs.Events(ctx, jobID) {
			got = err
			cancel(errQuit)
		}
		require.ErrorIs(t, got, context.Canceled)
		require.ErrorIs(t, got, errQuit)
	})
	t.Run("deadline", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, err := watch(ctx, c)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

// TestEventsLeavingReleases: nothing of a connection outlives the loop, however
// it is left.
func TestEventsLeavingReleases(t *testing.T) {
	many := make([]string, 200)
	for i := range many {
		many[i] = progress(2, 0.5)
	}
	srv := &eventServer{next: []connection{hanging(append([]string{snapshot(2, "asr_running")}, many...)...)}}
	c := served(t, srv.ServeHTTP)
	before := goleak.IgnoreCurrent()
	for range 20 {
		n := 0
		for _, err := range c.Jobs.Events(t.Context(), jobID) {
			require.NoError(t, err)
			if n++; n == 3 {
				break
			}
		}
		assert.Equal(t, 3, n)
		assert.PanicsWithValue(t, "in the loop", func() {
			for range c.Jobs.Events(t.Context(), jobID) {
				panic("in the loop")
			}
		})
	}
	goleak.VerifyNone(t, before, goleak.IgnoreTopFunction("internal/poll.runtime_pollWait"))
	assert.Len(t, srv.seen(), 40)
}
