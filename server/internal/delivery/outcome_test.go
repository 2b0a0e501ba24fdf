package delivery_test

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/library/webhook"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/delivery"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
)

// attempted waits until a delivery has had n attempts, and returns it.
func (v *service) attempted(t *testing.T, endpoint string, n int) (d webhook.Delivery) {
	t.Helper()
	eventually(t, func(c *assert.CollectT) {
		d = v.deliveries(t, acme, endpoint)[0]
		assert.Equal(c, n, d.Attempts)
	})
	return d
}

// sched is the schedule of the attempts at a delivery.
var sched = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// A delivery has ten attempts by the schedule, all with one id, and fails then.
func TestSchedule(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		v, r := start(t, s), newReceiver(t, says(http.StatusInternalServerError))
		e := v.endpoint(t, acme, r.URL)
		v.end(t, acme, "job", "")
		for n, pause := range sched {
			d := v.attempted(t, e.Webhook.ID, n+1)
			require.Equal(t, webhook.Pending, d.Status)
			require.Equal(t, 500, *d.LastStatus)
			now, err := v.clock.now(t.Context())
			require.NoError(t, err)
			left := d.NextAt.Sub(now)
			require.Greater(t, left, pause-time.Minute, "attempt %d", n+1) // a minute for a slow machine
			require.Less(t, left, pause+pause/10, "attempt %d", n+1)
			require.Len(t, r.all(), n+1, "no attempt is early")
			v.clock.move(left)
		}
		d := v.attempted(t, e.Webhook.ID, len(sched)+1)
		assert.Equal(t, webhook.Failed, d.Status)
		assert.Nil(t, d.NextAt)
		assert.Equal(t, "The receiver answered 500.", *d.LastError)
		for _, g := range r.all() {
			assert.Equal(t, d.ID, g.header.Get("Webhook-Id"))
			assert.NotContains(t, d.ID, ".")
			assert.Equal(t, r.all()[0].body, g.body)
		}
		now, err := s.Now(t.Context())
		require.NoError(t, err)
		at, err := strconv.ParseInt(r.all()[len(sched)].header.Get("Webhook-Timestamp"), 10, 64)
		require.NoError(t, err)
		assert.Greater(t, time.Unix(at, 0).Sub(now), 72*time.Hour, "the time is that of the attempt")
	})
}

// Each answer outside 2xx is a failure with its reason, and nothing else is asked for.
func TestReasons(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		never := newReceiver(t, nil)
		v := start(t, s, func(c *delivery.Config) { c.Timeout = 2 * time.Second })
		for name, tc := range map[string]struct {
			answer func(http.ResponseWriter, *http.Request, int)
			want   string
			status int
		}{
			"redirect": {func(w http.ResponseWriter, r *http.Request, _ int) {
				http.Redirect(w, r, never.URL, http.StatusTemporaryRedirect)
			}, "The receiver answered 307. The service follows no redirects.", 307},
			"text": {func(w http.ResponseWriter, _ *http.Request, _ int) {
				w.WriteHeader(http.StatusBadRequest)
				_, _ = w.Write([]byte("no\x1b[31m such\nuser" + strings.Repeat("x", 100_000))) // the sender may read less
			}, "The receiver answered 400. It said: no", 400},
			"silence": {func(_ http.ResponseWriter, r *http.Request, _ int) { <-r.Context().Done() }, "The receiver did not answer within 2s.", 0},
			"cut":     {func(w http.ResponseWriter, _ *http.Request, _ int) { panic(http.ErrAbortHandler) }, "The connection to the receiver failed.", 0},
		} {
			r := newReceiver(t, tc.answer)
			e := v.endpoint(t, "of "+name, r.URL)
			_, err := v.Test(t.Context(), "of "+name, e.Webhook.ID, nil)
			require.NoError(t, err)
			eventually(t, func(c *assert.CollectT) {
				d := v.deliveries(t, "of "+name, e.Webhook.ID)[0]
				if assert.NotZero(c, d.Attempts) {
					assert.Contains(c, *d.LastError, tc.want)
					assert.Less(c, len(*d.LastError), 300)
					assert.NotContains(c, *d.LastError, "\x1b")
					if tc.status == 0 {
						assert.Nil(c, d.LastStatus)
					} else {
						assert.Equal(c, tc.status, *d.LastStatus)
					}
				}
			})
		}
		assert.Empty(t, never.all())
		assert.NotContains(t, v.log.String(), "such", "the log has no answers of receivers")
	})
}

// A receiver's Retry-After counts for all deliveries of the endpoint, a day at most.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		r := newReceiver(t, func(w http.ResponseWriter, _ *http.Request, n int) {
			if n < 3 {
				w.Header().Set("Retry-After", []string{"", "7200", "999999999"}[n])
				w.WriteHeader(http.StatusTooManyRequests)
			}
		})
		v := start(t, s)
		e := v.endpoint(t, acme, r.URL)
		v.end(t, acme, "first", "")
		d := v.attempted(t, e.Webhook.ID, 1)
		now, err := v.clock.now(t.Context())
		require.NoError(t, err)
		assert.InDelta(t, 7200, d.NextAt.Sub(now).Seconds(), 60)
		v.end(t, acme, "second", "")
		v.clock.move(time.Hour)
		v.end(t, acme, "third", "")
		eventually(t, func(c *assert.CollectT) { // steps look, and find that the receiver has asked for patience
			var steps int
			assert.NoError(c, s.SQL().Reader().NewRaw("SELECT step FROM webhook_endpoints WHERE id = ?", e.Webhook.ID).Scan(t.Context(), &steps))
			assert.Greater(c, steps, 4)
		})
		require.Len(t, r.all(), 1)
		v.clock.move(time.Hour)
		eventually(t, func(c *assert.CollectT) {
			attempts := 0
			for _, d := range v.deliveries(t, acme, e.Webhook.ID) {
				attempts += d.Attempts
			}
			assert.Equal(c, 2, attempts)
		})
		require.Len(t, r.all(), 2)
		v.clock.move(25 * time.Hour)
		eventually(t, func(c *assert.CollectT) {
			for _, d := range v.deliveries(t, acme, e.Webhook.ID) {
				assert.Equal(c, webhook.Delivered, d.Status)
			}
		})
	})
}

