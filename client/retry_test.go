package client_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jarcoal/httpmock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
)

var errBroken = &net.OpError{Op: "read", Err: errors.New("connection reset")}

// step is one answer of a scripted service.
type step struct {
	status int // 0: the connection breaks
	after  string
	body   any
}

// script answers request after request, the last step again and again, and
// notes when they came.
func script(at *[]time.Time, steps ...step) httpmock.Responder {
	var n atomic.Int32
	var mu sync.Mutex // a request that was given up may still be there
	return func(*http.Request) (*http.Response, error) {
		if at != nil {
			mu.Lock()
			*at = append(*at, time.Now())
			mu.Unlock()
		}
		s := steps[min(int(n.Add(1)), len(steps))-1]
		if s.status == 0 {
			return nil, errBroken
		}
		resp, err := httpmock.NewJsonResponse(s.status, s.body)
		if s.after != "" {
			resp.Header.Set("Retry-After", s.after)
		}
		return resp, err
	}
}

func TestRepetition(t *testing.T) {
	t.Parallel()
	ok := step{status: 200, body: object{}}
	coded := func(status int, code transcript.Code) step {
		return step{status: status, body: object{"error": object{"code": code, "message": "m"}}}
	}
	for name, tc := range map[string]struct {
		method string
		steps  []step
		calls  int
		ok     bool
	}{
		"429 then fine":             {"GET", []step{{status: 429, body: object{"error": "rate_limited"}}, ok}, 2, true},
		"always 429":                {"POST", []step{{status: 429}}, 4, false},
		"502 after POST":            {"POST", []step{{status: 502}, ok}, 2, true},
		"502 on an unsafe method":   {"PATCH", []step{{status: 502}, ok}, 1, false},
		"away for a moment":         {"POST", []step{{status: 503, after: "0", body: object{"error": object{"code": transcript.ServiceUnavailable, "retryAfter": 2}}}, ok}, 2, true},
		"idempotency in progress":   {"POST", []step{coded(409, transcript.IdempotencyInProgress), ok}, 2, true},
		"broken twice":              {"POST", []step{{}, {}, ok}, 3, true},
		"always broken":             {"GET", []step{{}}, 4, false},
		"broken, unsafe":            {"PATCH", []step{{}, ok}, 1, false},
		"deleted, answer lost":      {"DELETE", []step{{}, coded(404, transcript.NotFound)}, 2, true},
		"delete of what is not":     {"DELETE", []step{coded(404, transcript.NotFound)}, 1, false},
		"deleted, refused at first": {"DELETE", []step{{status: 429}, coded(404, transcript.NotFound)}, 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, mt := mocked(t)
			keys := map[string]bool{}
			answer := script(nil, tc.steps...)
			mt.RegisterResponder(tc.method, base+"/v1/x", func(r *http.Request) (*http.Response, error) {
				keys[r.Header.Get("Idempotency-Key")] = true
				return answer(r)
			})
			var resp client.Response
			err := c.Do(t.Context(), tc.method, "/v1/x?q=1", nil, nil, client.WithResponse(&resp))
			assert.Equal(t, tc.ok, err == nil, "%v", err)
			assert.Equal(t, tc.calls, mt.GetTotalCallCount())
			assert.Len(t, keys, 1, "one key for all attempts")
			assert.Equal(t, tc.method != http.MethodPost, keys[""], "a key on POST only")
			if tc.ok {
				assert.Equal(t, tc.calls, resp.Attempts)
			}
		})
	}
}

func TestIdempotencyKeys(t *testing.T) {
	t.Parallel()
	c, mt := mocked(t)
	var keys []string
	mt.RegisterResponder("POST", base+"/v1/x", func(r *http.Request) (*http.Response, error) {
		keys = append(keys, r.Header.Get("Idempotency-Key"))
		return httpmock.NewStringResponse(204, ""), nil
	})
	require.NoError(t, c.Do(t.Context(), "POST", "/v1/x", nil, nil))
	require.NoError(t, c.Do(t.Context(), "POST", "/v1/x", nil, nil))
	require.NoError(t, c.Do(t.Context(), "POST", "/v1/x", nil, nil, client.WithIdempotencyKey("mine")))
	assert.NotEqual(t, keys[0], keys[1], "each call its own")
	assert.GreaterOrEqual(t, len(keys[0]), 20)
	assert.Equal(t, "mine", keys[2])
}

