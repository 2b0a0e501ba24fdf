package delivery_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/library/webhook"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/delivery"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func codeOf(t *testing.T, err error) transcript.Code {
	t.Helper()
	var coded *transcript.Error
	require.ErrorAs(t, err, &coded)
	return coded.Code
}

// A follow that ends is told to the endpoints that name the event, and not to those that want all.
func TestFollowsEnded(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		v := prepare(s)
		names, all := v.endpoint(t, acme, "https://a.example/", webhook.FollowEnded), v.endpoint(t, acme, "https://b.example/")
		other := v.endpoint(t, "other", "https://c.example/", webhook.FollowEnded)
		require.NoError(t, s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
			return v.FollowsEnded(ctx, tx, map[string][]string{acme: {"f1", "f2"}, "nobody": {"f3"}})
		}))
		want := []string{"follow.ended pending 0", "follow.ended pending 0"}
		assert.Equal(t, want, status(v.deliveries(t, acme, names.Webhook.ID)))
		assert.Empty(t, v.deliveries(t, acme, all.Webhook.ID))
		assert.Empty(t, v.deliveries(t, "other", other.Webhook.ID))
	})
}

// An account has ten endpoints at most, and no account reaches those of another one.
func TestEndpointsOfAccounts(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		v := prepare(s)
		var last *webhook.Created
		for n := range webhook.MaxEndpoints {
			last = v.endpoint(t, acme, fmt.Sprintf("https://a.example/%d", n), webhook.BatchFailed)
		}
		_, err := v.Create(t.Context(), acme, webhook.Params{URL: "https://a.example/"}, nil)
		assert.Equal(t, transcript.StateConflict, codeOf(t, err))
		v.endpoint(t, "other", "https://b.example/")
		all, err := v.List(t.Context(), acme)
		require.NoError(t, err)
		require.Len(t, all, webhook.MaxEndpoints)
		assert.Equal(t, last.Webhook, all[0], "the newest first")

		ctx, id := t.Context(), last.Webhook.ID
		for what, do := range map[string]func() error{
			"get":        func() error { _, err := v.Get(ctx, "other", id); return err },
			"change":     func() error { _, err := v.Change(ctx, "other", id, webhook.Change{}); return err },
			"rotate":     func() error { _, err := v.Rotate(ctx, "other", id, nil); return err },
			"test":       func() error { _, err := v.Test(ctx, "other", id, nil); return err },
			"deliveries": func() error { _, err := v.Deliveries(ctx, "other", id, "", "", 10); return err },
			"resend":     func() error { _, err := v.Resend(ctx, "other", id, id, nil); return err },
			"range":      func() error { _, err := v.ResendRange(ctx, "other", id, webhook.Resend{}, nil); return err },
			"delivery":   func() error { _, err := v.Delivery(ctx, "other", db.Answer{ID: id, Note: id}); return err },
			"created":    func() error { _, err := v.Created(ctx, "other", db.Answer{ID: id}); return err },
			"delete":     func() error { return v.Delete(ctx, "other", id) },
		} {
			assert.Equal(t, transcript.NotFound, codeOf(t, do()), what)
		}
		_, err = v.Resend(ctx, acme, id, id, nil)
		require.ErrorContains(t, err, "There is no such delivery of this webhook.")
		assert.Equal(t, transcript.NotFound, codeOf(t, err))
		require.NoError(t, v.Delete(ctx, acme, id))
		_, err = v.Get(ctx, acme, id)
		assert.Equal(t, transcript.NotFound, codeOf(t, err))
		v.endpoint(t, acme, "https://a.example/again")
	})
}

// For a day after a new secret both secrets sign, and then the new one alone.
func TestRotation(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		v, r := start(t, s), newReceiver(t, nil)
		old := v.endpoint(t, acme, r.URL)
		id := old.Webhook.ID
		next, err := v.Rotate(t.Context(), acme, id, nil)
		require.NoError(t, err)
		assert.NotEqual(t, old.Secret.Reveal(), next.Secret.Reveal())
		assert.NotContains(t, fmt.Sprintf("%v %+v %#v", old, next, v), old.Secret.Reveal()[6:])
		shown, err := v.Get(t.Context(), acme, id)
		require.NoError(t, err)
		assert.Equal(t, next.PublicKey, shown.PublicKey)
		send := func(n int) got {
			_, err := v.Test(t.Context(), acme, id, nil)
			require.NoError(t, err)
			eventually(t, func(c *assert.CollectT) {
				require.Len(c, r.all(), n)
				for _, d := range v.deliveries(t, acme, id) { // recorded too, else it is sent again after a day
					assert.Equal(c, webhook.Delivered, d.Status)
				}
			})
			return r.all()[n-1]
		}
		for _, key := range []string{old.Secret.Reveal(), old.Webhook.PublicKey, next.Secret.Reveal(), next.PublicKey} {
			send(len(r.all())+1).verify(t, key)
		}
		v.clock.move(webhook.RotationOverlap + time.Minute)
		require.NoError(t, v.Sweep(t.Context(), queue.Row{}, delivery.SweepStep{}))
		var kept int
		require.NoError(t, s.SQL().Reader().NewRaw("SELECT count(*) FROM webhook_endpoints WHERE previous_key IS NOT NULL").Scan(t.Context(), &kept))
		assert.Zero(t, kept)
		assert.Len(t, splitSignatures(send(len(r.all())+1)), 2)
		assert.NotContains(t, v.log.String(), "whsec_")
	})
}

