package e2e_test

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/server/store/s3store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// mediaLength is the length of the recording in the crash tests.
const mediaLength = 6 * time.Minute

// TestKillOnSQLite kills the only process in the middle of a recognition and
// starts it again on the same file.
func TestKillOnSQLite(t *testing.T) {
	full(t)
	t.Parallel()
	s := newPlace(t, "sqlite:"+filepath.Join(t.TempDir(), "service.db"))
	key := s.makeKey(t)
	addr := freeAddr(t)
	first := s.spawn(t, addr)
	c := newClient(t, first.url, key)
	job := submit(t, c, bursts(t, mediaLength))
	watch := observe(t, c, job.JobID)

	s.awaitDone(t, job.JobID, 3)
	dbtest.RequireSound(t, s.database)
	first.kill()
	dbtest.RequireSound(t, s.database)
	finished := s.finishedChunks(t, job.JobID)
	before := begun(t, s.diary)
	s.spawn(t, addr)
	s.awaitMoreWork(t, before)

	s.checkEnd(t, c, job.JobID, watch, finished)
}

// TestKillOnPostgres kills one of two processes that share the work. The killed process goes on to
// beat, so that only the end of its session tells that it is dead.
func TestKillOnPostgres(t *testing.T) {
	t.Parallel()
	s := newPlace(t, storetest.Postgres(t).Database)
	key := s.makeKey(t)
	victim := s.spawn(t, "127.0.0.1:0")
	rows := beside{storetest.SQL(t, store.Options{Database: s.database})}
	_, err := rows.ExecContext(t.Context(), `CREATE TABLE killed AS SELECT id FROM processes`)
	require.NoError(t, err)
	survivor := s.spawn(t, "127.0.0.1:0")
	c := newClient(t, survivor.url, key)
	job := submit(t, newClient(t, victim.url, key), bursts(t, mediaLength))
	watch := observe(t, c, job.JobID)

	s.awaitDone(t, job.JobID, 3)
	victim.kill()
	beating := rows.beating(t)
	defer beating()
	finished := s.finishedChunks(t, job.JobID)

	s.checkEnd(t, c, job.JobID, watch, finished)
}

// beating beats for the killed processes, far more often than their silence would have to last,
// until the caller calls stop.
func (b beside) beating(t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var beats sync.WaitGroup
	beats.Go(func() {
		tick := time.NewTicker(3 * time.Second)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				_, err := b.ExecContext(ctx, `UPDATE processes SET beats = beats + 1, beat_at = CURRENT_TIMESTAMP WHERE id IN (SELECT id FROM killed)`)
				assert.True(t, err == nil || ctx.Err() != nil, "%v", err)
			}
		}
	})
	return func() { cancel(); beats.Wait() }
}

// makeKey makes an account and a key, as the operator does beside the service.
func (s place) makeKey(t testing.TB) string {
	t.Helper()
	return makeKey(t, s.open(t))
}

func (s place) open(t testing.TB) *store.Store {
	t.Helper()
	st, err := store.Open(t.Context(), store.Options{Database: s.database, Blobs: s.blobs, OpenBucket: s3store.Open})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, st.Close()) })
	return st
}

func newClient(t testing.TB, url, key string) *client.Client {
	t.Helper()
	c, err := client.New(url, client.WithAPIKey(key))
	require.NoError(t, err)
	return c
}

func submit(t *testing.T, c *client.Client, path string) *transcript.Job {
	t.Helper()
	var now time.Duration
	res, job, err := c.Transcripts.Submit(t.Context(), transcript.Request{Source: transcript.File(path), Wait: &now})
	require.NoError(t, err)
	require.Nil(t, res)
	return job
}

// observe collects the events of a job until its end.
func observe(t *testing.T, c *client.Client, jobID string) <-chan []transcript.Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	t.Cleanup(cancel)
	out := make(chan []transcript.Event, 1)
	go func() {
		var events []transcript.Event
		for e, err := range c.Jobs.Events(ctx, jobID) {
			if !assert.NoError(t, err) {
				break
			}
			events = append(events, e)
		}
		out <- events
	}()
	return out
}

