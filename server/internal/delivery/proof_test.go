package delivery_test

import (
	"context"
	"encoding/json"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/library/webhook"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/delivery"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
)

// wary lets a service send tests alone until an address has answered one.
func wary(c *delivery.Config) { c.Trust = false }

// strict is a service on the database of another one, which trusts no address.
func strict(v *service) *service { return prepare(v.db, wary) }

// types are the types of the events that a receiver has got.
func (r *receiver) types(t testing.TB) (all []webhook.EventType) {
	t.Helper()
	for _, g := range r.all() {
		var e webhook.Event
		require.NoError(t, json.Unmarshal(g.body, &e))
		all = append(all, e.Type)
	}
	return all
}

// now is an endpoint at present.
func (v *service) now(t testing.TB, id string) *webhook.Endpoint {
	t.Helper()
	e, err := v.Get(t.Context(), acme, id)
	require.NoError(t, err)
	return e
}

// An address gets test events alone until it has answered one with 2xx. No request of the account changes
// that. Then the service delivers the events that have waited. A new address of the endpoint has to
// answer a test event of its own; a former address that has answered one does not.
func TestTestsAloneUntilTheAddressAnswers(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		var answers atomic.Bool
		r := newReceiver(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
			if !answers.Load() {
				w.WriteHeader(http.StatusNotFound)
			}
		})
		v := start(t, s, wary)
		made := v.endpoint(t, acme, r.URL, webhook.TranscriptCompleted).Webhook
		assert.Equal(t, webhook.Active, made.Status)
		assert.False(t, made.Verified)
		id := made.ID
		waiting := v.deliveries(t, acme, id)
		require.Len(t, waiting, 1, "the service sends the first test by itself")
		assert.Equal(t, webhook.Test, waiting[0].Type)
		require.NotNil(t, made.OldestWaitingAt)
		assert.Equal(t, waiting[0].CreatedAt, *made.OldestWaitingAt)

		v.end(t, acme, "1", "")
		v.end(t, acme, "2", "")
		d := v.deliveries(t, acme, id)[0]
		assert.Equal(t, webhook.Pending, d.Status)
		assert.Nil(t, d.NextAt, "it waits for the answer to a test")
		eventually(t, func(c *assert.CollectT) { assert.Len(c, r.all(), 1) })
		v.clock.move(time.Hour)
		eventually(t, func(c *assert.CollectT) { assert.Len(c, r.all(), 2) })
		for _, to := range []webhook.Status{webhook.Paused, webhook.Active} { // fails all deliveries, and sends a new test
			_, err := v.Change(t.Context(), acme, id, webhook.Change{Status: &to})
			require.NoError(t, err)
			if to == webhook.Paused {
				eventually(t, func(c *assert.CollectT) { assert.Nil(c, v.now(t, id).OldestWaitingAt) })
			}
		}
		resent, err := v.ResendRange(t.Context(), acme, id, webhook.Resend{Since: time.Now().Add(-time.Hour)}, nil)
		require.NoError(t, err)
		assert.Equal(t, 3, resent.Resent)
		eventually(t, func(c *assert.CollectT) { assert.GreaterOrEqual(c, len(r.all()), 4) })
		assert.NotContains(t, r.types(t), webhook.TranscriptCompleted)
		assert.False(t, v.now(t, id).Verified)

		answers.Store(true)
		v.clock.move(time.Minute)
		_, err = v.Test(t.Context(), acme, id, nil)
		require.NoError(t, err)
		eventually(t, func(c *assert.CollectT) { assert.True(c, v.now(t, id).Verified) })
		v.clock.move(time.Hour) // tests that have failed
		eventually(t, func(c *assert.CollectT) {
			for _, d := range v.deliveries(t, acme, id) {
				assert.Equal(c, webhook.Delivered, d.Status)
			}
			assert.Nil(c, v.now(t, id).OldestWaitingAt)
		})
		assert.Contains(t, r.types(t), webhook.TranscriptCompleted)

		silent := newReceiver(t, says(http.StatusNotFound))
		moved, err := v.Change(t.Context(), acme, id, webhook.Change{URL: &silent.URL})
		require.NoError(t, err)
		assert.False(t, moved.Verified)
		assert.NotNil(t, moved.OldestWaitingAt, "a test")
		v.end(t, acme, "3", "")
		eventually(t, func(c *assert.CollectT) { assert.NotEmpty(c, silent.all()) })
		assert.NotContains(t, silent.types(t), webhook.TranscriptCompleted)
		back, err := v.Change(t.Context(), acme, id, webhook.Change{URL: &r.URL})
		require.NoError(t, err)
		assert.True(t, back.Verified)
		eventually(t, func(c *assert.CollectT) {
			assert.Equal(c, webhook.Delivered, v.deliveries(t, acme, id)[0].Status)
		})
	})
}

