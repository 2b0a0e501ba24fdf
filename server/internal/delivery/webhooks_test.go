package delivery_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/library/webhook"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Each endpoint of the account that wants the type gets the event once, signed by both keys.
func TestDelivers(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		v, r := start(t, s), newReceiver(t, nil)
		all := v.endpoint(t, acme, r.URL+"/all")
		failed := v.endpoint(t, acme, r.URL+"/failed", webhook.TranscriptFailed)
		other := v.endpoint(t, "other", r.URL+"/other")
		v.end(t, acme, "job-1", "")
		v.end(t, acme, "job-2", transcript.Unavailable)
		v.end(t, "nobody", "job-3", "")

		eventually(t, func(c *assert.CollectT) {
			assert.Equal(c, []string{"transcript.failed delivered 1", "transcript.completed delivered 1"}, status(v.deliveries(t, acme, all.Webhook.ID)))
			assert.Equal(c, []string{"transcript.failed delivered 1"}, status(v.deliveries(t, acme, failed.Webhook.ID)))
		})
		assert.Empty(t, v.deliveries(t, "other", other.Webhook.ID))
		requests := r.all()
		require.Len(t, requests, 3)
		for _, g := range requests {
			var e webhook.Event
			require.NoError(t, json.Unmarshal(g.body, &e))
			if e.Type == webhook.TranscriptCompleted {
				assert.Equal(t, "job-1", e.Data.JobID)
				assert.Equal(t, transcript.VideoSite, e.Data.Platform)
				assert.Equal(t, "v-job-1", e.Data.ExternalID)
				assert.Equal(t, "application/json", g.header.Get("Content-Type"))
				g.verify(t, all.Secret.Reveal())
				g.verify(t, all.Webhook.PublicKey)
			}
		}
	})
}
