package server_test

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// TestEqualLinksAtOnce asks for the same uncached link a thousand times at once (a hundred
// with -short). Its captions are read when all of them wait. It is
// not parallel, as it would take the machine from others.
func TestEqualLinksAtOnce(t *testing.T) {
	crowd := size().crowd
	tests := map[string]struct {
		accounts int
		database func(testing.TB) store.Options
	}{
		"one account":          {1, storetest.SQLite},
		"one for each request": {crowd, storetest.Postgres},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var waiting atomic.Int32
			allWait := make(chan struct{})
			s := crowded(t, tt.database(t), func(c *server.Config) {
				server.SettingsOf(c).Timeout = func(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
					if int(waiting.Add(1)) == crowd {
						close(allWait)
					}
					return patiently(ctx, d)
				}
			})
			s.Engine.SetTracks(servertest.Track{Lang: "en", Text: "hello"})
			release := s.Engine.HoldCaptions()
			keys := s.keys(t, tt.accounts)
			const body = `{"platform":"video_site","externalId":"dQw4w9WgXcQ"}`
			requests, ctx := errgroup.WithContext(t.Context())
			for i := range crowd {
				requests.Go(func() error {
					a, err := askPatiently(ctx, func() (*answer, error) {
						return s.send(t, http.MethodPost, "/v1/transcript", strings.NewReader(body), header("Content-Type", "application/json"), as(keys[i%len(keys)]))
					})
					if err != nil {
						return err
					}
					if a.StatusCode != http.StatusOK || !strings.Contains(a.body, `"text":"hello"`) {
						return fmt.Errorf("%s: %s", a.Status, a.body)
					}
					if saved, err := db.Of(s.Store).Library.All(t.Context(), accountName(i%len(keys))); err != nil || len(saved) != 1 {
						return fmt.Errorf("%d texts in the library: %w", len(saved), err)
					}
					return nil
				})
			}
			select {
			case <-allWait:
			case <-ctx.Done(): // one has failed
			}
			release()
			require.NoError(t, requests.Wait())
			assert.Equal(t, 1, s.Engine.CaptionReads(transcript.VideoSite), "one extraction")
			if tt.accounts == 1 {
				assert.Equal(t, 1, s.jobs(t), "one job for the account")
			}
		})
	}
}

// askPatiently asks, and asks again when the service wants that: the database of a busy machine may be
// away for a moment.
func askPatiently(ctx context.Context, ask func() (*answer, error)) (*answer, error) {
	for {
		a, err := ask()
		if err != nil || a.StatusCode != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" {
			return a, err // an ability that is lacking comes with no time
		}
		seconds, err := strconv.Atoi(a.Header.Get("Retry-After"))
		if err != nil {
			return a, err
		}
		select {
		case <-time.After(time.Duration(seconds) * time.Second):
		case <-ctx.Done():
			return a, ctx.Err()
		}
	}
}

// crowded is a service on a database of the test's.
func crowded(t *testing.T, o store.Options, change func(*server.Config)) *service {
	t.Helper()
	s := &service{
		options: o, dir: filepath.Dir(o.Blobs), blobs: o.Blobs,
		Server: servertest.New(t, servertest.Configure(func(c *server.Config) { server.SetAudio(c, 10*time.Millisecond); change(c) }), servertest.ConfigureStore(func(at *store.Options) { *at = o })),
	}
	s.http = httpClient(t, s.URL)
	return s
}

// keys makes so many accounts, with a key each.
func (s *service) keys(t *testing.T, accounts int) []string {
	t.Helper()
	keys := make([]string, accounts)
	for i := range keys {
		name := accountName(i)
		_, err := s.Accounts.Set(t.Context(), name, account.Settings{})
		require.NoError(t, err)
		_, keys[i], err = s.Accounts.CreateKey(t.Context(), account.KeyParams{Account: name, Name: "load", Scopes: account.Scopes()})
		require.NoError(t, err)
	}
	return keys
}

func accountName(i int) string { return fmt.Sprintf("account-%d", i) }
