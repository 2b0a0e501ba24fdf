package db_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
)

// stepOf is a step of an extraction.
type stepOf struct {
	Extraction string `json:"extraction"`
}

func (stepOf) Kind() string  { return "step" }
func (stepOf) Queue() string { return "default" }

// TestBatchesGoOnAtOnce: of two workers one is kept from batches, and the other takes up
// the next run when one ends. It was a second later for each.
func TestBatchesGoOnAtOnce(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		const runs = 20
		for range runs {
			e, _ := extraction(t, s, "acme")
			inTx(t, s, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Enqueue(ctx, stepOf{e.ID})) })
		}
		did := make(chan string, runs)
		began := time.Now()
		runner(t, s, db.Workers{Process: "p", Queues: map[string]int{"default": 2},
			Workers: []db.Worker{db.NewWorker(time.Minute, func(_ context.Context, _ db.Work, step stepOf) error {
				did <- step.Extraction
				return nil
			})}})
		for range runs {
			receive(t, did)
		}
		assert.Less(t, time.Since(began), runs/2*time.Second, "it waited for polls")
	})
}

// TestAccountsTakeTurnsAtOneWorker: of an account that has asked for much every second
// run is another's, also where nothing is under way when the worker fetches.
func TestAccountsTakeTurnsAtOneWorker(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s, raw := dbtest.Open(t, o), open(t, o)
		account := map[string]string{} // of an extraction
		for _, by := range []string{"acme", "acme", "acme", "acme", "beta", "beta"} {
			e, _ := extraction(t, s, by)
			account[e.ID] = by
			inTx(t, s, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Enqueue(ctx, stepOf{e.ID})) })
		}
		var idle atomic.Bool
		idle.Store(true)
		did := make(chan string, len(account))
		runner(t, s, db.Workers{Process: "p", Queues: map[string]int{"default": 1}, Takes: func(string) bool { return idle.Load() },
			Workers: []db.Worker{db.NewWorker(time.Minute, func(_ context.Context, _ db.Work, step stepOf) error {
				idle.Store(false)
				did <- account[step.Extraction]
				return nil
			})}})
		for n, by := range []string{"acme", "beta", "acme", "beta", "acme", "acme"} {
			require.Equal(t, by, receive(t, did), n)
			require.Eventually(t, func() bool { return raw.count(t, "river_job WHERE state = 'completed'") == n+1 }, time.Minute, time.Millisecond)
			idle.Store(true)
		}
		raw.exec(t, "UPDATE turns SET turn = turn - 1000 WHERE account = 'beta'")
		require.NoError(t, s.Sweep(t.Context(), now(), 0))
		assert.Equal(t, 1, raw.count(t, "turns"), "old ones are forgotten")
	})
}
