package service_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Many want recordings of two minutes at once, of an allowance of ten: just five are
// recognized, whether their length is known before or not, and after every end what is
// used and what is reserved is as it should be.
func TestManyAtTheEdge(t *testing.T) {
	t.Parallel()
	many := 50
	if testing.Short() {
		many = 20
	}
	for name, test := range map[string]struct {
		many   int
		stated float64 // seconds
	}{"the platform says how long": {2 * many, 61}, "it is found out": {many, 0}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dbtest.Each(t, func(t *testing.T, s *db.Store) {
				manyAtTheEdge(t, s, test.many, test.stated)
			})
		})
	}
}

func manyAtTheEdge(t *testing.T, s *db.Store, many int, stated float64) {
	t.Helper()
	sites, next := newPlatforms(t), make(chan struct{})
	sites.metadata.Duration, sites.sound = stated, recording(t, 61, 1)
	e := &script{recognize: func(ctx context.Context, _ int, _ engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
		select {
		case <-next:
			return heard("hello"), nil
		case <-ctx.Done():
			return engine.Recognition{}, ctx.Err()
		}
	}}
	b := startLinks(t, s, e, sites)
	// All requests wait for the row of one account, which on a busy machine takes longer than
	// a request may wait for the database.
	ctx := db.Unhurried(t.Context())
	var mu sync.Mutex
	jobs, refused := map[string]bool{}, 0 // by id: whether it has been seen to have ended
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() {
			out, err := b.Submit(ctx, with(link(fmt.Sprint("v", i), "asr"), acme, int64(many), 10))
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				jobs[out.Job.JobID] = false
			} else if assert.ErrorIs(t, err, transcript.ASRQuotaExceeded) {
				refused++
			}
		})
	}
	all.Wait()

	ends := func(status transcript.JobStatus) (n int) {
		for id, over := range jobs {
			if !over { // what has ended is asked for no more
				job := mustJob(t, b, acme, id)
				if !job.Status.Terminal() {
					continue
				}
				require.Equal(t, status, job.Status, "%v", job.Error)
				jobs[id] = true
			}
			n++
		}
		return n
	}
	failed := 0
	require.Eventually(t, func() bool { failed = ends(transcript.JobFailed); return refused+failed == many-5 }, 2*time.Minute, 100*time.Millisecond)
	u := usage(t, s, acme)
	require.Equal(t, db.Allowance{}, u.Used)
	require.EqualValues(t, 10, u.Reserved.Minutes)
	require.EqualValues(t, 5, u.Reserved.Transcripts)
	for done := 0; done < 5; {
		select {
		case next <- struct{}{}:
		case <-time.After(10 * time.Millisecond):
		}
		done = ends(transcript.JobSuccess) - failed
		u := usage(t, s, acme)
		assert.EqualValues(t, 5, u.Taken().Transcripts)
		assert.EqualValues(t, 10, u.Taken().Minutes)
		assert.Equal(t, 2*u.Used.Transcripts, u.Used.Minutes)
		assert.GreaterOrEqual(t, u.Used.Transcripts, int64(done))
	}
	assert.Equal(t, db.Usage{Used: db.Allowance{Transcripts: 5, Minutes: 10}}, usage(t, s, acme))
}