func TestPauses(t *testing.T) {
	t.Parallel()
	policy := client.WithRetry(client.RetryPolicy{Attempts: 5, MinWait: time.Second, MaxWait: 3 * time.Second})
	t.Run("grow, bounded and jittered", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			c, mt := mocked(t, policy)
			var at []time.Time
			mt.RegisterResponder("GET", jobURL, script(&at, step{status: 502}))
			_, err := c.Jobs.Get(t.Context(), jobID)
			require.Error(t, err)
			require.Len(t, at, 5)
			for i, most := range []time.Duration{1 * time.Second, 2 * time.Second, 3 * time.Second, 3 * time.Second} {
				pause := at[i+1].Sub(at[i])
				assert.LessOrEqual(t, pause, most)
				assert.GreaterOrEqual(t, pause, most/2)
			}
		})
	})
	// Many clients that were turned away together do not come back together.
	for name, refusal := range map[string]step{"after a fault": {status: 502}, "as they were told": {status: 429, after: "3"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				pauses := map[time.Duration]bool{}
				for range 5 {
					c, mt := mocked(t, policy)
					var at []time.Time
					mt.RegisterResponder("GET", jobURL, script(&at, refusal, step{status: 200, body: jobBody("pending", "queued", 1)}))
					_, err := c.Jobs.Get(t.Context(), jobID)
					require.NoError(t, err)
					pauses[at[1].Sub(at[0])] = true
				}
				assert.Greater(t, len(pauses), 1)
			})
		})
	}
	for name, after := range map[string]func() string{
		"seconds": func() string { return "3" },
		"date":    func() string { return time.Now().Add(3 * time.Second).UTC().Format(http.TimeFormat) },
	} {
		t.Run("Retry-After as "+name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c, mt := mocked(t, policy)
				var at []time.Time
				mt.RegisterResponder("GET", jobURL, script(&at,
					step{status: 429, after: after()}, step{status: 200, body: jobBody("pending", "queued", 1)}))
				_, err := c.Jobs.Get(t.Context(), jobID)
				require.NoError(t, err)
				pause := at[1].Sub(at[0])
				assert.GreaterOrEqual(t, pause, 3*time.Second, "never earlier")
				assert.LessOrEqual(t, pause, 3500*time.Millisecond)
			})
		})
	}
}

// TestRetryAfterTooLong: what cannot be waited for is said at once.
func TestRetryAfterTooLong(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		after    string
		deadline time.Duration
	}{
		"beyond the deadline": {"4", 3 * time.Second},
		"beyond the cap":      {"31", time.Hour},
		"absurd":              {"99999999999999999999", time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c, mt := mocked(t, client.WithRetry(client.RetryPolicy{Attempts: 4}))
				mt.RegisterResponder("GET", jobURL, script(nil, step{status: 429, after: tc.after, body: object{"error": "rate_limited"}}))
				ctx, cancel := context.WithTimeout(t.Context(), tc.deadline)
				defer cancel()
				began := time.Now()
				_, err := c.Jobs.Get(ctx, jobID)
				assert.Zero(t, time.Since(began))
				require.ErrorIs(t, err, transcript.RateLimited)
				require.NotErrorIs(t, err, context.DeadlineExceeded)
				assert.Equal(t, 1, mt.GetTotalCallCount())
			})
		})
	}
}

func TestCancelledWhileWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, mt := mocked(t, client.WithRetry(client.RetryPolicy{Attempts: 4}))
		mt.RegisterResponder("GET", jobURL, script(nil, step{status: 429, after: "20", body: object{"error": "rate_limited"}}))
		ctx, cancel := context.WithCancelCause(t.Context())
		errQuit := errors.New("the user left")
		time.AfterFunc(time.Second, func() { cancel(errQuit) })
		began := time.Now()
		_, err := c.Jobs.Get(ctx, jobID)
		assert.Equal(t, time.Second, time.Since(began))
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, errQuit)
		require.ErrorIs(t, err, transcript.RateLimited, "what was being waited out is not lost")
	})
}

