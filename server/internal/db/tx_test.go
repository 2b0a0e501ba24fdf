package db_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/lifecycle"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// submit is what a request writes: a piece of work, a job, a queue job.
func submit(ctx context.Context, s *db.Store, account string) error {
	return s.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		e := &db.Work{Owner: account, Platform: transcript.Upload, ExternalID: uuid.NewString(), State: queued}
		if err := tx.Works.Insert(ctx, e); err != nil {
			return err
		}
		j := &db.Job{Account: account, WorkID: e.ID, State: queued, Format: transcript.JSON}
		if err := tx.Jobs.Insert(ctx, j); err != nil {
			return err
		}
		return tx.Queue.Enqueue(ctx, work{Name: e.ID})
	})
}

func TestRollback(t *testing.T) {
	t.Parallel()
	dbtest.BothDatabases(t, func(t *testing.T, o db.Options) {
		s, raw := dbtest.Open(t, o), open(t, o)
		for name, end := range map[string]func(cancel context.CancelFunc) error{
			"error":     func(context.CancelFunc) error { return errUndo },
			"cancelled": func(cancel context.CancelFunc) error { cancel(); return nil },
			"panic":     func(context.CancelFunc) error { panic(errUndo) },
		} {
			ctx, cancel := context.WithCancel(t.Context())
			run := func() (err error) {
				defer func() {
					if v := recover(); v != nil {
						err = v.(error)
					}
				}()
				return s.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
					require.NoError(t, tx.Accounts.Put(ctx, db.Account{ID: name}))
					require.NoError(t, tx.Queue.Enqueue(ctx, work{Name: name}))
					return end(cancel)
				})
			}
			require.Error(t, run(), name)
			cancel()
			_, err := s.Accounts.ByID(t.Context(), name)
			require.ErrorIs(t, err, db.ErrNotFound, name)
			require.Zero(t, raw.count(t, "river_job"), name)
		}
		// The writer is free again.
		enqueue(t, s, "one", "two")
		require.Equal(t, 2, raw.count(t, "river_job"))
	})
}

func TestEnqueueAfterTheEndOfTheTransaction(t *testing.T) {
	t.Parallel()
	dbtest.BothDatabases(t, func(t *testing.T, o db.Options) {
		s, raw := dbtest.Open(t, o), open(t, o)
		ctx, cancel := context.WithCancel(t.Context())
		require.Error(t, s.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
			cancel()
			patient := context.WithoutCancel(ctx)
			require.EventuallyWithT(t, func(c *assert.CollectT) {
				assert.Error(c, tx.Accounts.Put(patient, db.Account{ID: "late"}))
			}, time.Minute, time.Millisecond)
			require.Error(t, tx.Queue.Enqueue(patient, work{Name: "late"}))
			return nil
		}))
		require.Zero(t, raw.count(t, "river_job"))
	})
}

// TestCancelledSubmits ends requests at random moments: whatever was committed
// is complete, and nothing else is there.
func TestCancelledSubmits(t *testing.T) {
	t.Parallel()
	dbtest.BothDatabases(t, func(t *testing.T, o db.Options) {
		s, raw := dbtest.Open(t, o), open(t, o)
		start := time.Now()
		require.NoError(t, submit(t.Context(), s, "warm"))
		usual := max(time.Since(start), time.Millisecond)

		var succeeded atomic.Int64
		var g errgroup.Group
		g.SetLimit(8)
		for range 300 {
			g.Go(func() error {
				ctx, cancel := context.WithTimeout(t.Context(), rand.N(8*usual))
				defer cancel()
				if submit(ctx, s, "acme") == nil {
					succeeded.Add(1)
				}
				return nil
			})
		}
		require.NoError(t, g.Wait())
		jobs := raw.count(t, "jobs")
		require.GreaterOrEqual(t, jobs, int(succeeded.Load())+1, "a commit may be done though its answer was lost")
		for _, table := range []string{"extractions", "job_events", "river_job"} {
			require.Equal(t, jobs, raw.count(t, table), table)
		}
		require.Less(t, jobs, 301, "some must have been cancelled")
		require.NoError(t, submit(t.Context(), s, "acme"), "the pool is well")
	})
}

