package queue_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
)

func lost(t *testing.T, s *db.Store) []queue.Row {
	t.Helper()
	found, err := s.Queue.Lost(t.Context())
	require.NoError(t, err)
	return found
}

// attemptedBy is the column of that name of a run of a process, in SQL.
func attemptedBy(s *db.Store, process string) string {
	if s.Shared() {
		return "'{" + process + "}'"
	}
	return `jsonb('["` + process + `"]')`
}

func requeue(t *testing.T, s *db.Store, w queue.Row) (did bool) {
	t.Helper()
	inTx(t, s, func(ctx context.Context, tx *db.Tx) {
		var err error
		did, err = tx.Queue.Requeue(ctx, w)
		require.NoError(t, err)
	})
	return did
}

func holds(t *testing.T, s *db.Store, w queue.Row) (held bool) {
	t.Helper()
	inTx(t, s, func(ctx context.Context, tx *db.Tx) {
		var err error
		held, err = tx.Queue.Holds(ctx, w)
		require.NoError(t, err)
	})
	return held
}

// bury takes a process for dead.
func bury(t *testing.T, s *db.Store, id string) {
	t.Helper()
	buried, err := s.Queue.Bury(t.Context(), find(t, s, id))
	require.NoError(t, err)
	require.True(t, buried)
}

// TestLostWork leaves a job as a kill -9 does: running, with nobody at work.
func TestLostWork(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		runs := make(chan string, 10)
		mine := make(chan queue.Row, 10)
		start := func(process string) {
			runner(t, s, queue.Workers{Process: process, Queues: map[string]int{"default": 1},
				Workers: workers(func(ctx context.Context, run queue.Row, step work) error {
					runs <- process + " " + step.Name
					mine <- run
					<-ctx.Done()
					return ctx.Err()
				})})
		}
		enqueue(t, s, "a", "b")
		start("dead")
		require.Equal(t, "dead a", receive(t, runs))
		start("alive")
		require.Equal(t, "alive b", receive(t, runs))
		require.Empty(t, lost(t, s), "both are alive")

		bury(t, s, "dead")
		found := lost(t, s)
		require.Len(t, found, 1)
		assert.Equal(t, "work", found[0].Kind)
		assert.JSONEq(t, `{"name":"a"}`, string(found[0].Args))
		run := receive(t, mine)
		assert.Equal(t, run.ID, found[0].ID)
		assert.True(t, holds(t, s, run), "nobody has taken it over")

		require.True(t, requeue(t, s, found[0]))
		assert.False(t, requeue(t, s, found[0]), "twice")
		assert.False(t, holds(t, s, run), "another has taken it over")
		assert.Empty(t, lost(t, s))
		// "dead" is in truth alive with its place taken; "alive" has one place only.
		start("third")
		require.Equal(t, "third a", receive(t, runs))
	})
}

// TestTheRunThatEndsKeepsItsRow until its transaction has ended, and then nobody
// takes it over.
func TestTheRunThatEndsKeepsItsRow(t *testing.T) {
	t.Parallel()
	o := dbtest.Postgres(t)
	s, raw := dbtest.Open(t, o), open(t, o)
	mine := make(chan queue.Row, 1)
	runner(t, s, queue.Workers{Process: "p", Workers: workers(func(_ context.Context, run queue.Row, _ work) error {
		mine <- run
		return nil
	})})
	enqueue(t, s, "a")
	run := receive(t, mine)
	require.Eventually(t, func() bool { return raw.count(t, "river_job WHERE state = 'completed'") == 1 }, time.Minute, 10*time.Millisecond)
	assert.False(t, holds(t, s, run))
	assert.False(t, requeue(t, s, run), "it has ended")
	assert.Equal(t, 1, raw.count(t, "river_job"))
}