// An answer 410 switches the endpoint off at once. Its other deliveries fail, and those of later
// events too. When the account has switched it on again, it can have them sent.
func TestGone(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		v, r := prepare(s), newReceiver(t, says(http.StatusGone))
		e := v.endpoint(t, acme, r.URL)
		for _, job := range []string{"1", "2", "3"} {
			v.end(t, acme, job, "")
		}
		_, err := v.Change(t.Context(), acme, e.Webhook.ID, webhook.Change{Status: new(webhook.Active)})
		require.NoError(t, err)
		v.work(t)
		eventually(t, func(c *assert.CollectT) {
			for _, d := range v.deliveries(t, acme, e.Webhook.ID) {
				assert.Equal(c, webhook.Failed, d.Status)
			}
		})
		off, err := v.Get(t.Context(), acme, e.Webhook.ID)
		require.NoError(t, err)
		assert.Equal(t, webhook.Disabled, off.Status)
		assert.Equal(t, "The receiver answered 410: it wants no more events.", *off.DisabledReason)
		v.end(t, acme, "4", "")
		assert.Equal(t, "The webhook is disabled.", *v.deliveries(t, acme, e.Webhook.ID)[0].LastError)
		_, err = v.Test(t.Context(), acme, e.Webhook.ID, nil)
		assert.ErrorContains(t, err, "disabled")
		tried := len(r.all())

		r.mu.Lock()
		r.answer = nil
		r.mu.Unlock()
		on, err := v.Change(t.Context(), acme, e.Webhook.ID, webhook.Change{Status: new(webhook.Active)})
		require.NoError(t, err)
		assert.Nil(t, on.DisabledReason)
		resent, err := v.ResendRange(t.Context(), acme, e.Webhook.ID, webhook.Resend{Since: time.Now().Add(-time.Hour)}, nil)
		require.NoError(t, err)
		assert.Equal(t, 4, resent.Resent)
		eventually(t, func(c *assert.CollectT) {
			for _, d := range v.deliveries(t, acme, e.Webhook.ID) {
				assert.Equal(c, webhook.Delivered, d.Status)
				assert.Nil(c, d.LastError)
			}
		})
		assert.Len(t, r.all(), tried+4)
	})
}

// After five days of failure without a success the endpoint is switched off, and the account can
// see why. A success in between begins the five days again.
func TestSwitchedOff(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		v, r := start(t, s), newReceiver(t, func(w http.ResponseWriter, _ *http.Request, n int) {
			if n != 3 {
				w.WriteHeader(http.StatusInternalServerError)
			}
		})
		e := v.endpoint(t, acme, r.URL)
		for day := 0; ; day++ {
			before := len(r.all())
			v.end(t, acme, "job", "")
			var now *webhook.Endpoint
			eventually(t, func(c *assert.CollectT) {
				var err error
				now, err = v.Get(t.Context(), acme, e.Webhook.ID)
				require.NoError(c, err)
				assert.True(c, len(r.all()) > before || now.Status == webhook.Disabled)
			})
			if now.Status == webhook.Disabled {
				assert.Greater(t, day, 4)
				assert.Regexp(t, `^No delivery has succeeded for [5-8] days. The last of \d+ attempts failed: The receiver answered 500.$`, *now.DisabledReason)
				break
			}
			require.Less(t, day, 12)
			v.clock.move(24 * time.Hour)
		}
	})
}

// The guard judges each attempt, and the reason names no address.
func TestPrivateAddresses(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		guard, err := egress.New(egress.Config{})
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, guard.Close()) })
		r := newReceiver(t, nil)
		v := start(t, s, func(c *delivery.Config) { c.Client = guard.Client })
		e := v.endpoint(t, acme, r.URL)
		v.end(t, acme, "job", "")
		d := v.attempted(t, e.Webhook.ID, 1)
		assert.Equal(t, "The service sends nothing to this address: it is not public, or not on port 80 or 443.", *d.LastError)
		v.clock.move(6 * time.Second)
		v.attempted(t, e.Webhook.ID, 2)
		assert.Empty(t, r.all())
	})
}

// A service that stops counts no attempt that it breaks off.
func TestStopBreaksOff(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		asked := make(chan struct{}, 10)
		r := newReceiver(t, func(_ http.ResponseWriter, r *http.Request, n int) {
			asked <- struct{}{}
			if n == 1 {
				<-r.Context().Done()
			}
		})
		v := prepare(s)
		e := v.endpoint(t, acme, r.URL)
		v.end(t, acme, "job", "")
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- v.Sender.Work(ctx, queue.Row{}, delivery.Step{Endpoint: e.Webhook.ID, Number: 1}) }()
		<-asked
		cancel()
		require.ErrorIs(t, <-done, context.Canceled)
		assert.Equal(t, []string{"transcript.completed pending 0"}, status(v.deliveries(t, acme, e.Webhook.ID)))
		v.work(t)
		eventually(t, func(c *assert.CollectT) {
			assert.Equal(c, []string{"transcript.completed delivered 1"}, status(v.deliveries(t, acme, e.Webhook.ID)))
		})
	})
}