func TestEqualSubmitsShareOneWork(t *testing.T) {
	t.Parallel()
	dbtest.BothDatabases(t, func(t *testing.T, o db.Options) {
		s, raw := dbtest.Open(t, o), open(t, o)
		id := uuid.NewString()
		var g errgroup.Group
		for i := range 40 {
			g.Go(func() error {
				return s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
					e := &db.Work{Platform: transcript.VideoSite, ExternalID: id, State: queued}
					err := tx.Works.Insert(ctx, e)
					if errors.Is(err, db.ErrExists) {
						e, err = tx.Works.LockRunning(ctx, "", transcript.VideoSite, id, "", "", transcript.Listening{})
					}
					if err != nil {
						return err
					}
					err = tx.Jobs.Insert(ctx, &db.Job{Account: fmt.Sprint(i % 4), WorkID: e.ID, State: e.State})
					if errors.Is(err, db.ErrExists) {
						return nil
					}
					return err
				})
			})
		}
		require.NoError(t, g.Wait())
		require.Equal(t, 1, raw.count(t, "extractions"))
		require.Equal(t, 4, raw.count(t, "jobs"))
	})
}

func TestLockMakesSerial(t *testing.T) {
	t.Parallel()
	dbtest.Both(t, func(t *testing.T, s *db.Store) {
		var inside atomic.Int64
		var g errgroup.Group
		for range 20 {
			g.Go(func() error {
				return s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
					if err := tx.Lock(ctx, "acme"); err != nil {
						return err
					}
					if n := inside.Add(1); n != 1 {
						return fmt.Errorf("%d at once", n)
					}
					_, err := tx.Accounts.All(ctx) // time for the others
					inside.Add(-1)
					return err
				})
			})
		}
		require.NoError(t, g.Wait())
	})
}

func TestWritesOutsideTheOpenTransactionAreRefused(t *testing.T) {
	t.Parallel()
	dbtest.Both(t, func(t *testing.T, s *db.Store) {
		inTx(t, s, func(ctx context.Context, _ *db.Tx) {
			require.Error(t, s.InTx(ctx, func(context.Context, *db.Tx) error { return nil }))
			require.Error(t, s.TouchKey(ctx, "k", now()))
			require.Error(t, s.Idempotency.Release(ctx, db.HeldKey{}))
		})
	})
}

func TestDeadlockIsRunAgain(t *testing.T) {
	t.Parallel()
	s := dbtest.Open(t, dbtest.Postgres(t))
	var runs atomic.Int64
	meet := make(chan struct{})
	take := func(first, second string) error {
		met := false
		return s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
			runs.Add(1)
			if err := tx.Lock(ctx, first); err != nil {
				return err
			}
			if !met { // the first time both have their first lock before they want the second
				met = true
				select {
				case meet <- struct{}{}:
				case <-meet:
				}
			}
			return tx.Lock(ctx, second)
		})
	}
	var g errgroup.Group
	g.Go(func() error { return take("a", "b") })
	g.Go(func() error { return take("b", "a") })
	require.NoError(t, g.Wait())
	require.EqualValues(t, 3, runs.Load())

	// What stays broken is given up.
	runs.Store(0)
	broken := &pgconn.PgError{Code: "40001"}
	require.ErrorIs(t, s.InTx(t.Context(), func(context.Context, *db.Tx) error {
		runs.Add(1)
		return fmt.Errorf("again: %w", broken)
	}), broken)
	require.EqualValues(t, 10, runs.Load())
}

func BenchmarkSubmit(b *testing.B) {
	full := dbtest.SQLite(b)
	full.FullSync = true
	for name, o := range map[string]db.Options{
		"sqlite": dbtest.SQLite(b), "sqlite-full": full, "postgres": dbtest.Postgres(b),
	} {
		b.Run(name, func(b *testing.B) {
			s := dbtest.Open(b, o)
			b.SetParallelism(4)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					require.NoError(b, submit(b.Context(), s, "acme"))
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "submits/s")
		})
	}
}

