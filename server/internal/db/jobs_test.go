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
	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestExtractionRunsOnce(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		ctx := t.Context()
		e, _ := extraction(t, s, "acme")

		got, err := s.Extraction(ctx, e.ID)
		require.NoError(t, err)
		require.Equal(t, e, got)
		got, err = s.RunningExtraction(ctx, e.Owner, e.Platform, e.ExternalID, e.Languages)
		require.NoError(t, err)
		require.Equal(t, e, got)
		_, err = s.RunningExtraction(ctx, "beta", e.Platform, e.ExternalID, e.Languages)
		require.ErrorIs(t, err, db.ErrNotFound, "another owner's")
		_, err = s.RunningExtraction(ctx, e.Owner, e.Platform, e.ExternalID, "de")
		require.ErrorIs(t, err, db.ErrNotFound, "another list")

		twin := *e
		twin.ID = ""
		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			require.ErrorIs(t, tx.InsertExtraction(ctx, &twin), db.ErrExists)
			_, err := tx.RunningExtraction(ctx, e.Owner, e.Platform, e.ExternalID, "")
			require.NoError(t, err, "the transaction stays usable")
		})

		// Once the first has ended, there may be another.
		move(t, s, e, cancelled)
		_, err = s.RunningExtraction(ctx, e.Owner, e.Platform, e.ExternalID, "")
		require.ErrorIs(t, err, db.ErrNotFound)
		twin.ID = ""
		inTx(t, s, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.InsertExtraction(ctx, &twin)) })

		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.SetDuration(ctx, twin.ID, 12.25))
			require.ErrorIs(t, tx.SetDuration(ctx, "none", 1), db.ErrNotFound)
		})
		got, err = s.Extraction(ctx, twin.ID)
		require.NoError(t, err)
		require.Equal(t, 12.25, got.Duration)
	})
}

func TestJobBelongsToItsAccount(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		ctx := t.Context()
		e, jobs := extraction(t, s, "acme", "beta")
		for _, j := range jobs {
			got, err := s.Job(ctx, j.Account, j.ID)
			require.NoError(t, err)
			require.Equal(t, j, got)
			got, err = s.RunningJob(ctx, j.Account, e.ID)
			require.NoError(t, err)
			require.Equal(t, j, got)
		}
		for _, account := range []string{"beta", "", "ACME", "acme "} {
			_, err := s.Job(ctx, account, jobs[0].ID)
			require.ErrorIs(t, err, db.ErrNotFound, account)
		}
		_, err := s.RunningJob(ctx, "gamma", e.ID)
		require.ErrorIs(t, err, db.ErrNotFound)

		ids, err := s.RunningClaims(ctx, e.ID)
		require.NoError(t, err)
		require.Equal(t, []string{jobs[0].ID, jobs[1].ID}, ids)

		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			err := tx.InsertJob(ctx, &db.Job{Account: "acme", ExtractionID: e.ID, State: queued})
			require.ErrorIs(t, err, db.ErrExists, "one running claim per account and extraction")
		})
	})
}

func TestMove(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		ctx := t.Context()
		e, jobs := extraction(t, s, "acme", "beta")
		move(t, s, e, durationCheck, asrQueued, asrRunning)

		// A claim that joins now stands where the extraction stands.
		late := &db.Job{Account: "late", ExtractionID: e.ID, State: asrRunning}
		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.InsertJob(ctx, late))
			locked, err := tx.LockExtraction(ctx, e.ID)
			require.NoError(t, err)
			require.NoError(t, tx.Move(ctx, locked, db.Change{To: asrQueued, Retry: true}))
			require.Equal(t, asrQueued, locked.State)
			require.Equal(t, 2, locked.Attempt)
			require.NoError(t, tx.SetMetadata(ctx, e.ID, transcript.Metadata{Title: "A talk"}))
			require.NoError(t, tx.Move(ctx, locked, db.Change{To: asrRunning}))
			require.NoError(t, tx.Move(ctx, locked, db.Change{To: publishing}))
			require.NoError(t, tx.Move(ctx, locked, db.Change{To: done, TranscriptID: "t"}))
		})

		got, err := s.Extraction(ctx, e.ID)
		require.NoError(t, err)
		require.Equal(t, done, got.State)
		require.Equal(t, 2, got.Attempt)

		for _, j := range append(jobs, late) {
			got, err := s.Job(ctx, j.Account, j.ID)
			require.NoError(t, err)
			require.Equal(t, done, got.State)
			require.Equal(t, 2, got.Attempt)
			require.Equal(t, "t", got.TranscriptID)
			require.Equal(t, transcript.MetadataPartial, got.MetadataStatus)
			require.NotNil(t, got.EndedAt)

			events, err := s.JobEvents(ctx, j.ID, 0)
			require.NoError(t, err)
			require.Len(t, events, got.Sequence)
			for i, ev := range events {
				require.Equal(t, i+1, ev.Sequence)
			}
			last := events[len(events)-1]
			require.Equal(t, db.JobEvent{Sequence: got.Sequence, State: done, Attempt: 2,
				MetadataStatus: transcript.MetadataPartial, At: got.UpdatedAt}, last)
			after, err := s.JobEvents(ctx, j.ID, got.Sequence-1)
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
		e, _ := extraction(t, s, "acme")
		waitingSince := func(c db.Change) *time.Time {
			inTx(t, s, func(ctx context.Context, tx *db.Tx) {
				locked, err := tx.LockExtraction(ctx, e.ID)
				require.NoError(t, err)
				require.NoError(t, tx.Move(ctx, locked, c))
			})
			stored, err := s.Extraction(t.Context(), e.ID)
			require.NoError(t, err)
			return stored.WaitingSince
		}
		fetch := transcript.State{Status: transcript.JobProcessing, Stage: transcript.StageCaptionFetch}
		require.Nil(t, waitingSince(db.Change{To: fetch}))
		first := waitingSince(db.Change{To: queued, Waits: true})
		require.NotNil(t, first)
		assert.Equal(t, first, waitingSince(db.Change{To: fetch}))
		assert.Equal(t, first, waitingSince(db.Change{To: queued, Waits: true}))
		assert.Equal(t, first, waitingSince(db.Change{To: fetch}))
		assert.Equal(t, first, waitingSince(db.Change{To: queued, Retry: true}), "a fault ends no block")
		assert.Equal(t, first, waitingSince(db.Change{To: fetch}))
		assert.Nil(t, waitingSince(db.Change{To: durationCheck}), "the platform has answered")
		again := waitingSince(db.Change{To: queued, Waits: true})
		require.NotNil(t, again)
		assert.NotEqual(t, first, again)
	})
}

