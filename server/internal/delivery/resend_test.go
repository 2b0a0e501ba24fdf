package delivery_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/library/webhook"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// A delivery that waits is not sent again, and none is sent again twice within a minute, by any route.
func TestResendOnceAMinute(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		v := start(t, s)
		r := newReceiver(t, func(w http.ResponseWriter, _ *http.Request, n int) {
			if n == 1 {
				w.WriteHeader(http.StatusInternalServerError)
			}
		})
		id := v.endpoint(t, acme, r.URL).Webhook.ID
		refused := func(d webhook.Delivery, retries bool) {
			t.Helper()
			_, err := v.Resend(t.Context(), acme, id, d.ID, nil)
			var coded *transcript.Error
			require.ErrorAs(t, err, &coded)
			assert.Equal(t, transcript.StateConflict, coded.Code)
			assert.Equal(t, d.Status, coded.Details["status"])
			assert.Equal(t, retries, coded.RetryAfter > 0 && coded.RetryAfter <= 60, coded.RetryAfter)
		}
		resend := func(status webhook.DeliveryStatus) webhook.Resent {
			t.Helper()
			resent, err := v.ResendRange(t.Context(), acme, id, webhook.Resend{Since: time.Now().Add(-time.Hour), Status: status}, nil)
			require.NoError(t, err)
			return *resent
		}
		arrived := func(n int) webhook.Delivery {
			t.Helper()
			eventually(t, func(c *assert.CollectT) {
				assert.Len(c, r.all(), n)
				assert.Equal(c, webhook.Delivered, v.deliveries(t, acme, id)[0].Status)
			})
			return v.deliveries(t, acme, id)[0]
		}
		v.end(t, acme, "1", "")
		refused(v.attempted(t, id, 1), false) // it waits for its second attempt
		v.clock.move(6 * time.Second)
		d := arrived(2)
		_, err := v.Resend(t.Context(), acme, id, d.ID, nil)
		require.NoError(t, err, "the first time")
		d = arrived(3)
		refused(d, true)
		assert.Equal(t, webhook.Resent{Skipped: 1}, resend(webhook.Delivered))
		assert.Equal(t, webhook.Resent{}, resend(webhook.Failed))

		v.clock.move(time.Minute)
		assert.Equal(t, webhook.Resent{Resent: 1}, resend(webhook.Delivered))
		refused(arrived(4), true)
		assert.Len(t, r.all(), 4)
	})
}

// A test that waits is sent now if the account asks for one, and not twice within a minute. There is
// never a second test that waits.
func TestTestThatWaits(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		v, r := start(t, s), newReceiver(t, says(http.StatusInternalServerError))
		id := v.endpoint(t, acme, r.URL).Webhook.ID
		first, err := v.Test(t.Context(), acme, id, nil)
		require.NoError(t, err)
		v.attempted(t, id, 1)
		again, err := v.Test(t.Context(), acme, id, nil)
		require.NoError(t, err)
		assert.Equal(t, first.ID, again.ID)
		assert.Zero(t, again.Attempts)
		eventually(t, func(c *assert.CollectT) { assert.Len(c, r.all(), 2) })
		v.attempted(t, id, 1)
		_, err = v.Test(t.Context(), acme, id, nil)
		assert.Equal(t, transcript.StateConflict, codeOf(t, err))
		assert.Len(t, v.deliveries(t, acme, id), 1)
	})
}
