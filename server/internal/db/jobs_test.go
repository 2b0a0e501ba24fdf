package db_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/lifecycle"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestWorkRunsOnce(t *testing.T) {
	t.Parallel()
	dbtest.Both(t, func(t *testing.T, s *db.Store) {
		ctx := t.Context()
		e, _ := newWork(t, s, "acme")

		got, err := s.Works.ByID(ctx, e.ID)
		require.NoError(t, err)
		require.Equal(t, e, got)
		got, err = running(t, s, e.Owner, e.Platform, e.ExternalID, e.Languages)
		require.NoError(t, err)
		require.Equal(t, e, got)
		_, err = running(t, s, "beta", e.Platform, e.ExternalID, e.Languages)
		require.ErrorIs(t, err, db.ErrNotFound, "another owner's")
		_, err = running(t, s, e.Owner, e.Platform, e.ExternalID, "de")
		require.ErrorIs(t, err, db.ErrNotFound, "another list")

		twin := *e
		twin.ID = ""
		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			require.ErrorIs(t, tx.Works.Insert(ctx, &twin), db.ErrExists)
			_, err := tx.Works.LockRunning(ctx, e.Owner, e.Platform, e.ExternalID, "", "", transcript.Listening{})
			require.NoError(t, err, "the transaction stays usable")
			other := twin
			other.ID, other.Prompt = "", "Grafana"
			_, err = tx.Works.LockRunning(ctx, e.Owner, e.Platform, e.ExternalID, "", other.Prompt, transcript.Listening{})
			require.ErrorIs(t, err, db.ErrNotFound)
			require.NoError(t, tx.Works.Insert(ctx, &other), "with another prompt it is other work")
			found, err := tx.Works.LockRunning(ctx, e.Owner, e.Platform, e.ExternalID, "", other.Prompt, transcript.Listening{})
			require.NoError(t, err)
			require.Equal(t, other.ID, found.ID)
		})

		// Once the first has ended, there may be another.
		move(t, s, e, cancelled)
		_, err = running(t, s, e.Owner, e.Platform, e.ExternalID, "")
		require.ErrorIs(t, err, db.ErrNotFound)
		twin.ID = ""
		inTx(t, s, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Works.Insert(ctx, &twin)) })

		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.Works.SetDuration(ctx, twin.ID, 12.25))
			require.ErrorIs(t, tx.Works.SetDuration(ctx, "none", 1), db.ErrNotFound)
		})
		got, err = s.Works.ByID(ctx, twin.ID)
		require.NoError(t, err)
		require.Equal(t, 12.25, got.Duration)
	})
}

func TestJobBelongsToItsAccount(t *testing.T) {
	t.Parallel()
	dbtest.Both(t, func(t *testing.T, s *db.Store) {
		ctx := t.Context()
		e, jobs := newWork(t, s, "acme", "beta")
		for _, j := range jobs {
			got, err := s.Jobs.Owned(ctx, j.Account, j.ID)
			require.NoError(t, err)
			require.Equal(t, j, got)
			inTx(t, s, func(ctx context.Context, tx *db.Tx) {
				got, err := tx.Jobs.Running(ctx, j.Account, e.ID)
				require.NoError(t, err)
				require.Equal(t, j, got)
			})
		}
		for _, account := range []string{"beta", "", "ACME", "acme "} {
			_, err := s.Jobs.Owned(ctx, account, jobs[0].ID)
			require.ErrorIs(t, err, db.ErrNotFound, account)
		}
		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			err := tx.Jobs.Insert(ctx, &db.Job{Account: "acme", WorkID: e.ID, State: queued})
			require.ErrorIs(t, err, db.ErrExists, "one running claim per account and extraction")
			_, err = tx.Jobs.Running(ctx, "gamma", e.ID)
			require.ErrorIs(t, err, db.ErrNotFound)
			running, err := tx.Jobs.LockRunning(ctx, e.ID)
			require.NoError(t, err)
			require.Equal(t, []db.Job{*jobs[0], *jobs[1]}, running)
		})
	})
}