func TestMoveRefusesWhatTheTableDoesNotHave(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		for _, from := range append(everyState(), transcript.State{}) {
			for _, to := range everyState() {
				want := to
				if to.Status == transcript.JobFailed || to.Status == transcript.JobCancelled {
					want.Stage = from.Stage
				}
				err := attempt(t, s, from, to)
				require.Equal(t, transcript.CanMove(from, want), err == nil, "%v to %v: %v", from, to, err)
			}
		}
	})
}

func everyState() []transcript.State {
	var all []transcript.State
	for _, status := range []transcript.JobStatus{transcript.JobPending, transcript.JobProcessing,
		transcript.JobSuccess, transcript.JobFailed, transcript.JobCancelled} {
		for _, stage := range []transcript.Stage{transcript.StageQueued, transcript.StageCaptionFetch, transcript.StageDurationCheck,
			transcript.StageASRQueued, transcript.StageASRRunning, transcript.StagePublishing, transcript.StageDone} {
			all = append(all, transcript.State{Status: status, Stage: stage})
		}
	}
	return all
}

var errUndo = errors.New("undo")

// attempt moves a fresh extraction from one state to another, or begins there,
// and undoes it.
func attempt(t *testing.T, s *db.Store, from, to transcript.State) error {
	t.Helper()
	var result error
	err := s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
		e := &db.Extraction{Platform: transcript.Upload, ExternalID: "x", State: from}
		if from == (transcript.State{}) {
			e.State = to
			result = tx.InsertExtraction(ctx, e)
			if result == nil {
				result = tx.InsertJob(ctx, &db.Job{Account: "a", ExtractionID: e.ID, State: to})
			}
			return errUndo
		}
		if !transcript.CanMove(transcript.State{}, from) {
			// It cannot even begin there, and Move reads the given state.
			e.ID = "x"
			result = tx.Move(ctx, e, db.Change{To: to})
			return errUndo
		}
		require.NoError(t, tx.InsertExtraction(ctx, e))
		result = tx.Move(ctx, e, db.Change{To: to})
		return errUndo
	})
	require.ErrorIs(t, err, errUndo)
	return result
}

func TestMoveOfAStaleExtraction(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		e, jobs := extraction(t, s, "acme")
		stale := *e
		move(t, s, e, durationCheck)
		err := s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
			return tx.Move(ctx, &stale, db.Change{To: cancelled})
		})
		require.Error(t, err)
		got, err := s.Job(t.Context(), "acme", jobs[0].ID)
		require.NoError(t, err)
		require.Equal(t, durationCheck, got.State)
	})
}

func TestMoveJobEndsOneClaim(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		ctx := t.Context()
		e, jobs := extraction(t, s, "acme", "beta")
		move(t, s, e, durationCheck)
		one, err := s.Job(ctx, "acme", jobs[0].ID)
		require.NoError(t, err)
		stale := *one
		failure := transcript.Errorf(transcript.InvalidVideo, `it's "quoted" \' here`).With("limitSec", 1.5)
		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			require.Error(t, tx.MoveJob(ctx, one, db.Change{To: asrQueued}), "an end only")
			require.NoError(t, tx.MoveJob(ctx, one, db.Change{To: failed, Error: failure}))
			require.ErrorIs(t, tx.MoveJob(ctx, &stale, db.Change{To: cancelled}), db.ErrNotFound)
		})
		got, err := s.Job(ctx, "acme", one.ID)
		require.NoError(t, err)
		require.Equal(t, one, got)
		require.Equal(t, transcript.State{Status: transcript.JobFailed, Stage: transcript.StageDurationCheck}, got.State)
		require.Equal(t, failure, got.Error)
		require.Equal(t, 3, got.Sequence)

		// The other goes on, the ended one stays.
		move(t, s, e, asrQueued)
		ids, err := s.RunningClaims(ctx, e.ID)
		require.NoError(t, err)
		require.Equal(t, []string{jobs[1].ID}, ids)
		got, err = s.Job(ctx, "acme", one.ID)
		require.NoError(t, err)
		require.Equal(t, 3, got.Sequence)
	})
}

func TestProgress(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		e, jobs := extraction(t, s, "acme", "beta")
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
			inTx(t, s, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.SetProgress(ctx, e.ID, step.set)) })
			for _, j := range jobs {
				got, err := s.Job(t.Context(), j.Account, j.ID)
				require.NoError(t, err)
				require.Equal(t, step.want, got.Progress)
				require.Equal(t, 1, got.Sequence, "progress is no transition")
			}
		}
	})
}
