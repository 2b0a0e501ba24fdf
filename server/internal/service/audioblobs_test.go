package service_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// TestAudioStaysForAnHour: a database that loses the end of a job goes on with the job. The audio
// also stays while a backup holds the blobs.
func TestAudioStaysForAnHour(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s := dbtest.Open(t, o)
		b := start(t, s, &script{}, func(c *service.Config) { c.AudioStays(time.Hour, time.Millisecond) })
		job := b.end(t, b.job(t, recording(t, 25, 1)).JobID)
		require.Equal(t, transcript.JobSuccess, job.Status, "%v", job.Error)
		chunks := len(segmentsOf(t, job.SegmentsJSON))
		require.True(t, b.holds(t, db.UploadPrefix, 1), "the upload")
		require.True(t, b.holds(t, db.AudioPrefix, chunks), "%d chunks", chunks)
		young, err := s.WithAudio(t.Context(), time.Hour)
		require.NoError(t, err)
		require.Empty(t, young)

		_, hold, err := s.HoldBlobs(t.Context())
		require.NoError(t, err)
		_, err = storetest.SQL(t, store.Options(o)).ExecContext(t.Context(), `UPDATE extractions SET audio_ended_at = '2026-01-01 00:00:00+00:00'`)
		require.NoError(t, err)
		old, err := s.WithAudio(t.Context(), time.Hour)
		require.NoError(t, err)
		require.Len(t, old, 1)
		require.True(t, b.holds(t, "", 1+chunks))
		require.NoError(t, hold.Release(t.Context()))
		b.nothingLeft(t)
		old, err = s.WithAudio(t.Context(), 0)
		require.NoError(t, err)
		assert.Empty(t, old)
	})
}

// TestLostChunkIsHeardAgain loses the commit of a chunk that was recognized.
func TestLostChunkIsHeardAgain(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		raw := storetest.SQL(t, store.Options(o))
		e := &script{recognize: func(ctx context.Context, call int, _ engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
			if call == 2 {
				_, err := raw.ExecContext(ctx, `UPDATE chunks SET done = false, result = NULL WHERE done AND result IS NOT NULL`)
				assert.NoError(t, err)
			}
			return heard("hello"), nil
		}}
		b := start(t, dbtest.Open(t, o), e, func(c *service.Config) { c.ASRWorkers, c.Retention = 1, lookingEvery(20*time.Millisecond) })
		job := b.end(t, b.job(t, recording(t, 65, 1)).JobID)
		require.Equal(t, transcript.JobSuccess, job.Status, "%v", job.Error)
		segments := segmentsOf(t, job.SegmentsJSON)
		assert.Equal(t, len(segments)+1, e.calls())
		assert.Equal(t, strings.Repeat("hello", len(segments)), textOf(segments))
	})
}

func textOf(segments []transcript.Segment) (text string) {
	for _, s := range segments {
		text += s.Text
	}
	return text
}