func TestMove(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		ctx := t.Context()
		e, jobs := newWork(t, s, "acme", "beta")
		move(t, s, e, durationCheck, asrQueued, asrRunning)

		// A job that joins now stands where the work stands.
		late := &db.Job{Account: "late", WorkID: e.ID, State: asrRunning}
		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.Jobs.Insert(ctx, late))
			locked, err := tx.Works.Lock(ctx, e.ID)
			require.NoError(t, err)
			require.NoError(t, tx.Works.Move(ctx, locked, db.Move{To: asrQueued, Retry: true}))
			require.Equal(t, asrQueued, locked.State)
			require.Equal(t, 2, locked.Attempt)
			require.NoError(t, tx.Works.SetMetadata(ctx, e.ID, transcript.Metadata{Title: "A talk"}))
			require.NoError(t, tx.Works.Move(ctx, locked, db.Move{To: asrRunning}))
			require.NoError(t, tx.Works.Move(ctx, locked, db.Move{To: publishing}))
			require.Error(t, tx.Works.Move(ctx, locked, db.Move{To: done}), "an end")
			running, err := tx.Jobs.LockRunning(ctx, e.ID)
			require.NoError(t, err)
			over, err := tx.Works.End(ctx, locked, running, db.End{Status: transcript.JobSuccess, TranscriptID: "t"})
			require.NoError(t, err)
			require.True(t, over)
			require.Equal(t, done, locked.State)
		})

		got, err := s.Works.ByID(ctx, e.ID)
		require.NoError(t, err)
		require.Equal(t, done, got.State)
		require.Equal(t, 2, got.Attempt)

		for _, j := range append(jobs, late) {
			got, err := s.Jobs.Owned(ctx, j.Account, j.ID)
			require.NoError(t, err)
			require.Equal(t, done, got.State)
			require.Equal(t, 2, got.Attempt)
			require.Equal(t, "t", got.TranscriptID)
			require.Equal(t, transcript.MetadataPartial, got.MetadataStatus)
			require.NotNil(t, got.EndedAt)

			events, err := s.Jobs.Events(ctx, j.ID, 0)
			require.NoError(t, err)
			require.Len(t, events, got.Sequence)
			for i, ev := range events {
				require.Equal(t, i+1, ev.Sequence)
			}
			last := events[len(events)-1]
			require.Equal(t, db.JobEvent{Sequence: got.Sequence, State: done, Attempt: 2,
				MetadataStatus: transcript.MetadataPartial, At: got.UpdatedAt}, last)
			after, err := s.Jobs.Events(ctx, j.ID, got.Sequence-1)
			require.NoError(t, err)
			require.Equal(t, []db.JobEvent{last}, after)
		}
	})
}

// How long a platform blocks is measured from the first time, and anew for a
// later stage.
func TestWaitingSince(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		e, _ := newWork(t, s, "acme")
		waitingSince := func(c db.Move) *time.Time {
			inTx(t, s, func(ctx context.Context, tx *db.Tx) {
				locked, err := tx.Works.Lock(ctx, e.ID)
				require.NoError(t, err)
				if c.Waits {
					now, err := tx.Now(ctx)
					require.NoError(t, err)
					c.Why = &transcript.LastError{Code: transcript.IPBlocked, At: transcript.At(now), Attempt: 1}
				}
				require.NoError(t, tx.Works.Move(ctx, locked, c))
			})
			stored, err := s.Works.ByID(t.Context(), e.ID)
			require.NoError(t, err)
			return stored.WaitingSince
		}
		fetch := lifecycle.State{Status: transcript.JobProcessing, Stage: transcript.StageCaptionFetch}
		require.Nil(t, waitingSince(db.Move{To: fetch}))
		first := waitingSince(db.Move{To: queued, Waits: true})
		require.NotNil(t, first)
		assert.Equal(t, first, waitingSince(db.Move{To: fetch}))
		assert.Equal(t, first, waitingSince(db.Move{To: queued, Waits: true}))
		assert.Equal(t, first, waitingSince(db.Move{To: fetch}))
		assert.Equal(t, first, waitingSince(db.Move{To: queued, Retry: true}), "a fault ends no block")
		assert.Equal(t, first, waitingSince(db.Move{To: fetch}))
		assert.Nil(t, waitingSince(db.Move{To: durationCheck}), "the platform has answered")
		again := waitingSince(db.Move{To: queued, Waits: true})
		require.NotNil(t, again)
		assert.NotEqual(t, first, again)
	})
}

func TestMoveRefusesWhatTheTableDoesNotHave(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		for _, from := range append(everyState(), lifecycle.State{}) {
			for _, to := range everyState() {
				want := to
				if to.Status == transcript.JobSuccess && to.Stage != transcript.StageDone {
					continue // it cannot be said
				}
				if to.Status == transcript.JobFailed || to.Status == transcript.JobCancelled {
					want.Stage = from.Stage
				}
				err := attempt(t, s, from, to)
				require.Equal(t, lifecycle.CanMove(from, want), err == nil, "%v to %v: %v", from, to, err)
			}
		}
	})
}

// running is the work that LockRunning finds.
func running(t *testing.T, s *db.Store, owner string, p transcript.Platform, externalID, languages string) (e *db.Work, err error) {
	t.Helper()
	err = s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
		e, err = tx.Works.LockRunning(ctx, owner, p, externalID, languages, "", transcript.Listening{})
		return err
	})
	return e, err
}

func everyState() []lifecycle.State {
	var all []lifecycle.State
	for _, status := range []transcript.JobStatus{transcript.JobPending, transcript.JobProcessing,
		transcript.JobSuccess, transcript.JobFailed, transcript.JobCancelled} {
		for _, stage := range []transcript.Stage{transcript.StageQueued, transcript.StageCaptionFetch, transcript.StageDurationCheck,
			transcript.StageASRQueued, transcript.StageASRRunning, transcript.StagePublishing, transcript.StageDone} {
			all = append(all, lifecycle.State{Status: status, Stage: stage})
		}
	}
	return all
}

var errUndo = errors.New("undo")

