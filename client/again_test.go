package client_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jarcoal/httpmock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
)

var errRefused = &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}

// answering is a client, with the default policy, of a service that answers request
// after request with what answer returns for its number.
func answering(t *testing.T, answer func(n int) (*http.Response, error), opts ...client.Option) (*client.Client, *int) {
	t.Helper()
	requests := new(int)
	c, err := client.New(base, append([]client.Option{client.WithHTTPClient(&http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
		*requests++
		return answer(*requests)
	})})}, opts...)...)
	require.NoError(t, err)
	return c, requests
}

func inProgress(after string) *http.Response {
	resp := httpmock.NewStringResponse(http.StatusConflict, `{"error": {"code": "IDEMPOTENCY_IN_PROGRESS", "message": "The first request still runs."}}`)
	resp.Header.Set("Retry-After", after)
	return resp
}

func fine() *http.Response { return httpmock.NewStringResponse(http.StatusOK, "{}") }

// TestKeyInHand is a service that still has an earlier attempt in hand, for a minute.
func TestKeyInHand(t *testing.T) {
	t.Parallel()
	own := client.WithIdempotencyKey("mine")
	for name, tc := range map[string]struct {
		opts     []client.RequestOption
		breaks   bool // the first connection
		requests int
		ok       bool
	}{
		"a key of the client's":                          {nil, false, 8, true},
		"of the caller's, after a connection that broke": {[]client.RequestOption{own}, true, 8, true},
		"of the caller's, which another call may have":   {[]client.RequestOption{own}, false, 4, false},
		"a caller who wants no repetition":               {[]client.RequestOption{client.WithRetry(client.NoRetry)}, false, 1, false},
		"a caller who waits no longer than five seconds": {[]client.RequestOption{client.WithRetry(client.RetryPolicy{MaxWait: 5 * time.Second})}, false, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				c, requests := answering(t, func(n int) (*http.Response, error) {
					switch {
					case n == 1 && tc.breaks:
						return nil, errBroken
					case n < 8:
						return inProgress("10"), nil
					}
					return fine(), nil
				})
				err := c.Do(t.Context(), http.MethodPost, "/v1/x", nil, nil, tc.opts...)
				assert.Equal(t, tc.requests, *requests)
				if tc.ok {
					require.NoError(t, err)
					assert.Greater(t, time.Since(began), time.Minute)
				} else {
					require.ErrorIs(t, err, transcript.IdempotencyInProgress)
				}
			})
		})
	}
}

// TestKeyInHandUntilTheDeadline: only the caller's context bounds the wait.
func TestKeyInHandUntilTheDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, requests := answering(t, func(int) (*http.Response, error) { return inProgress("10"), nil })
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.ErrorIs(t, c.Do(ctx, http.MethodPost, "/v1/x", nil, nil), transcript.IdempotencyInProgress)
		assert.InDelta(t, 6, *requests, 1)
	})
}

// TestServiceIsRestarted is a service that takes no connections for some time.
func TestServiceIsRestarted(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		before func() (*http.Response, error) // the first answer of the service; nil: it never was there
		away   time.Duration
		ok     bool
	}{
		"in the middle of an attempt, for 12 s": {func() (*http.Response, error) { return nil, errBroken }, 12 * time.Second, true},
		"between two calls, for 12 s":           {func() (*http.Response, error) { return fine(), nil }, 12 * time.Second, true},
		"for 29 s":                              {func() (*http.Response, error) { return fine(), nil }, 29 * time.Second, true},
		"for good":                              {func() (*http.Response, error) { return fine(), nil }, time.Hour, false},
		"never there":                           {nil, 12 * time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				c, requests := answering(t, func(n int) (*http.Response, error) {
					switch {
					case n == 1 && tc.before != nil:
						return tc.before()
					case time.Since(began) < tc.away:
						return nil, errRefused
					}
					return fine(), nil
				})
				err := c.Do(t.Context(), http.MethodPost, "/v1/x", nil, nil)
				if err == nil && *requests == 1 {
					err = c.Do(t.Context(), http.MethodPost, "/v1/x", nil, nil)
				}
				took := time.Since(began)
				switch {
				case tc.ok:
					require.NoError(t, err)
					assert.GreaterOrEqual(t, took, tc.away)
				case tc.before == nil:
					require.ErrorIs(t, err, errRefused)
					assert.Equal(t, 4, *requests)
					assert.Less(t, took, 5*time.Second, "nobody may be there at all")
				default:
					require.ErrorIs(t, err, errRefused)
					assert.InDelta(t, 30, took.Seconds(), 0.1)
				}
			})
		})
	}
}

// TestRestartsOneAfterTheOther: after each, pauses are short again.
func TestRestartsOneAfterTheOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broken, until := 0, time.Now()
		var last time.Time
		c, requests := answering(t, func(int) (*http.Response, error) {
			if now := time.Now(); until.Sub(last) == 12*time.Second { // the one before broke off
				assert.LessOrEqual(t, now.Sub(last), 2*time.Second)
			}
			last = time.Now()
			switch {
			case time.Now().Before(until):
				return nil, errRefused
			case broken < 3: // and killed again
				broken, until = broken+1, time.Now().Add(12*time.Second)
				return nil, errBroken
			}
			return fine(), nil
		})
		require.NoError(t, c.Do(t.Context(), http.MethodPost, "/v1/x", nil, nil))
		assert.Less(t, *requests, 30)
	})
}

// TestNothingWasSentToWhoRefuses: a 404 after a refused connection is not the answer to
// a DELETE whose success was not seen.
func TestNothingWasSentToWhoRefuses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, _ := answering(t, func(n int) (*http.Response, error) {
			if n == 1 {
				return nil, errRefused
			}
			return httpmock.NewStringResponse(http.StatusNotFound, ""), nil
		})
		require.Error(t, c.Do(t.Context(), http.MethodDelete, "/v1/x", nil, nil))
	})
}
