package service_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/nstest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// withoutReserve lets the disks become as full as they can.
func withoutReserve(c *service.Config) { c.MinFreeDisk = 1 }

// waiting waits until the job's work waits for what will pass.
func (b *bench) waiting(t *testing.T, jobID string) {
	t.Helper()
	job, err := b.store.Jobs.Owned(t.Context(), acme, jobID)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		e, err := b.store.Works.ByID(t.Context(), job.WorkID)
		return assert.NoError(t, err) && e.WaitingSince != nil
	}, time.Minute, 10*time.Millisecond)
}

// endsWhole asserts that a job ends with every word, and that what has passed was
// not counted as an attempt.
func (b *bench) endsWhole(t *testing.T, jobID string, words int) {
	t.Helper()
	job := b.end(t, jobID)
	require.Equal(t, transcript.JobSuccess, job.Status, "%v", job.Error)
	assert.Len(t, segmentsOf(t, job.SegmentsJSON), words)
	assert.Equal(t, 1, job.Attempt)
	b.nothingLeft(t)
}

// TestAFullDiskLosesNoWord fills the disk when the upload is in, so that half of
// the audio has no room, and makes room again once the work waits.
func TestAFullDiskLosesNoWord(t *testing.T) {
	t.Parallel()
	const seconds, words = 65, 3
	file := recording(t, seconds, 1)
	for _, what := range []string{"blobs", "scratch files"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			nstest.Disk(t, 16<<20, func(t *testing.T, dir string) {
				o := dbtest.SQLite(t)
				if what == "blobs" {
					o.Blobs = filepath.Join(dir, "blobs")
				}
				b := prepare(t, dbtest.Open(t, o), &script{}, withoutReserve, (*service.Config).PauseBriefly, func(c *service.Config) {
					if what != "blobs" {
						c.Dir = dir
					}
				})
				id := b.job(t, file).JobID
				some := filepath.Join(dir, "some")
				require.NoError(t, os.WriteFile(some, make([]byte, len(file)/2), 0o600))
				free := nstest.Fill(t, dir)
				require.NoError(t, os.Remove(some))
				require.NoError(t, b.Start(t.Context()))
				t.Cleanup(func() { require.NoError(t, b.Stop(context.Background())) })

				b.waiting(t, id)
				require.Eventually(t, func() bool { return len(b.blobs(t)) == 1 }, time.Minute, time.Millisecond,
					"half of the audio takes the room that the next attempt needs")
				free()
				b.endsWhole(t, id, words)
			})
		})
	}
}

// TestAFullDatabaseLosesNoWord fills the database's disk in the middle of a
// recognition.
func TestAFullDatabaseLosesNoWord(t *testing.T) {
	t.Parallel()
	nstest.Disk(t, 16<<20, func(t *testing.T, dir string) {
		o := dbtest.SQLite(t)
		o.Database = "sqlite:" + filepath.Join(dir, "service.db")
		s, err := db.Open(t.Context(), o)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		full := make(chan func(), 1)
		var once sync.Once
		e := &script{recognize: func(ctx context.Context, _ int, _ engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
			once.Do(func() { full <- nstest.Fill(t, dir) })
			return heard("hello"), nil
		}}
		b := start(t, s, e, withoutReserve, (*service.Config).PauseBriefly)
		id := b.job(t, recording(t, 65, 1)).JobID
		free := <-full
		refused := 0
		require.Eventually(t, func() bool {
			err := s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
				return tx.Contents.Put(ctx, &db.Content{Platform: transcript.VideoSite, ExternalID: "another", AskedAt: time.Now()})
			})
			if err != nil {
				assert.ErrorIs(t, err, db.ErrUnavailable)
				refused++
			}
			return refused == 20
		}, time.Minute, 100*time.Millisecond, "the disk was not full for long")
		free()
		b.endsWhole(t, id, 3)
	})
}

// TestRoomIsLookedAtBeforeWorkIsTaken: what would leave too little room is
// refused, or waits; what is stored is still read.
func TestRoomIsLookedAtBeforeWorkIsTaken(t *testing.T) {
	t.Parallel()
	nstest.Disk(t, 64<<20, func(t *testing.T, dir string) {
		o := dbtest.SQLite(t)
		o.Blobs = filepath.Join(dir, "blobs")
		b := prepare(t, dbtest.Open(t, o), &script{}, (*service.Config).PauseBriefly, func(c *service.Config) { c.MinFreeDisk = 32 << 20 })
		require.NoError(t, b.Disks.Room(16<<20))
		require.ErrorIs(t, b.Disks.Room(48<<20), db.ErrUnavailable)
		id := b.job(t, recording(t, 5, 1)).JobID

		_, err := b.Receive(t.Context(), bytes.NewReader(make([]byte, 60<<20)), 1<<30)
		require.ErrorIs(t, err, db.ErrUnavailable, "it would take what is to stay free")
		assert.Len(t, b.blobs(t), 1)

		filler := filepath.Join(dir, "filler")
		require.NoError(t, os.WriteFile(filler, make([]byte, 40<<20), 0o600))
		require.ErrorIs(t, b.Disks.Room(0), db.ErrUnavailable)
		_, err = b.Receive(t.Context(), bytes.NewReader([]byte("x")), 1<<30)
		require.ErrorIs(t, err, db.ErrUnavailable)
		require.NoError(t, b.Start(t.Context()))
		t.Cleanup(func() { require.NoError(t, b.Stop(context.Background())) })
		b.waiting(t, id)
		require.NoError(t, os.Remove(filler))
		b.endsWhole(t, id, 1)
	})
}
