package delivery_test

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/library/webhook"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/delivery"
)

// A host gets two requests a second for an account, from all its webhooks, from all processes, and by
// all that sends. Another account has its own two.
func TestRequestsToAHost(t *testing.T) {
	t.Parallel()
	const window = 300 * time.Millisecond
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		r := newReceiver(t, nil)
		paced := func(c *delivery.Config) { c.Trust, c.Window = false, window }
		v := start(t, s, paced)
		beside(t, v, paced)
		at, err := url.Parse(r.URL)
		require.NoError(t, err)
		began := time.Now()
		var ids []string
		for n := range 4 { // one host in several spellings
			host := []string{"127.0.0.1", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "127.0.0.1"}[n]
			ids = append(ids, v.endpoint(t, acme, fmt.Sprintf("http://%s:%s/%d", host, at.Port(), n)).Webhook.ID)
		}
		for n := 0; len(r.all()) < 10; n++ { // by all that sends
			id := ids[n%len(ids)]
			v.end(t, acme, fmt.Sprint(n), "")
			_, _ = v.Test(t.Context(), acme, id, nil)                                    // may be pending
			_, _ = v.Resend(t.Context(), acme, id, v.deliveries(t, acme, id)[0].ID, nil) // likewise
			_, err := v.ResendRange(t.Context(), acme, id, webhook.Resend{Since: began.Add(-time.Hour), Status: webhook.Delivered}, nil)
			require.NoError(t, err)
			_, err = v.Rotate(t.Context(), acme, id, nil)
			require.NoError(t, err)
			for _, to := range []webhook.Status{webhook.Paused, webhook.Active} {
				_, err = v.Change(t.Context(), acme, id, webhook.Change{Status: &to})
				require.NoError(t, err)
			}
			if n == 2 { // a webhook that is deleted has had its requests
				require.NoError(t, v.Delete(t.Context(), acme, ids[3]))
				ids = ids[:3]
			}
		}
		arrived := r.all()
		windows := int(arrived[len(arrived)-1].at.Sub(began)/window) + 1
		assert.LessOrEqual(t, len(arrived), windows*webhook.PerSecond)
		other := v.endpoint(t, "other", r.URL+"/other").Webhook.ID
		eventually(t, func(c *assert.CollectT) {
			assert.Equal(c, []string{"test delivered 1"}, status(v.deliveries(t, "other", other)))
		})
	})
}

// beside starts another process on the database of a service.
func beside(t *testing.T, v *service, changes ...func(*delivery.Config)) {
	t.Helper()
	if v.db.Shared() {
		changes = append(changes, func(c *delivery.Config) { c.Now = v.clock.now })
		other := prepare(v.db, changes...)
		other.name = "beside"
		other.work(t)
	}
}