// An address that never answers a test with 2xx is switched off after the last attempt, and what waits
// fails. A test begins from the start when the account makes the webhook active.
func TestUnansweredTest(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		v, r := start(t, s, wary), newReceiver(t, says(http.StatusInternalServerError))
		id := v.endpoint(t, acme, r.URL).Webhook.ID
		v.end(t, acme, "1", "")
		for n := range sched {
			eventually(t, func(c *assert.CollectT) { assert.Equal(c, n+1, v.deliveries(t, acme, id)[1].Attempts) })
			v.clock.move(sched[n] * 11 / 10)
		}
		eventually(t, func(c *assert.CollectT) {
			assert.Equal(c, []string{"transcript.completed failed 0", "test failed 10"}, status(v.deliveries(t, acme, id)))
		})
		off := v.now(t, id)
		assert.Equal(t, webhook.Disabled, off.Status)
		assert.Equal(t, "The address has answered none of 10 attempts at a test event with 2xx. The last one failed: The receiver answered 500.", *off.DisabledReason)

		_, err := v.Change(t.Context(), acme, id, webhook.Change{Status: new(webhook.Active)})
		require.NoError(t, err)
		eventually(t, func(c *assert.CollectT) { assert.Len(c, r.all(), 11) })
	})
}

// A webhook that a process has made which asks for no answer gets a test before its next event.
func TestMadeWithoutATest(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		r := newReceiver(t, nil)
		trusting := prepare(s)
		due := trusting.endpoint(t, acme, r.URL+"/due").Webhook.ID
		trusting.end(t, acme, "1", "")
		later := trusting.endpoint(t, acme, r.URL+"/later").Webhook.ID

		v := start(t, s, wary)
		eventually(t, func(c *assert.CollectT) {
			assert.Equal(c, []string{"test delivered 1", "transcript.completed delivered 1"}, status(v.deliveries(t, acme, due)))
		})
		assert.Equal(t, []webhook.EventType{webhook.Test, webhook.TranscriptCompleted}, r.types(t))
		v.end(t, acme, "2", "")
		eventually(t, func(c *assert.CollectT) {
			assert.ElementsMatch(c, []string{"test delivered 1", "transcript.completed delivered 1"}, status(v.deliveries(t, acme, later)))
		})
	})
}

// A service that trusts all addresses sends events at once and no test. The first answer also counts for
// a service that does not.
func TestTrust(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		v, r := start(t, s), newReceiver(t, nil)
		made := v.endpoint(t, acme, r.URL).Webhook
		assert.True(t, made.Verified)
		assert.Empty(t, v.deliveries(t, acme, made.ID))
		v.end(t, acme, "1", "")
		eventually(t, func(c *assert.CollectT) { assert.True(c, strict(v).now(t, made.ID).Verified) })
		assert.Equal(t, []webhook.EventType{webhook.TranscriptCompleted}, r.types(t))
	})
}

// An answer of the address before proves nothing about the present one.
func TestAnswerOfTheAddressBefore(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		asked, answer := make(chan struct{}), make(chan struct{})
		old := newReceiver(t, func(http.ResponseWriter, *http.Request, int) { asked <- struct{}{}; <-answer })
		silent := newReceiver(t, says(http.StatusNotFound))
		v := prepare(s, wary)
		id := v.endpoint(t, acme, old.URL).Webhook.ID
		done := make(chan error, 1)
		go func() {
			done <- v.Sender.Work(context.WithoutCancel(t.Context()), queue.Row{}, delivery.Step{Endpoint: id, Number: 1})
		}()
		<-asked
		_, err := v.Change(t.Context(), acme, id, webhook.Change{URL: &silent.URL})
		require.NoError(t, err)
		close(answer)
		require.NoError(t, <-done)
		assert.False(t, v.now(t, id).Verified)
	})
}