// TestRequeueKeepsThePlace: a lost step keeps its tag. A step that was put off has a time in place of a
// tag, and gets a new tag, here the least.
func TestRequeueKeepsThePlace(t *testing.T) {
	t.Parallel()
	for at, order := range map[string]string{"1970-01-01 00:00:05+00:00": "bac", "2026-01-01 00:00:00+00:00": "abc"} {
		t.Run(order, func(t *testing.T) {
			t.Parallel()
			dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
				s, raw := dbtest.Open(t, o), open(t, o)
				enqueue(t, s, "a", "b", "c")
				raw.exec(t, "UPDATE river_job SET scheduled_at = '1970-01-01 00:00:01+00:00' WHERE id = (SELECT min(id) + 1 FROM river_job)")
				raw.exec(t, "UPDATE river_job SET scheduled_at = '1970-01-01 00:00:10+00:00' WHERE id = (SELECT max(id) FROM river_job)")
				raw.exec(t, "UPDATE river_job SET state = 'running', attempt = 1, attempted_by = "+attemptedBy(s, "gone")+
					", attempted_at = CURRENT_TIMESTAMP, scheduled_at = '"+at+"' WHERE id = (SELECT min(id) FROM river_job)")
				require.True(t, requeue(t, s, lost(t, s)[0]))
				ran := make(chan string, 3)
				runner(t, s, queue.Workers{Process: "p", Queues: map[string]int{"default": 1}, Workers: workers(func(_ context.Context, _ queue.Row, step work) error {
					ran <- step.Name
					return nil
				})})
				assert.Equal(t, order, receive(t, ran)+receive(t, ran)+receive(t, ran))
			})
		})
	}
}

// TestRequeueByOne: of several processes one takes each job over.
func TestRequeueByOne(t *testing.T) {
	t.Parallel()
	o := dbtest.Postgres(t)
	s, raw := dbtest.Open(t, o), open(t, o)
	const jobs = 30
	for range jobs {
		enqueue(t, s, "x")
	}
	raw.exec(t, "UPDATE river_job SET state = 'running', attempt = 1, attempted_by = '{before,gone}', attempted_at = now()")
	found := lost(t, s)
	require.Len(t, found, jobs)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for _, w := range found {
				assert.NoError(t, s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
					_, err := tx.Queue.Requeue(ctx, w)
					return err
				}))
			}
		})
	}
	all.Wait()
	require.Equal(t, jobs, raw.count(t, "river_job WHERE state = 'available' AND attempt = 0"))
	require.Equal(t, jobs, raw.count(t, "river_job"))
}

// TestRequeueAgainstTheEndOfARun takes a job over in the moment in which its
// process, which is alive, writes that it has done it: River's client would panic
// over what its own statement then returns.
func TestRequeueAgainstTheEndOfARun(t *testing.T) {
	t.Parallel()
	o := dbtest.Postgres(t)
	s, raw := dbtest.Open(t, o), open(t, o)
	runs, finish := make(chan queue.Row, 10), make(chan bool)
	runner(t, s, queue.Workers{Process: "p", Workers: workers(func(_ context.Context, run queue.Row, _ work) error {
		runs <- run
		<-finish
		return nil
	})})
	enqueue(t, s, "a")
	run := receive(t, runs)
	inTx(t, s, func(ctx context.Context, tx *db.Tx) {
		did, err := tx.Queue.Requeue(ctx, run)
		require.NoError(t, err)
		require.True(t, did)
		close(finish)
		require.Eventually(t, func() bool {
			return raw.count(t, "pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()") > 0
		}, time.Minute, 10*time.Millisecond, "the end of the run is not being written")
	})
	again := receive(t, runs)
	require.Equal(t, run.Args, again.Args)
	require.NotEqual(t, run.ID, again.ID)
	require.Eventually(t, func() bool { return raw.count(t, "river_job WHERE state = 'completed'") == 1 }, time.Minute, 10*time.Millisecond)
	require.Equal(t, 1, raw.count(t, "river_job"), "the row that was taken over came back")
}

