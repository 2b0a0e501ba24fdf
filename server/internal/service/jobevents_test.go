package service_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// resume follows a job to its end with a new watch for each transition, as a client does
// whose connections break. It counts the watches that had a usable sequence: each of
// them must begin with the transition after it.
func resume(t *testing.T, p *service.Service, job string, resumed *atomic.Int64) error {
	for last := 0; ; {
		events, err := p.Jobs.Watch(t.Context(), acme, job, last)
		if errors.Is(err, view.ErrNothingMore) {
			return nil
		}
		if err != nil {
			return err
		}
		for event, err := range events {
			switch {
			case err != nil:
				return err
			case event.Type == transcript.EventSnapshot && last > 0:
				return fmt.Errorf("a snapshot of sequence %d after %d", event.Job.Sequence, last)
			case event.Type == transcript.EventSnapshot:
				last = event.Job.Sequence
			case event.ID == 0:
				continue // progress
			case event.ID != last+1:
				return fmt.Errorf("%d after %d", event.ID, last)
			default:
				last = event.ID
				resumed.Add(1)
			}
			if event.Job.Status.Terminal() && event.Type != transcript.EventSnapshot {
				return nil
			}
			break
		}
	}
}

// TestResumedWatches: while a database keeps what it has committed, a sequence that was
// told is never ahead of the job.
func TestResumedWatches(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		b := start(t, s, &script{})
		var resumed atomic.Int64
		var watchers errgroup.Group
		for n := range 6 {
			job := b.job(t, recording(t, 2, n))
			for range 8 {
				watchers.Go(func() error { return resume(t, b.Service, job.JobID, &resumed) })
			}
		}
		require.NoError(t, watchers.Wait())
		assert.Greater(t, resumed.Load(), int64(100))
	})
}

// TestWatchAfterLostCommits is a PostgreSQL server that has crashed with
// synchronous_commit off, or a replica that is behind: the last transition that a client
// was told of is gone. Only then a watch with a sequence begins with a snapshot.
func TestWatchAfterLostCommits(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s := dbtest.Open(t, o)
		b := prepare(t, s, &script{})
		job := b.job(t, recording(t, 2, 1))
		raw := storetest.SQL(t, store.Options(o))
		for _, statement := range []string{
			"INSERT INTO job_events (job_id, sequence, status, stage, attempt, metadata_status, at) SELECT job_id, 2, status, stage, attempt, metadata_status, at FROM job_events",
			"UPDATE jobs SET sequence = 2",
		} {
			_, err := raw.ExecContext(t.Context(), statement)
			require.NoError(t, err)
		}
		first := func(after int) view.Event {
			events, err := b.Jobs.Watch(t.Context(), acme, job.JobID, after)
			require.NoError(t, err)
			for event, err := range events {
				require.NoError(t, err)
				return event
			}
			return view.Event{}
		}
		require.Equal(t, 2, first(1).ID)
		for _, statement := range []string{"DELETE FROM job_events WHERE sequence = 2", "UPDATE jobs SET sequence = 1"} {
			_, err := raw.ExecContext(t.Context(), statement)
			require.NoError(t, err)
		}
		event := first(2)
		assert.Equal(t, transcript.EventSnapshot, event.Type)
		assert.Equal(t, 1, event.Job.Sequence)
	})
}
