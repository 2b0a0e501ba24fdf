package server_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/servertest"
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

// failLate lets the jobs of a service come as far as to the recognizer, so that they
// have places and chunks.
func (s *service) failLate() {
	s.Engine.FailMedia(nil)
	s.Engine.SetMedia(servertest.Media{Duration: time.Second})
	s.Engine.Fail(transcript.Errorf(transcript.UploadInvalid, "Nothing can be understood."))
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
		seen := 0
		for n := range int64(20) {
			s.failingJob(t, n)
			seen += storetest.Count(t, o, "job_events")
		}
		require.Positive(t, seen)
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			assert.Empty(c, files(t, s.blobs))
			assert.Empty(c, files(t, s.scratch))
			for _, table := range passing[:len(passing)-1] { // the queue looks every half a minute
				assert.Zero(c, storetest.Count(t, o, table), table)
			}
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
		s.failLate()
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
		const rounds, round = 48, 10 * time.Second
		sizes := map[string][]int{}
		tick := time.Tick(round)
		for range rounds {
			<-tick
			now := s.sizes(t, o)
			for what, size := range now {
				sizes[what] = append(sizes[what], size)
			}
		}
		t.Logf("%d jobs in %v", sent.Load(), rounds*round)
		for _, what := range slices.Sorted(maps.Keys(sizes)) {
			seen := sizes[what]
			t.Logf("%-24s %v", what, seen)
			before, after := slices.Max(seen[rounds/3:2*rounds/3]), slices.Max(seen[2*rounds/3:])
			assert.LessOrEqual(t, after, before+before/4+100, "%s grows: %v", what, seen)
		}
		assert.Positive(t, slices.Max(sizes["chunks"]), "no job got as far as to the recognizer")
	})
}

// sizes are the rows of every table, the files in every folder, and the KiB of the
// database.
func (s *service) sizes(t *testing.T, o store.Options) map[string]int {
	t.Helper()
	sizes := map[string]int{"blobs": len(files(t, s.blobs)), "scratch": len(files(t, s.scratch))}
	if path, isFile := strings.CutPrefix(o.Database, "sqlite:"); isFile {
		sizes["file KiB"], sizes["log KiB"] = kib(path), kib(path+"-wal")
	} else {
		sizes["database KiB"] = number(t, o, "SELECT pg_database_size(current_database()) / 1024")
	}
	for _, table := range storetest.TableNames(t, o) {
		sizes[table] = storetest.Count(t, o, table)
	}
	return sizes
}

func number(t *testing.T, o store.Options, query string) (n int) {
	t.Helper()
	db := storetest.SQL(t, o)
	require.NoError(t, db.QueryRowContext(t.Context(), query).Scan(&n))
	require.NoError(t, db.Close())
	return n
}

func kib(path string) int {
	info, err := os.Stat(path)
	if err != nil {
		return 0 // it is not there yet
	}
	return int(info.Size() >> 10)
}
