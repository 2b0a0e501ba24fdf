package server_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/server/store/storetest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// gated is a caption source that answers when its gate is opened.
type gated struct {
	gate  chan struct{}
	calls atomic.Int32
}

func (g *gated) Origin(transcript.Platform) (transcript.Origin, bool) {
	return transcript.OriginDownloader, true
}

func (g *gated) Captions(ctx context.Context, _ engine.Content, _ func([]transcript.Track) (int, bool)) (engine.Captions, error) {
	g.calls.Add(1)
	select {
	case <-g.gate:
	case <-ctx.Done():
		return engine.Captions{}, ctx.Err()
	}
	tracks := []transcript.Track{{ID: "en.manual", Lang: "en", Kind: transcript.TrackManual}}
	return engine.Captions{Tracks: tracks, Track: &tracks[0], Segments: []transcript.Segment{{Text: "hello", Duration: 1}}}, nil
}

// TestEqualLinksAtOnce asks for the same uncached link a thousand times at once
// (200 under the race detector), while its captions are being read.
func TestEqualLinksAtOnce(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		accounts int
		database func(testing.TB) store.Options
	}{
		"one account":          {1, storetest.SQLite},
		"one for each request": {crowd, storetest.Postgres},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, site := tt.database(t), &gated{gate: make(chan struct{})}
			s := &service{Server: servertest.New(t,
				servertest.ConfigureStore(func(at *store.Options) { *at = o }),
				servertest.Configure(func(c *server.Config) {
					c.Engine = func(engine.Host) (engine.Engine, error) {
						return engine.Engine{Captions: []engine.CaptionSource{site}}, nil
					}
				}))}
			s.http = httpClient(t, s.URL)
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
			assert.Eventually(t, func() bool { return len(s.claims(t, "dQw4w9WgXcQ")) == tt.accounts }, 9*time.Second, 20*time.Millisecond,
				"one job for each account")
			close(site.gate)
			require.NoError(t, requests.Wait())
			assert.Equal(t, int32(1), site.calls.Load(), "one extraction")
			for i := range tt.accounts {
				saved, err := s.Store.Library(t.Context(), fmt.Sprintf("account-%d", i))
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
	e, err := s.Store.RunningExtraction(t.Context(), "", transcript.VideoSite, videoID, "en")
	if err != nil {
		return nil // none yet
	}
	ids, err := s.Store.RunningClaims(t.Context(), e.ID)
	assert.NoError(t, err)
	return ids
}