func splitSignatures(g got) (all []string) {
	for _, s := range g.header["Webhook-Signature"] {
		all = append(all, strings.Fields(s)...)
	}
	return all
}

// The deliveries of a paused endpoint have failed, and the account can have one or all of them sent
// when the endpoint is active again.
func TestPauseAndResend(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		v, r := start(t, s), newReceiver(t, nil)
		e := v.endpoint(t, acme, r.URL)
		id := e.Webhook.ID
		set := func(status webhook.Status) {
			_, err := v.Change(t.Context(), acme, id, webhook.Change{Status: &status})
			require.NoError(t, err)
		}
		set(webhook.Paused)
		v.end(t, acme, "1", "")
		v.end(t, acme, "2", "")
		assert.Equal(t, []string{"transcript.completed failed 0", "transcript.completed failed 0"}, status(v.deliveries(t, acme, id)))
		first := v.deliveries(t, acme, id)[1]
		assert.Equal(t, "The webhook is paused.", *first.LastError)
		_, err := v.Resend(t.Context(), acme, id, first.ID, nil)
		assert.Equal(t, transcript.StateConflict, codeOf(t, err))

		set(webhook.Active)
		_, err = v.Resend(t.Context(), acme, id, first.ID, nil)
		require.NoError(t, err)
		eventually(t, func(c *assert.CollectT) {
			assert.Equal(c, []string{"transcript.completed failed 0", "transcript.completed delivered 1"}, status(v.deliveries(t, acme, id)))
		})
		none, err := v.ResendRange(t.Context(), acme, id, webhook.Resend{Since: time.Now().Add(time.Hour)}, nil)
		require.NoError(t, err)
		assert.Zero(t, none.Resent)
		for _, state := range []webhook.DeliveryStatus{"", webhook.Delivered} {
			v.clock.move(time.Minute)
			_, err = v.ResendRange(t.Context(), acme, id, webhook.Resend{Since: first.CreatedAt.Time, Status: state}, nil)
			require.NoError(t, err)
			eventually(t, func(c *assert.CollectT) {
				assert.Equal(c, []string{"transcript.completed delivered 1", "transcript.completed delivered 1"}, status(v.deliveries(t, acme, id)))
			})
		}
		require.Len(t, r.all(), 4)
		assert.Equal(t, first.ID, r.all()[0].header.Get("Webhook-Id"))
	})
}

// Deliveries go thirty days after they have ended, and those of a deleted endpoint with it.
func TestRetention(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		v, r := start(t, s), newReceiver(t, nil)
		kept, deleted := v.endpoint(t, acme, r.URL), v.endpoint(t, acme, r.URL)
		v.end(t, acme, "1", "")
		rows := func() (n int) {
			require.NoError(t, s.SQL().Reader().NewRaw("SELECT count(*) FROM webhook_deliveries").Scan(t.Context(), &n))
			return n
		}
		eventually(t, func(c *assert.CollectT) { assert.Len(c, r.all(), 2) })
		eventually(t, func(c *assert.CollectT) {
			assert.Equal(c, []string{"transcript.completed delivered 1"}, status(v.deliveries(t, acme, kept.Webhook.ID)))
		})
		require.Equal(t, 2, rows())
		require.NoError(t, v.Delete(t.Context(), acme, deleted.Webhook.ID))
		require.Equal(t, 1, rows())
		v.clock.move(webhook.Retention - time.Hour)
		require.NoError(t, v.Sweep(t.Context(), queue.Row{}, delivery.SweepStep{}))
		require.Equal(t, 1, rows())
		v.clock.move(2 * time.Hour)
		require.NoError(t, v.Sweep(t.Context(), queue.Row{}, delivery.SweepStep{}))
		require.Zero(t, rows())
	})
}

// A canceled job or batch has no event, and a transaction that fails leaves no delivery.
func TestNoEvent(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		v := prepare(s)
		e := v.endpoint(t, acme, "https://a.example/")
		require.NoError(t, s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
			if err := v.JobsEnded(ctx, tx, &db.Work{}, []db.Job{{ID: "j", Account: acme}}, db.End{Status: transcript.JobCancelled}); err != nil {
				return err
			}
			return v.BatchEnded(ctx, tx, &db.Batch{ID: "b", Account: acme, Status: batch.Cancelled})
		}))
		require.Error(t, s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
			if err := v.BatchEnded(ctx, tx, &db.Batch{ID: "b", Account: acme, Status: batch.Completed}); err != nil {
				return err
			}
			return fmt.Errorf("the job could not end")
		}))
		assert.Empty(t, v.deliveries(t, acme, e.Webhook.ID))
	})
}
