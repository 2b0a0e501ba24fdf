package follows_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/follows"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// TestAddressOfAPrivateFeedIsNotLogged follows feeds that fail, under addresses that hold a secret.
// The log names their hosts alone.
func TestAddressOfAPrivateFeedIsNotLogged(t *testing.T) {
	t.Parallel()
	publisher := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(publisher.Close)
	closed := httptest.NewServer(nil)
	closed.Close()
	s := dbtest.Open(t, dbtest.SQLite(t))
	var log bytes.Buffer
	later := time.Duration(0)
	fs := follows.New(follows.Config{
		Store: s, Cluster: cluster.New(cluster.Config{}), Sites: site.Default(), Log: slog.New(slog.NewTextHandler(&log, nil)),
		Client: func() *http.Client { return http.DefaultClient }, Trace: func(context.Context) string { return "" },
		Tuning: follows.Tuning{Now: func(ctx context.Context) (time.Time, error) {
			now, err := s.Now(ctx)
			return now.Add(later), err
		}},
	})
	made, err := fs.Create(t.Context(), follows.Request{Account: "acme", Plan: account.WithoutLimits("p"), Wants: []follows.Want{
		{Kind: batch.FollowFeed, URL: publisher.URL + "/canary42?token=canary42"},
		{Kind: batch.FollowFeed, URL: closed.URL + "/canary42?token=canary42"},
	}})
	require.NoError(t, err)
	for range 4 {
		require.NoError(t, fs.Work(t.Context(), db.Work{}, follows.Step{}))
		later += 25 * time.Hour
	}
	for _, m := range made {
		f, err := fs.Get(t.Context(), "acme", m.Follow.ID)
		require.NoError(t, err)
		assert.Equal(t, batch.FollowFailing, f.Status)
		require.NotNil(t, f.LastError)
		assert.NotContains(t, f.LastError.Message, "canary42")
	}
	assert.Contains(t, log.String(), "a followed address has failed for days")
	assert.Contains(t, log.String(), "host="+publisher.Listener.Addr().String())
	assert.NotContains(t, log.String(), "canary42")
}
