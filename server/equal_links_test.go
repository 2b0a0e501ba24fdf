package server_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/transcriptkit/transcriptkit/internal/storetest"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// TestEqualLinksAtOnce asks for the same uncached link a thousand times at once
// (200 under the race detector), while its captions are being read. It has the
// machine for itself, as all of them wait at most ten seconds.
func TestEqualLinksAtOnce(t *testing.T) {
	tests := map[string]struct {
		accounts int
		database func(testing.TB) store.Options
	}{
		"one account":          {1, storetest.SQLite},
		"one for each request": {crowd, storetest.Postgres},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o := tt.database(t)
			s := &service{Server: servertest.New(t, servertest.ConfigureStore(func(at *store.Options) { *at = o }))}
			s.http = httpClient(t, s.URL)
			s.Engine.SetTracks(servertest.Track{Lang: "en", Text: "hello"})
			release := s.Engine.HoldCaptions()
			keys := s.keys(t, tt.accounts)
			const body = `{"platform":"video_site","externalId":"dQw4w9WgXcQ","waitMs":10000}`
			var requests errgroup.Group
			for i := range crowd {
				requests.Go(func() error {
					a, err := s.send(t, http.MethodPost, "/v1/transcript", strings.NewReader(body), header("Content-Type", "application/json"), as(keys[i%len(keys)]))
					if err != nil {
						return err
					}
					if a.StatusCode != http.StatusOK || !strings.Contains(a.body, `"text":"hello"`) {
						return fmt.Errorf("%s: %s", a.Status, a.body)
					}
					return nil
				})
			}
			assert.Eventually(t, func() bool { return len(s.claims(t, video)) == tt.accounts }, 9*time.Second, 20*time.Millisecond,
				"one job for each account")
			release()
			require.NoError(t, requests.Wait())
			assert.Equal(t, 1, s.Engine.CaptionReads(transcript.VideoSite), "one extraction")
			if tt.accounts == 1 {
				s.dir = filepath.Dir(o.Blobs)
				assert.Equal(t, 1, s.jobs(t))
			}
			for i := range tt.accounts {
				saved, err := db.Of(s.Store).Library(t.Context(), fmt.Sprintf("account-%d", i))
				require.NoError(t, err)
				require.Len(t, saved, 1)
			}
		})
	}
}

// keys makes so many accounts, with a key each.
func (s *service) keys(t *testing.T, accounts int) []string {
	t.Helper()
	keys := make([]string, accounts)
	for i := range keys {
		name := fmt.Sprintf("account-%d", i)
		_, err := s.Accounts.Set(t.Context(), name, account.Settings{})
		require.NoError(t, err)
		_, keys[i], err = s.Accounts.CreateKey(t.Context(), account.KeyParams{Account: name, Name: "load", Scopes: account.Scopes()})
		require.NoError(t, err)
	}
	return keys
}

// claims are the ids of the running jobs on a content of the video site.
func (s *service) claims(t *testing.T, videoID string) []string {
	var ids []string
	err := db.Of(s.Store).InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
		ids = nil
		e, err := tx.LockRunning(ctx, "", transcript.VideoSite, videoID, "en")
		if err != nil {
			return err
		}
		claims, err := tx.LockClaims(ctx, e.ID)
		for _, job := range claims {
			ids = append(ids, job.ID)
		}
		return err
	})
	if !errors.Is(err, db.ErrNotFound) { // none yet
		assert.NoError(t, err)
	}
	return ids
}
