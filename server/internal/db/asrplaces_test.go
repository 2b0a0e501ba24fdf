package db_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/lifecycle"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestPlaces(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		ctx := t.Context()
		uses := func(account string, running, waiting int) {
			t.Helper()
			n, err := s.Places.InUse(ctx, account)
			require.NoError(t, err)
			require.Equal(t, db.PlacesInUse{Running: running, Waiting: waiting}, n, account)
		}
		is := func(e *db.Work, want db.Place) {
			t.Helper()
			want.WorkID = e.ID
			got, err := s.Places.ByWork(ctx, e.ID)
			require.NoError(t, err)
			require.Equal(t, want, got)
			require.Equal(t, want.JobID != "", got.Taken())
		}
		one, ones := newWork(t, s, "acme", "beta")
		two, twos := newWork(t, s, "acme")
		three, threes := newWork(t, s, "acme", "beta")
		uses("acme", 0, 0)
		none, err := s.Places.ByWork(ctx, one.ID)
		require.NoError(t, err)
		require.Zero(t, none)

		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.Places.Lock(ctx, "beta", "acme", "beta"))
			for _, j := range []*db.Job{ones[0], twos[0]} {
				taken, err := tx.Places.Take(ctx, j)
				require.NoError(t, err)
				require.True(t, taken)
			}
			taken, err := tx.Places.Take(ctx, ones[1])
			require.NoError(t, err)
			require.False(t, taken, "the extraction has a place")
			require.NoError(t, tx.Places.StandOutside(ctx, one.ID), "which keeps its place")
			require.NoError(t, tx.Places.StandOutside(ctx, three.ID))
		})
		uses("acme", 0, 2)
		uses("beta", 0, 0)
		is(one, db.Place{State: db.Waiting, JobID: ones[0].ID, Account: "acme"})
		is(three, db.Place{State: db.Outside})

		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			_, err := tx.Places.NextReady(ctx, "acme")
			require.ErrorIs(t, err, db.ErrNotFound)
			require.NoError(t, tx.Places.SetState(ctx, two.ID, db.Ready))
			require.NoError(t, tx.Places.SetState(ctx, one.ID, db.Ready))
			next, err := tx.Places.NextReady(ctx, "acme")
			require.NoError(t, err)
			require.Equal(t, ones[0], next, "the one asked for first")
			require.NoError(t, tx.Places.SetState(ctx, one.ID, db.Running))
			next, err = tx.Places.NextReady(ctx, "acme")
			require.NoError(t, err)
			require.Equal(t, twos[0], next)
			require.Error(t, tx.Places.SetState(ctx, one.ID, db.Outside))
			require.ErrorIs(t, tx.Places.SetState(ctx, three.ID, db.Ready), db.ErrNotFound, "it has none")
			require.ErrorIs(t, tx.Places.Pass(ctx, threes[0]), db.ErrNotFound)
		})
		uses("acme", 1, 1)

		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.Places.Pass(ctx, ones[1]))
			_, err := tx.Places.NextOutside(ctx, "gamma")
			require.ErrorIs(t, err, db.ErrNotFound)
			for i, account := range []string{"acme", "beta"} {
				next, err := tx.Places.NextOutside(ctx, account)
				require.NoError(t, err)
				require.Equal(t, threes[i], next)
			}
			require.NoError(t, cancelOne(ctx, tx, "acme", threes[0].ID))
			_, err = tx.Places.NextOutside(ctx, "acme")
			require.ErrorIs(t, err, db.ErrNotFound, "it no longer wants one")
			taken, err := tx.Places.Take(ctx, threes[1])
			require.NoError(t, err)
			require.True(t, taken)
		})
		is(one, db.Place{State: db.Running, JobID: ones[1].ID, Account: "beta"})
		is(three, db.Place{State: db.Waiting, JobID: threes[1].ID, Account: "beta"})
		uses("acme", 0, 1)
		uses("beta", 1, 1)

		move(t, s, two, lifecycle.State{Status: transcript.JobCancelled, Stage: transcript.StageQueued})
		inTx(t, s, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Places.Delete(ctx, two.ID)) })
		uses("acme", 0, 0)
	})
}

// TestPlaceForALockedClaim gives a place to a piece of work that another transaction has
// locked with its jobs, and which waits for the places: neither is to be run again.
func TestPlaceForALockedJob(t *testing.T) {
	t.Parallel()
	dbtest.Both(t, func(t *testing.T, s *db.Store) {
		if !s.Shared() {
			return // transactions are serial
		}
		e, jobs := newWork(t, s, "acme")
		inTx(t, s, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Places.StandOutside(ctx, e.ID)) })
		locked, called := make(chan struct{}), make(chan struct{})
		var g errgroup.Group
		var runs [2]int
		g.Go(func() error { // somebody who joins
			return s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
				runs[0]++
				<-called
				if _, err := tx.Works.Lock(ctx, e.ID); err != nil {
					return err
				}
				if _, err := tx.Jobs.LockRunning(ctx, e.ID); err != nil {
					return err
				}
				if runs[0] == 1 {
					close(locked)
				}
				return tx.Places.Lock(ctx, "acme")
			})
		})
		g.Go(func() error { // somebody whose place is free now
			return s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
				runs[1]++
				if err := tx.Places.Lock(ctx, "acme"); err != nil {
					return err
				}
				if runs[1] == 1 {
					close(called)
				}
				<-locked
				taken, err := tx.Places.Take(ctx, jobs[0])
				assert.True(t, taken || err != nil)
				return err
			})
		})
		require.NoError(t, g.Wait())
		require.Equal(t, [2]int{1, 1}, runs)
	})
}
