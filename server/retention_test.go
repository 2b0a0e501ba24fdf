package server_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

var soakFlag = flag.Bool("soak", false, "also run the tests that take minutes (make soak)")

// passing are the tables whose rows go by themselves.
var passing = []string{"jobs", "job_events", "extractions", "chunks", "idempotency_keys", "asr_places", "lookups", "river_job"}

// sweeping is a service that keeps what has ended for a while only, and whose jobs
// all fail: what a success leaves is kept for good.
func sweeping(t *testing.T, o store.Options, keep, every time.Duration) *service {
	t.Helper()
	s := startIn(t, o, t.TempDir(), func(c *server.Config) { server.SetRetention(c, keep, every) })
	s.Engine.FailMedia(transcript.Errorf(transcript.UploadInvalid, "Nothing can be heard."))
	return s
}

// failingJob returns when the job has ended.
func (s *service) failingJob(t testing.TB, n int64) {
	t.Helper()
	name := fmt.Sprint("file ", n)
	s.upload(t, name, header("Idempotency-Key", name))
}

// TestWhatHasEndedGoes by itself, rows and files.
func TestWhatHasEndedGoes(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := sweeping(t, o, 500*time.Millisecond, time.Second)
		for n := range int64(20) {
			s.failingJob(t, n)
		}
		require.Positive(t, storetest.Count(t, o, "job_events"))
		require.Eventually(t, func() bool {
			left := len(files(t, s.blobs)) + len(files(t, s.scratch))
			for _, table := range passing[:len(passing)-1] { // the queue looks every half a minute
				left += storetest.Count(t, o, table)
			}
			return left == 0
		}, time.Minute, 50*time.Millisecond)
	})
}

// TestSoakRetention keeps a service busy for minutes: its tables, its database and its
// folders stop growing.
func TestSoakRetention(t *testing.T) {
	if !*soakFlag {
		t.Skip("takes minutes: make soak")
	}
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := sweeping(t, o, 20*time.Second, 5*time.Second)
		ctx, cancel := context.WithCancel(t.Context())
		var load sync.WaitGroup
		var sent atomic.Int64
		pace := time.Tick(100 * time.Millisecond) // so that a faster machine does no more
		for range 4 {
			load.Go(func() {
				for ctx.Err() == nil {
					<-pace
					s.failingJob(t, sent.Add(1))
				}
			})
		}
		defer load.Wait()
		defer cancel()
		const rounds, round = 24, 10 * time.Second
		sizes := map[string][]int{}
		tick := time.Tick(round)
		for range rounds {
			<-tick
			for _, table := range passing {
				sizes[table] = append(sizes[table], storetest.Count(t, o, table))
			}
			sizes["database"] = append(sizes["database"], databaseSize(t, o))
			sizes["blobs"] = append(sizes["blobs"], len(files(t, s.blobs)))
			sizes["scratch"] = append(sizes["scratch"], len(files(t, s.scratch)))
		}
		t.Logf("%d jobs in %v", sent.Load(), rounds*round)
		for what, seen := range sizes {
			t.Logf("%-16s %v", what, seen)
			before, after := slices.Max(seen[rounds/3:2*rounds/3]), slices.Max(seen[2*rounds/3:])
			assert.LessOrEqual(t, after, before+before/4+100, "%s grows: %v", what, seen)
		}
	})
}

// databaseSize is in KiB, with the log of changes.
func databaseSize(t *testing.T, o store.Options) (size int) {
	t.Helper()
	path, isFile := strings.CutPrefix(o.Database, "sqlite:")
	if !isFile {
		return storetest.Count(t, o, "generate_series(1, pg_database_size(current_database()) / 1024)")
	}
	names, err := filepath.Glob(path + "*")
	require.NoError(t, err)
	for _, name := range names {
		if info, err := os.Stat(name); err == nil {
			size += int(info.Size() >> 10)
		}
	}
	return size
}