// attempt moves a fresh work from one state to another, or begins there,
// and undoes it.
func attempt(t *testing.T, s *db.Store, from, to lifecycle.State) error {
	t.Helper()
	var result error
	err := s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
		e := &db.Work{Platform: transcript.Upload, ExternalID: "x", State: from}
		if from == (lifecycle.State{}) {
			e.State = to
			result = tx.Works.Insert(ctx, e)
			if result == nil {
				result = tx.Jobs.Insert(ctx, &db.Job{Account: "a", WorkID: e.ID, State: to})
			}
			return errUndo
		}
		if !lifecycle.CanMove(lifecycle.State{}, from) {
			// It cannot even begin there, and Move reads the given state.
			e.ID = "x"
			result = goTo(ctx, tx, e, to)
			return errUndo
		}
		require.NoError(t, tx.Works.Insert(ctx, e))
		result = goTo(ctx, tx, e, to)
		return errUndo
	})
	require.ErrorIs(t, err, errUndo)
	return result
}

func TestMoveOfAStaleWork(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		e, jobs := newWork(t, s, "acme")
		stale := *e
		move(t, s, e, durationCheck)
		for _, to := range []lifecycle.State{durationCheck, cancelled} {
			moved := stale
			require.Error(t, s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error { return goTo(ctx, tx, &moved, to) }))
		}
		got, err := s.Jobs.Owned(t.Context(), "acme", jobs[0].ID)
		require.NoError(t, err)
		require.Equal(t, durationCheck, got.State)
	})
}

func TestEndOfOneJob(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		ctx := t.Context()
		e, jobs := newWork(t, s, "acme", "beta")
		_, others := newWork(t, s, "acme")
		move(t, s, e, durationCheck)
		one, err := s.Jobs.Owned(ctx, "acme", jobs[0].ID)
		require.NoError(t, err)
		stale := *one
		failure := transcript.Errorf(transcript.InvalidVideo, `it's "quoted" \' here`).With("limitSec", 1.5)
		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			locked, err := tx.Works.Lock(ctx, e.ID)
			require.NoError(t, err)
			ending := []db.Job{*one}
			_, err = tx.Works.End(ctx, locked, ending, db.End{Status: transcript.JobPending})
			require.Error(t, err, "an end only")
			over, err := tx.Works.End(ctx, locked, ending, db.End{Status: transcript.JobFailed, Error: failure})
			require.NoError(t, err)
			require.False(t, over, "another waits")
			require.Equal(t, durationCheck, locked.State)
			*one = ending[0]
			_, err = tx.Works.End(ctx, locked, []db.Job{stale}, db.End{Status: transcript.JobCancelled})
			require.ErrorIs(t, err, db.ErrNotFound)
			_, err = tx.Works.End(ctx, locked, []db.Job{*others[0]}, db.End{Status: transcript.JobCancelled})
			require.Error(t, err, "a claim on another extraction")
		})
		other, err := s.Jobs.Owned(ctx, "acme", others[0].ID)
		require.NoError(t, err)
		require.Equal(t, queued, other.State)
		got, err := s.Jobs.Owned(ctx, "acme", one.ID)
		require.NoError(t, err)
		require.Equal(t, one, got)
		require.Equal(t, lifecycle.State{Status: transcript.JobFailed, Stage: transcript.StageDurationCheck}, got.State)
		require.Equal(t, failure, got.Error)
		require.Equal(t, 3, got.Sequence)

		// The other goes on, the ended one stays.
		move(t, s, e, asrQueued)
		got, err = s.Jobs.Owned(ctx, "beta", jobs[1].ID)
		require.NoError(t, err)
		require.Equal(t, asrQueued, got.State)
		got, err = s.Jobs.Owned(ctx, "acme", one.ID)
		require.NoError(t, err)
		require.Equal(t, 3, got.Sequence)

		// With the last job the work ends.
		inTx(t, s, func(ctx context.Context, tx *db.Tx) { require.NoError(t, cancelOne(ctx, tx, "beta", jobs[1].ID)) })
		ended, err := s.Works.ByID(ctx, e.ID)
		require.NoError(t, err)
		require.Equal(t, lifecycle.State{Status: transcript.JobCancelled, Stage: transcript.StageASRQueued}, ended.State)
	})
}

func TestProgress(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		e, jobs := newWork(t, s, "acme", "beta")
		progress := func(fraction float64) *transcript.Progress {
			return &transcript.Progress{Fraction: fraction, ProcessedSec: fraction * 10, TotalSec: 10}
		}
		for _, step := range []struct{ set, want *transcript.Progress }{
			{progress(0.25), progress(0.25)},
			{progress(0.5), progress(0.5)},
			{progress(0.3), progress(0.5)},
			{nil, nil},
			{progress(0.1), progress(0.1)},
		} {
			inTx(t, s, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Jobs.SetProgress(ctx, e.ID, step.set)) })
			for _, j := range jobs {
				got, err := s.Jobs.Owned(t.Context(), j.Account, j.ID)
				require.NoError(t, err)
				require.Equal(t, step.want, got.Progress)
				require.Equal(t, 1, got.Sequence, "progress is no transition")
			}
		}
	})
}