func TestCancelledBefore(t *testing.T) {
	t.Parallel()
	c, mt := mocked(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := c.Jobs.Get(ctx, jobID)
	require.ErrorIs(t, err, context.Canceled)
	assert.Zero(t, mt.GetTotalCallCount())
}

// Whatever a policy leaves out has its default.
func TestPartsOfAPolicy(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		policy      client.RetryPolicy
		attempts    int
		first, last time.Duration // the longest that these pauses may be; the shortest is half of it
	}{
		"nothing":   {client.RetryPolicy{}, 4, 500 * time.Millisecond, 2 * time.Second},
		"attempts":  {client.RetryPolicy{Attempts: 3}, 3, 500 * time.Millisecond, time.Second},
		"least":     {client.RetryPolicy{MinWait: time.Minute}, 4, time.Minute, time.Minute},
		"most":      {client.RetryPolicy{MaxWait: time.Second}, 4, 500 * time.Millisecond, time.Second},
		"most, low": {client.RetryPolicy{MaxWait: 10 * time.Millisecond}, 4, 10 * time.Millisecond, 10 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c, mt := mocked(t, client.WithRetry(tc.policy))
				var at []time.Time
				mt.RegisterResponder("GET", jobURL, script(&at, step{status: 502}))
				_, err := c.Jobs.Get(t.Context(), jobID)
				require.Error(t, err)
				require.Len(t, at, tc.attempts)
				for most, pause := range map[time.Duration]time.Duration{
					tc.first: at[1].Sub(at[0]), tc.last: at[tc.attempts-1].Sub(at[tc.attempts-2]),
				} {
					assert.LessOrEqual(t, pause, most)
					assert.GreaterOrEqual(t, pause, most/2-1) // a nanosecond for what is rounded
				}
			})
		})
	}
}

func TestRetryOff(t *testing.T) {
	t.Parallel()
	c, mt := mocked(t)
	mt.RegisterResponder("GET", jobURL, script(nil, step{status: 503}))
	_, err := c.Jobs.Get(t.Context(), jobID, client.WithRetry(client.NoRetry))
	require.Error(t, err)
	assert.Equal(t, 1, mt.GetTotalCallCount())
}

// TestAnswerThatBreaksOff: a body that ends early is a broken connection.
func TestAnswerThatBreaksOff(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	c := served(t, func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1) == 1 {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, `{"jobId":`)
			panic(http.ErrAbortHandler)
		}
		writeJSON(w, 200, jobBody("pending", "queued", 1))
	})
	job, err := c.Jobs.Get(t.Context(), jobID)
	require.NoError(t, err)
	assert.Equal(t, jobID, job.JobID)
	assert.EqualValues(t, 2, calls.Load())
}

func TestAttemptTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, mt := mocked(t)
		var at []time.Time
		answers := script(&at, step{}, step{status: 200, body: jobBody("pending", "queued", 1)})
		mt.RegisterResponder("GET", jobURL, func(r *http.Request) (*http.Response, error) {
			resp, err := answers(r)
			if err != nil {
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			return resp, nil
		})
		_, err := c.Jobs.Get(t.Context(), jobID, client.WithAttemptTimeout(20*time.Second))
		require.NoError(t, err)
		require.Len(t, at, 2)
		assert.GreaterOrEqual(t, at[1].Sub(at[0]), 20*time.Second)
	})
}

// TestBadCertificate: what cannot pass is not repeated.
func TestBadCertificate(t *testing.T) {
	t.Parallel()
	srv := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(srv.Close)
	srv.Config.ErrorLog = nil
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	attempts := 0
	c, err := client.New(srv.URL, client.WithHTTPClient(&http.Client{Transport: transport}), client.WithRetry(quick),
		client.WithMiddleware(func(next http.RoundTripper) http.RoundTripper {
			return roundTrip(func(r *http.Request) (*http.Response, error) { attempts++; return next.RoundTrip(r) })
		}))
	require.NoError(t, err)
	_, err = c.Jobs.Get(t.Context(), jobID)
	require.ErrorContains(t, err, "certificate")
	assert.Equal(t, 1, attempts)
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestRateLimitHeaders: what the answer says beside its body reaches the caller,
// on success and on error.
func TestRateLimitHeaders(t *testing.T) {
	t.Parallel()
	for _, status := range []int{200, 404} {
		c, mt := mocked(t)
		mt.RegisterResponder("GET", jobURL, func(*http.Request) (*http.Response, error) {
			resp, err := httpmock.NewJsonResponse(status, jobBody("pending", "queued", 1))
			resp.Header.Set("X-RateLimit-Limit", "120")
			resp.Header.Set("X-RateLimit-Remaining", "117")
			resp.Header.Set("X-RateLimit-Reset", strconv.Itoa(1795226640))
			resp.Header.Set("X-Request-Id", "r_9")
			return resp, err
		})
		var resp client.Response
		_, err := c.Jobs.Get(t.Context(), jobID, client.WithResponse(&resp))
		assert.Equal(t, status == 200, err == nil)
		assert.Equal(t, client.RateLimit{RateWindow: client.RateWindow{Limit: 120, Remaining: 117, Reset: time.Unix(1795226640, 0)}}, resp.RateLimit)
		assert.Equal(t, "r_9", resp.RequestID)
		assert.Equal(t, status, resp.StatusCode)
		assert.Equal(t, 1, resp.Attempts)
	}
}