// BenchmarkStart measures the time from before the commit to the worker.
func BenchmarkStart(b *testing.B) {
	for name, o := range map[string]db.Options{"sqlite": dbtest.SQLite(b), "postgres": dbtest.Postgres(b)} {
		b.Run(name, func(b *testing.B) {
			s := dbtest.Open(b, o)
			started := make(chan string)
			r, err := s.Queue.NewRunner(queue.Workers{Process: "bench", Queues: map[string]int{"default": 4},
				Workers: workers(func(_ context.Context, _ queue.Row, step work) error {
					started <- step.Name
					return nil
				})})
			require.NoError(b, err)
			require.NoError(b, r.Start(b.Context()))
			for b.Loop() {
				require.NoError(b, submit(b.Context(), s, strings.Repeat("a", 5)))
				<-started
			}
			require.NoError(b, r.Stop(context.Background()))
		})
	}
}

// TestMovesDoNotDeadlock has all that writes jobs at work on the same ones.
func TestMovesDoNotDeadlock(t *testing.T) {
	t.Parallel()
	dbtest.Both(t, func(t *testing.T, s *db.Store) {
		accounts := make([]string, 20)
		for i := range accounts {
			accounts[i] = fmt.Sprint(i)
		}
		e, jobs := newWork(t, s, accounts...)
		var runs atomic.Int64
		do := func(fn func(ctx context.Context, tx *db.Tx) error) func() error {
			return func() error {
				return s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
					runs.Add(1)
					return fn(ctx, tx)
				})
			}
		}
		moveTo := func(to lifecycle.State) func() error {
			return do(func(ctx context.Context, tx *db.Tx) error {
				locked, err := tx.Works.Lock(ctx, e.ID)
				if err != nil || !lifecycle.CanMove(locked.State, to) {
					return err
				}
				return tx.Works.Move(ctx, locked, db.Move{To: to})
			})
		}
		var g errgroup.Group
		for i := range 20 {
			g.Go(moveTo(durationCheck))
			g.Go(moveTo(queued))
			g.Go(do(func(ctx context.Context, tx *db.Tx) error {
				return tx.Jobs.SetProgress(ctx, e.ID, &transcript.Progress{Fraction: float64(i) / 20})
			}))
			g.Go(do(func(ctx context.Context, tx *db.Tx) error {
				err := cancelOne(ctx, tx, jobs[i].Account, jobs[i].ID)
				if errors.Is(err, db.ErrNotFound) {
					return nil // it has moved since
				}
				return err
			}))
		}
		require.NoError(t, g.Wait())
		require.EqualValues(t, 80, runs.Load(), "none was run again")
		for _, j := range jobs {
			got, err := s.Jobs.Owned(t.Context(), j.Account, j.ID)
			require.NoError(t, err)
			events, err := s.Jobs.Events(t.Context(), j.ID, 0)
			require.NoError(t, err)
			require.Len(t, events, got.Sequence)
		}
	})
}

// TestACommitWithoutAnAnswer cuts the connection of a transaction before its end.
func TestACommitWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	o := dbtest.Postgres(t)
	s, raw := dbtest.Open(t, o), open(t, o)
	err := s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
		require.NoError(t, tx.Lock(ctx, "mine"))
		_, err := raw.ExecContext(ctx, `SELECT pg_terminate_backend(pid, 5000) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
		return err
	})
	require.ErrorIs(t, err, db.ErrUncertain)
	require.ErrorIs(t, err, db.ErrUnavailable)

	refused := errors.New("no")
	err = s.InTx(t.Context(), func(context.Context, *db.Tx) error { return refused })
	require.ErrorIs(t, err, refused)
	require.NotErrorIs(t, err, db.ErrUncertain)
}
