package server_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/servertest"
)

// TestLostCommits is the small form of TestSoakLostCommits. Its steps that are lost run again 11 s
// later.
func TestLostCommits(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a PostgreSQL of its own, and crashes it under load: make test-all")
	}
	lostCommits(t, 1)
}

// TestSoakLostCommits ends a PostgreSQL server at once, 20 times under load, which loses
// what it has committed last. After the next looks for stranded work each job ends with its text.
func TestSoakLostCommits(t *testing.T) {
	if !*soakFlag {
		t.Skip("takes minutes: make soak")
	}
	lostCommits(t, 20)
}

func lostCommits(t *testing.T, crashes int) {
	t.Helper()
	database, o := storetest.OwnServer(t)
	raw := storetest.SQL(t, o)
	for _, statement := range []string{"ALTER SYSTEM SET wal_writer_delay = '10s'", "SELECT pg_reload_conf()"} { // to lose more
		_, err := raw.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
	dir := t.TempDir() // of the blobs of both
	often := func(c *server.Config) { server.SetStranded(c, time.Second) }
	services := []*service{startIn(t, o, dir, often), startIn(t, o, dir, often)}
	for _, s := range services {
		s.Engine.SetTracks(servertest.Track{Lang: "en", Name: "English", Text: "from the captions"})
	}
	_, err := raw.ExecContext(t.Context(), "CHECKPOINT") // the accounts and keys stay
	require.NoError(t, err)

	ctx, cancel := context.WithCancel(t.Context())
	var load sync.WaitGroup
	var sent, taken atomic.Int64
	for i := range 6 {
		s := services[i%len(services)]
		load.Go(func() {
			for ctx.Err() == nil {
				if s.pour(t, sent.Add(1)) {
					taken.Add(1)
				}
			}
		})
	}
	for range crashes {
		before := taken.Load()
		assert.Eventually(t, func() bool { return taken.Load() >= before+loadBefore }, time.Minute, time.Millisecond)
		database.Crash()
		database.Start()
	}
	cancel()
	load.Wait()

	var broken []string
	assert.Eventually(t, func() bool {
		broken, err = dbtest.Broken(t.Context(), raw, true)
		return err == nil && len(broken) == 0
	}, 2*time.Minute, 100*time.Millisecond, "after the last crash")
	assert.Empty(t, broken)
	var without []string
	rows, err := raw.QueryContext(t.Context(), `SELECT coalesce(error, status) FROM jobs WHERE status <> 'success'`)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var why string
		require.NoError(t, rows.Scan(&why))
		without = append(without, why)
	}
	require.NoError(t, rows.Err())
	assert.Empty(t, without, "jobs that have ended without a text")
	stranded := 0.0
	for _, s := range services {
		stranded += scrape(t, s.Metrics())["transcriptkit_work_stranded_total"]
	}
	t.Logf("%d of %d requests were taken; %d crashes stranded %v works, all of which have ended; %d jobs ended without a text", taken.Load(), sent.Load(), crashes, stranded, len(without))
	if crashes > 1 {
		assert.Positive(t, stranded, "nothing was lost: the test shows nothing")
	}
}

// loadBefore is how many requests are taken before each crash.
const loadBefore = 100

// pour asks for the nth link, recording or batch of a load, and reports whether it was
// taken. A database that is away is an answer too.
func (s *service) pour(t *testing.T, n int64) bool {
	path, body, contentType := "/v1/transcript", body(t, fmt.Sprintf("https://video.example/watch?v=%011d", n), wish{"waitMs", 0}), "application/json"
	switch n % 10 {
	case 0:
		path, body = "/v1/batch", ofLinks(videos(int(20*n), 20)...)
	case 1, 2, 3:
		upload, kind := form(t, file(fmt.Sprint("recording ", n)), field("waitMs", "0"))
		body, contentType = string(upload), kind
	}
	a, err := s.send(t, http.MethodPost, path, strings.NewReader(body), header("Content-Type", contentType))
	return err == nil && a.StatusCode < http.StatusMultipleChoices
}
