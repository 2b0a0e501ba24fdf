package db_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

var november = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

// claimOf stores a job of an account with limits, on a piece of work of its own.
func jobOf(t *testing.T, s *db.Store, account string, l db.Limits) *db.Job {
	t.Helper()
	e, _ := newWork(t, s)
	j := &db.Job{Account: account, WorkID: e.ID, State: queued, Format: transcript.JSON, Limits: l}
	inTx(t, s, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Jobs.Insert(ctx, j)) })
	return j
}

func hold(t *testing.T, s *db.Store, j *db.Job, want db.Allowance) (ok bool) {
	t.Helper()
	inTx(t, s, func(ctx context.Context, tx *db.Tx) {
		var err error
		ok, err = tx.Allowances.Reserve(ctx, j, want)
		require.NoError(t, err)
	})
	stored, err := s.Jobs.Owned(t.Context(), j.Account, j.ID)
	require.NoError(t, err)
	require.Equal(t, stored.Reserved, j.Reserved)
	return ok
}

func requireUsage(t *testing.T, s *db.Store, account string, period time.Time, want db.Usage) {
	t.Helper()
	got, err := s.Allowances.Usage(t.Context(), account, period)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestUsage(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		requireUsage(t, s, "acme", november, db.Usage{})
		limits := db.Limits{Period: november, Transcripts: 2, ASRMinutes: 10}
		one, two := jobOf(t, s, "acme", limits), jobOf(t, s, "acme", limits)
		require.True(t, hold(t, s, one, db.Allowance{Transcripts: 1}))
		require.True(t, hold(t, s, one, db.Allowance{Transcripts: 1}), "what it holds already")
		require.True(t, hold(t, s, one, db.Allowance{Transcripts: 1, Minutes: 7}))
		require.True(t, hold(t, s, two, db.Allowance{Transcripts: 1, Minutes: 3}), "just what is left")
		requireUsage(t, s, "acme", november, db.Usage{Reserved: db.Allowance{Transcripts: 2, Minutes: 10}})

		three := jobOf(t, s, "acme", limits)
		require.False(t, hold(t, s, three, db.Allowance{Transcripts: 1}))
		require.False(t, hold(t, s, two, db.Allowance{Transcripts: 1, Minutes: 4}))
		require.True(t, hold(t, s, one, db.Allowance{Transcripts: 1, Minutes: 6}), "to need less is no question")
		require.True(t, hold(t, s, two, db.Allowance{Transcripts: 1, Minutes: 4}))

		// A limit that was lowered refuses what is new and leaves the rest alone.
		four := jobOf(t, s, "acme", db.Limits{Period: november, Transcripts: 1, ASRMinutes: 5})
		require.False(t, hold(t, s, four, db.Allowance{Transcripts: 1}))
		require.False(t, hold(t, s, four, db.Allowance{Minutes: 1}))
		require.True(t, hold(t, s, jobOf(t, s, "acme", db.Limits{Period: november, Transcripts: -1, ASRMinutes: -1}), db.Allowance{Transcripts: 5, Minutes: 1 << 40}),
			"without a limit all passes, and is counted")
		require.True(t, hold(t, s, jobOf(t, s, "acme", db.Limits{Period: november.AddDate(0, 1, 0), Transcripts: 1}), db.Allowance{Transcripts: 1}), "another period")
		require.True(t, hold(t, s, jobOf(t, s, "other", limits), db.Allowance{Transcripts: 2}), "another account")

		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.Allowances.Settle(ctx, one, one.Reserved))
			require.NoError(t, tx.Allowances.Settle(ctx, one, one.Reserved), "it holds nothing more")
			require.NoError(t, tx.Allowances.Settle(ctx, two, db.Allowance{Minutes: 2}))
			ok, err := tx.Allowances.Pay(ctx, "acme", limits, db.Allowance{Transcripts: 1})
			require.NoError(t, err)
			require.False(t, ok)
			ok, err = tx.Allowances.Pay(ctx, "other", db.Limits{Period: november, Transcripts: 3}, db.Allowance{Transcripts: 1})
			require.NoError(t, err)
			require.True(t, ok)
		})
		require.Zero(t, one.Reserved)
		requireUsage(t, s, "acme", november, db.Usage{
			Used: db.Allowance{Transcripts: 1, Minutes: 8}, Reserved: db.Allowance{Transcripts: 5, Minutes: 1 << 40},
		})
		requireUsage(t, s, "other", november, db.Usage{Used: db.Allowance{Transcripts: 1}, Reserved: db.Allowance{Transcripts: 2}})
		requireUsage(t, s, "acme", november.AddDate(0, 1, 0), db.Usage{Reserved: db.Allowance{Transcripts: 1}})
	})
}

// Of a hundred that reserve at the edge at once, as many get it as there is left for,
// also where the first of the period is among them.
func TestUsageAtTheEdge(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		limits := db.Limits{Period: november, Transcripts: -1, ASRMinutes: 10}
		jobs := make([]*db.Job, 100)
		for i := range jobs {
			jobs[i] = jobOf(t, s, "acme", limits)
		}
		var held atomic.Int64
		var all errgroup.Group
		for _, j := range jobs {
			all.Go(func() error {
				return s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
					ok, err := tx.Allowances.Reserve(ctx, j, db.Allowance{Transcripts: 1, Minutes: 3})
					if ok {
						held.Add(1)
					}
					return err
				})
			})
		}
		require.NoError(t, all.Wait())
		assert.EqualValues(t, 3, held.Load())
		requireUsage(t, s, "acme", november, db.Usage{Reserved: db.Allowance{Transcripts: 3, Minutes: 9}})
	})
}
