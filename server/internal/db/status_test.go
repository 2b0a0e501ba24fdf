package db_test

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestStatus(t *testing.T) {
	t.Parallel()
	dbtest.BothDatabases(t, func(t *testing.T, o db.Options) {
		s, ctx := dbtest.Open(t, o), t.Context()
		now, err := s.Status(ctx)
		require.NoError(t, err)
		require.Positive(t, now.Bytes)
		now.Bytes = 0
		require.Equal(t, db.Status{}, now)

		e, jobs := newWork(t, s, "acme", "beta")
		newWork(t, s, "acme")
		enqueue(t, s, "a", "b")
		move(t, s, e, durationCheck)
		ended, _ := newWork(t, s, "acme")
		move(t, s, ended, cancelled)
		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.Queue.EnqueueAt(ctx, work{Name: "later"}, time.Now().Add(time.Hour)))
		})
		for key, size := range map[string]int{"uploads/a": 3, "uploads/b": 4, "audio/e/0": 5} {
			_, err := s.Blobs.Put(ctx, key, func(w io.Writer) error { _, err := w.Write(make([]byte, size)); return err })
			require.NoError(t, err)
		}
		raw := open(t, o)
		raw.exec(t, `INSERT INTO processes (id, beat_at, beats) VALUES ('lives', CURRENT_TIMESTAMP, 1), ('dead', '2026-01-02 03:04:05', 1)`)

		require.NoError(t, dbtest.Sweep(ctx, s, time.Hour, time.Hour))
		now, err = s.Status(ctx)
		require.NoError(t, err)
		require.ElementsMatch(t, []string{"queued", "duration_check"}, []string{string(now.Jobs[0].Stage), string(now.Jobs[1].Stage)})
		for _, count := range now.Jobs {
			if count.Stage == transcript.StageDurationCheck {
				assert.Equal(t, 2, count.Jobs)
				assert.WithinDuration(t, jobs[0].CreatedAt, count.Oldest, 0)
				continue
			}
			assert.Equal(t, 1, count.Jobs)
		}
		assert.ElementsMatch(t, []queue.Steps{
			{Queue: "default", State: "available", Steps: 2}, {Queue: "default", State: "scheduled", Steps: 1},
		}, now.Queue)
		assert.Equal(t, 1, now.Processes)
		require.Len(t, now.Blobs, 4)
		for _, blobs := range now.Blobs {
			assert.Equal(t, map[string]int64{"uploads": 7, "audio": 5, "playing": 0, "recordings": 0}[blobs.Name], blobs.Value, blobs.Name)
			assert.WithinDuration(t, time.Now(), blobs.MeasuredAt, time.Minute)
		}

		require.NoError(t, s.Blobs.Delete(ctx, "uploads/b"))
		require.NoError(t, dbtest.Sweep(ctx, s, time.Hour, time.Hour))
		now, err = s.Status(ctx)
		require.NoError(t, err)
		require.Len(t, now.Blobs, 4, "each is measured anew")
	})
}