// TestRequeueAgainstAllEnds is the same by chance, many times over.
func TestRequeueAgainstAllEnds(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s, raw := dbtest.Open(t, o), open(t, o)
		const jobs = 100
		var mu sync.Mutex
		done := map[string]bool{}
		start := func(process string) {
			runner(t, s, queue.Workers{Process: process, Queues: map[string]int{"default": 50},
				Workers: workers(func(_ context.Context, _ queue.Row, step work) error {
					mu.Lock()
					defer mu.Unlock()
					done[step.Name] = true
					return nil
				})})
		}
		takeOver := func() {
			for _, w := range lost(t, s) {
				requeue(t, s, w)
			}
		}
		start("p")
		bury(t, s, "p") // it goes on for a while, as one that does not know
		for i := range jobs {
			enqueue(t, s, fmt.Sprint(i))
			if i%5 == 0 {
				takeOver()
			}
		}
		start("q")
		require.Eventually(t, func() bool {
			takeOver()
			return raw.count(t, "river_job WHERE state <> 'completed'") == 0
		}, time.Minute, 20*time.Millisecond)
		mu.Lock()
		defer mu.Unlock()
		require.Len(t, done, jobs)
	})
}

// TestUnheard: what stands in a runner's name and has never reached it.
func TestUnheard(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s, raw := dbtest.Open(t, o), open(t, o)
		runs, finish := make(chan string, 10), make(chan bool)
		r := runner(t, s, queue.Workers{Process: "p", Queues: map[string]int{"default": 1},
			Workers: workers(func(_ context.Context, _ queue.Row, step work) error {
				runs <- step.Name
				<-finish
				return nil
			})})
		enqueue(t, s, "a", "b") // there is one place
		require.Equal(t, "a", receive(t, runs))
		raw.exec(t, "UPDATE river_job SET state = 'running', attempt = 1, attempted_by = "+attemptedBy(s, "p")+" WHERE state = 'available'")
		var found []queue.Row
		require.Eventually(t, func() bool { // a fetch may be under way, which puts it off
			var err error
			found, err = r.Unheard(t.Context())
			return err == nil && len(found) > 0
		}, time.Minute, 10*time.Millisecond)
		require.Len(t, found, 1, "what it is at is its own")
		require.True(t, requeue(t, s, found[0]))
		close(finish)
		require.Equal(t, "b", receive(t, runs))
		require.Eventually(t, func() bool { return raw.count(t, "river_job WHERE state = 'completed'") == 2 }, time.Minute, 10*time.Millisecond)
		found, err := r.Unheard(t.Context())
		require.NoError(t, err)
		require.Empty(t, found)
	})
}

// The queue notes the end of a run by its row's id, later: no other row may have that by
// then.
func TestIDsOfFinishedRunsAreNotGivenAgain(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s, raw := dbtest.Open(t, o), open(t, o)
		enqueue(t, s, "first")
		raw.exec(t, "UPDATE river_job SET state = 'running', attempt = 1")
		require.Equal(t, 1, raw.count(t, "river_job WHERE id = 1"))
		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.Queue.Finish(ctx, queue.Row{ID: 1, Attempt: 1}))
		})
		enqueue(t, s, "second")
		assert.Equal(t, 1, raw.count(t, "river_job WHERE state = 'available' AND id <> 1"))
		assert.Zero(t, raw.count(t, "river_job WHERE state = 'running'"))
	})
}

// A removal leaves no name of an account in the queue, not even in the row of a step that runs.
func TestRemovedAccountsLeaveTheQueue(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s, raw := dbtest.Open(t, o), open(t, o)
		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.Queue.Enqueue(ctx, db.IndexStep{Account: "acme"}))
			require.NoError(t, tx.Queue.Enqueue(ctx, db.IndexStep{Account: "globex"}))
			require.NoError(t, tx.Queue.Enqueue(ctx, db.IndexStep{Account: "acme", Gone: true}))
		})
		raw.exec(t, "UPDATE river_job SET state = 'running', attempt = 1, attempted_at = CURRENT_TIMESTAMP WHERE id = (SELECT min(id) FROM river_job)")
		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			n, err := tx.Queue.DeleteOf(ctx, "acme")
			require.NoError(t, err)
			assert.EqualValues(t, 1, n)
		})
		assert.Equal(t, 0, raw.count(t, "river_job WHERE args ->> 'account' = 'acme'"))
		assert.Equal(t, 1, raw.count(t, "river_job WHERE args ->> 'account' = 'globex'"))
		assert.Equal(t, 2, raw.count(t, "river_job"))
	})
}