// finishedChunks are the chunks of the job's work that have a result.
func (s place) finishedChunks(t *testing.T, jobID string) []db.Chunk {
	t.Helper()
	st := s.open(t)
	job, err := db.Of(st).Jobs.Owned(t.Context(), "acme", jobID)
	require.NoError(t, err)
	list, err := db.Of(st).Chunks.CutList(t.Context(), job.WorkID)
	require.NoError(t, err)
	var done []db.Chunk
	for _, c := range list {
		if c.Done && !c.Silent {
			done = append(done, c)
		}
	}
	return done
}

// awaitDone waits until n chunks have a result.
func (s place) awaitDone(t *testing.T, jobID string, n int) {
	t.Helper()
	require.Eventually(t, func() bool { return len(s.finishedChunks(t, jobID)) >= n }, time.Minute, 200*time.Millisecond)
}

// awaitMoreWork waits until a chunk is begun that the diary did not hold before.
func (s place) awaitMoreWork(t *testing.T, before map[string]int) {
	t.Helper()
	total := func(m map[string]int) (n int) {
		for _, k := range m {
			n += k
		}
		return n
	}
	require.Eventually(t, func() bool { return total(begun(t, s.diary)) > total(before) }, time.Minute, 50*time.Millisecond, "work did not go on")
}

// checkEnd checks the whole story: success, every chunk in its place, none that
// had finished recognized twice, and a stream of events without gap or repeat.
func (s place) checkEnd(t *testing.T, c *client.Client, jobID string, watch <-chan []transcript.Event, finished []db.Chunk) {
	t.Helper()
	killed := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	res, err := c.Jobs.Wait(ctx, jobID)
	require.NoError(t, err, "lost work was not taken up again")
	t.Logf("the job ended %v after the kill", time.Since(killed).Round(100*time.Millisecond))

	require.NotEmpty(t, finished)
	counts := begun(t, s.diary)
	assert.Len(t, counts, len(res.Transcript.Segments), "every chunk is one segment")
	byStart := map[int]string{}
	for _, seg := range res.Transcript.Segments {
		byStart[int(seg.Start*1000+0.5)] = seg.Text
		assert.Positive(t, counts[seg.Text], "a text that nobody heard")
	}
	for _, chunk := range finished {
		hash := byStart[int(chunk.Start*1000+0.5)]
		assert.Equal(t, 1, counts[hash], "chunk %d had finished and was recognized again", chunk.N)
	}

	last, again := 0, 0
	for _, e := range <-watch {
		if e.Segments == nil && e.Job.Attempt > 1 && e.Job.Stage == transcript.StageASRRunning {
			again++
			require.NotNil(t, e.Job.LastError, "an event of the second attempt: %+v", e)
			assert.Equal(t, transcript.Internal, e.Job.LastError.Code)
			assert.Equal(t, "The process of the service that did the work has ended.", e.Job.LastError.Message)
			assert.Equal(t, 1, e.Job.LastError.Attempt)
		}
		switch {
		case e.Type == transcript.EventSnapshot:
			require.Zero(t, last, "a second snapshot")
			last = e.Job.Sequence
		case e.ID != 0:
			require.Equal(t, last+1, e.ID, "transitions missed or repeated")
			last = e.ID
		}
	}
	job, err := c.Jobs.Get(t.Context(), jobID)
	require.NoError(t, err)
	assert.Equal(t, job.Sequence, last, "the stream ended before the job")
	assert.Equal(t, transcript.JobSuccess, job.Status)
	if lost := slices.Max(slices.Collect(maps.Values(counts))) > 1; lost { // the killed process was at work on a chunk
		assert.Positive(t, again, "no event told of the second attempt")
	}
	assert.Nil(t, job.LastError)
}
