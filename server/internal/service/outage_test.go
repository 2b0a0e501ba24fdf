package service_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The database goes away while steps run, and while others wait in the queue.
// What runs is not done twice, and what waits begins within seconds of the
// database's return.
func TestOutage(t *testing.T) {
	t.Parallel()
	const away = 3 * time.Second
	line, at := storetest.Behind(t, storetest.Postgres(t))
	o := db.Options(at)
	var mu sync.Mutex
	var begun []time.Time
	running, finish := make(chan struct{}, 100), make(chan struct{})
	e := &script{recognize: func(ctx context.Context, _ int, _ engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
		mu.Lock()
		begun = append(begun, time.Now())
		mu.Unlock()
		running <- struct{}{}
		select {
		case <-finish:
		case <-ctx.Done():
			return engine.Recognition{}, ctx.Err()
		}
		return heard("hello"), nil
	}}
	b := start(t, dbtest.Open(t, o), e)
	var jobs []*view.Job
	for i := range 6 {
		jobs = append(jobs, b.job(t, recording(t, 5, i)))
	}
	<-running // two chunks at once
	<-running

	line.Cut()
	close(finish) // two results, and nowhere to write them
	<-time.After(away)
	line.Mend()
	back := time.Now()
	for _, job := range jobs {
		end := b.end(t, job.JobID)
		assert.Equal(t, transcript.JobSuccess, end.Status, "%v", end.Error)
	}
	took := time.Since(back)
	mu.Lock()
	defer mu.Unlock()
	require.Len(t, begun, len(jobs), "a chunk was recognized twice")
	t.Logf("away for %v; the next step began %v after, all had ended after %v", away, begun[2].Sub(back), took)
	assert.Less(t, begun[2].Sub(back), 30*time.Second, "River by itself may wait for a minute before it leads again")
}
