package e2e_test

import (
	"bytes"
	"fmt"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// TestSoakBackupSpeed measures what a backup takes, and what it takes from the service: requests for
// new links and for known texts are answered by a service that is backed up all the time, and by one
// that is not.
func TestSoakBackupSpeed(t *testing.T) {
	soak(t)
	for name, database := range map[string]func(testing.TB) store.Options{"sqlite": storetest.SQLite, "postgres": storetest.Postgres} {
		t.Run(name, func(t *testing.T) {
			l := newBackupLoad(t, newPlace(t, database(t).Database), 1)
			for n := range 25 {
				body := bytes.Repeat(fmt.Appendf(nil, "%08d", n), 1<<20) // 8 MiB of an upload that has not ended
				_, err := l.send(t.Context(), http.MethodPost, l.urls[0]+"/v1/transcript", body, "Content-Type", "audio/wav", "Upload-Complete", "?0")
				require.NoError(t, err)
			}
			l.crowd(t, "warm up", 200)
			var alone, during float64
			var bytes int64
			var took time.Duration
			for round := range 3 {
				alone += l.crowd(t, fmt.Sprint("alone ", round), 1500)
				var backups sync.WaitGroup
				done := make(chan struct{})
				backups.Go(func() {
					for n := 0; ; n++ {
						select {
						case <-done:
							return
						default:
						}
						began := time.Now()
						target := filepath.Join(t.TempDir(), fmt.Sprint(n, ".tar"))
						_, err := l.open(t).Backup(t.Context(), target)
						if err != nil {
							t.Error(err)
							return
						}
						took += time.Since(began)
						bytes += sizeOf(t, target)
					}
				})
				during += l.crowd(t, fmt.Sprint("during ", round), 1500)
				close(done)
				backups.Wait()
			}
			t.Logf("%s: a backup writes %.0f MB a second; the service answers %.2f of the requests meanwhile (%.0f instead of %.0f a second)",
				name, float64(bytes)/1e6/took.Seconds(), during/alone, during/3, alone/3)
		})
	}
}

// crowd sends requests by eight senders, each fourth for a new link, and returns how many were
// answered in a second.
func (l *backupLoad) crowd(t *testing.T, name string, requests int) float64 {
	t.Helper()
	var senders sync.WaitGroup
	began := time.Now()
	for sender := range 8 {
		senders.Go(func() {
			for n := sender; n < requests; n += 8 {
				id, wait := fmt.Sprintf("s%010d", n%50), time.Duration(0)
				if n%4 == 0 {
					id = fmt.Sprintf("%c%c%09d", name[0], name[len(name)-1], n)
				}
				_, _, err := l.services[0].Transcripts.Submit(t.Context(), transcript.Request{Source: transcript.ID(transcript.VideoSite, id), Wait: &wait})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	senders.Wait()
	return float64(requests) / time.Since(began).Seconds()
}
