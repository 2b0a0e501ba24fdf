package service_test

import (
	"context"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// What has been recognized is published at once, however many recordings are
// being prepared and recognized.
func TestPublishingWaitsForNobody(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		const first, waiting = 3, 100
		var probes, chunks atomic.Int32
		heard1, busy := make(chan struct{}), make(chan struct{})
		e := &script{
			probe: func() (engine.MediaInfo, error) {
				if probes.Add(1) > first {
					<-busy
				}
				return engine.MediaInfo{Format: "wav", HasAudio: true}, nil
			},
			recognize: func(context.Context, int, engine.Audio, engine.RecognizeOptions) (engine.Recognition, error) {
				if chunks.Add(1) > first {
					<-busy
				}
				<-heard1
				return heard("hello"), nil
			},
		}
		b := start(t, s, e, func(c *service.Config) { c.ASRWorkers = first })
		t.Cleanup(func() { close(busy) })
		var ids []string
		for i := range first {
			ids = append(ids, b.job(t, recording(t, 2, i)).JobID)
		}
		for _, id := range ids {
			b.reach(t, id, transcript.StageASRRunning)
		}
		for i := range waiting { // two of which keep the workers that prepare
			b.job(t, recording(t, 1, first+i))
		}
		close(heard1)
		for _, id := range ids {
			assert.Equal(t, transcript.JobSuccess, b.end(t, id).Status)
		}
		assert.LessOrEqual(t, probes.Load(), int32(first+2))
	})
}

// reach waits until a job is in a stage.
func (b *bench) reach(t *testing.T, id string, stage transcript.Stage) {
	t.Helper()
	events, err := b.Jobs.Watch(t.Context(), acme, id, 0)
	require.NoError(t, err)
	for event, err := range events {
		require.NoError(t, err)
		if event.Job.Stage == stage {
			return
		}
	}
	t.Fatalf("the job ended before %s", stage)
}

// A directory for scratch files that is away is the service's own trouble: work waits.
func TestWithoutScratchDirectory(t *testing.T) {
	t.Parallel()
	b := prepareLinks(t, dbtest.Open(t, dbtest.SQLite(t)), newPlatforms(t, manual("en")), (*service.Config).PauseBriefly)
	require.NoError(t, os.RemoveAll(b.dir))
	out, err := b.Submit(t.Context(), link("v1", "en"))
	require.NoError(t, err)
	row, err := b.store.Jobs.Owned(t.Context(), acme, out.Job.JobID)
	require.NoError(t, err)
	b.startOne(t)
	require.Eventually(t, func() bool {
		e, err := b.store.Works.ByID(t.Context(), row.WorkID)
		return err == nil && e.WaitingSince != nil
	}, time.Minute, time.Millisecond)
	require.NoError(t, os.Mkdir(b.dir, 0o700))
	job := b.end(t, out.Job.JobID)
	assert.Equal(t, transcript.JobSuccess, job.Status, "%v", job.Error)
	assert.Equal(t, 1, job.Attempt)
}
