package delivery_test

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/library/webhook"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/delivery"
)

// Thirty receivers that never answer hold up nothing of another account: neither while they are new,
// nor after they have answered for a while.
func TestSilentReceivers(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		const accounts, each = 3, 4 // of each account that many are asked at once
		asked := make(chan struct{}, 100)
		var answers atomic.Bool
		silent := newReceiver(t, func(_ http.ResponseWriter, r *http.Request, _ int) {
			if answers.Load() {
				return
			}
			asked <- struct{}{}
			<-r.Context().Done()
		})
		r := newReceiver(t, nil)
		v := start(t, s, wary, func(c *delivery.Config) { c.Timeout = time.Hour }) // after the receivers: it stops first
		ask := func(name string) {
			t.Helper()
			for n := range accounts * webhook.MaxEndpoints {
				v.endpoint(t, fmt.Sprint(name, n/webhook.MaxEndpoints), fmt.Sprint(silent.URL, "/", n))
			}
		}
		delivered := func(account string, want ...string) {
			t.Helper()
			id := v.endpoint(t, account, r.URL).Webhook.ID
			eventually(t, func(c *assert.CollectT) { assert.Equal(c, want[1:], status(v.deliveries(t, account, id))) })
			v.end(t, account, "1", "")
			eventually(t, func(c *assert.CollectT) { assert.Equal(c, want, status(v.deliveries(t, account, id))) })
		}
		ask("new ")
		for range accounts * each {
			<-asked
		}
		delivered(acme, "transcript.completed delivered 1", "test delivered 1")

		answers.Store(true)
		ask("known ")
		eventually(t, func(c *assert.CollectT) { assert.Len(c, silent.all(), accounts*(each+webhook.MaxEndpoints)) })
		answers.Store(false)
		for n := range accounts {
			v.end(t, fmt.Sprint("known ", n), "1", "")
		}
		for range accounts * each {
			<-asked
		}
		delivered("other", "transcript.completed delivered 1", "test delivered 1")
		assert.Empty(t, asked)
	})
}
