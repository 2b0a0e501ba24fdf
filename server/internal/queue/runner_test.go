package queue_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
)

func TestWorkIsDone(t *testing.T) {
	t.Parallel()
	dbtest.Both(t, func(t *testing.T, s *db.Store) {
		did := make(chan string, 10)
		runner(t, s, queue.Workers{Process: "p1", Workers: workers(func(_ context.Context, _ queue.Row, step work) error {
			did <- step.Name
			return nil
		})})
		enqueue(t, s, "it's", "ünïcode")
		require.ElementsMatch(t, []string{"it's", "ünïcode"}, []string{receive(t, did), receive(t, did)})
	})
}

// TestFinishedRowsOfTheQueueGo after their time, and not before. They are looked for
// when a process begins to lead, and every half a minute.
func TestFinishedRowsOfTheQueueGo(t *testing.T) {
	t.Parallel()
	dbtest.BothDatabases(t, func(t *testing.T, o db.Options) {
		s, raw := dbtest.Open(t, o), open(t, o)
		did := make(chan string, 3)
		works := workers(func(_ context.Context, _ queue.Row, step work) error { did <- step.Name; return nil })
		rows := func() int { return raw.count(t, "river_job WHERE state = 'completed'") }
		first := runner(t, s, queue.Workers{Process: "p1", Workers: works})
		enqueue(t, s, "a", "b")
		receive(t, did)
		receive(t, did)
		require.Eventually(t, func() bool { return rows() == 2 }, time.Minute, 5*time.Millisecond)
		require.NoError(t, first.Stop(t.Context()))

		young := runner(t, s, queue.Workers{Process: "p2", Workers: works, Finished: time.Minute})
		enqueue(t, s, "c")
		receive(t, did)
		require.Eventually(t, func() bool { return rows() == 3 }, time.Minute, 5*time.Millisecond)
		require.NoError(t, young.Stop(t.Context()))

		runner(t, s, queue.Workers{Process: "p3", Workers: works, Finished: time.Millisecond})
		require.Eventually(t, func() bool { return rows() == 0 }, time.Minute, 5*time.Millisecond)
	})
}

func TestRunnerNeedsItsParts(t *testing.T) {
	t.Parallel()
	s := dbtest.Open(t, dbtest.SQLite(t))
	for _, w := range []queue.Workers{
		{Workers: workers(nil), Queues: map[string]int{"default": 1}},
		{Process: "p", Queues: map[string]int{"default": 1}},
		{Process: "p", Workers: workers(nil)},
	} {
		_, err := s.Queue.NewRunner(w)
		require.Error(t, err)
	}
}

// run is what a worker was told.
type run struct {
	process string
	attempt int
}

// TestStopReleasesTheJob: the next runner works on it at once, and the attempt
// was not counted.
func TestStopReleasesTheJob(t *testing.T) {
	t.Parallel()
	dbtest.Both(t, func(t *testing.T, s *db.Store) {
		runs := make(chan run, 1)
		hold := func(process string) queue.Runner {
			return runner(t, s, queue.Workers{Process: process, Workers: workers(
				func(ctx context.Context, w queue.Row, _ work) error {
					runs <- run{process, w.Attempt}
					<-ctx.Done()
					return fmt.Errorf("wrapped: %w", ctx.Err())
				})})
		}
		enqueue(t, s, "long")
		for i := range 3 {
			process := fmt.Sprint("p", i)
			r := hold(process)
			require.Equal(t, run{process, 1}, receive(t, runs))
			require.NoError(t, r.Stop(t.Context()))
		}
	})
}

// What a worker does in spite of the stop counts.
func TestStopKeepsWhatEnds(t *testing.T) {
	t.Parallel()
	dbtest.BothDatabases(t, func(t *testing.T, o db.Options) {
		s, raw := dbtest.Open(t, o), open(t, o)
		running, finish := make(chan bool, 1), make(chan bool)
		r := runner(t, s, queue.Workers{Process: "p1", Workers: workers(
			func(context.Context, queue.Row, work) error {
				running <- true
				<-finish
				return nil
			})})
		enqueue(t, s, "short")
		receive(t, running)
		stopped := make(chan error)
		go func() { stopped <- r.Stop(context.Background()) }()
		close(finish)
		require.NoError(t, receive(t, stopped))
		require.Equal(t, 1, raw.count(t, "river_job WHERE state = 'completed'"))
	})
}

func TestStopWaitsNoLongerThanItsContext(t *testing.T) {
	t.Parallel()
	s := dbtest.Open(t, dbtest.SQLite(t))
	running, cancelled, end := make(chan bool, 1), make(chan bool, 1), make(chan bool)
	r := runner(t, s, queue.Workers{Process: "p1", Workers: workers(
		func(ctx context.Context, _ queue.Row, _ work) error {
			running <- true
			<-ctx.Done()
			cancelled <- true
			<-end
			return ctx.Err()
		})})
	enqueue(t, s, "long")
	receive(t, running)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, r.Stop(ctx), context.DeadlineExceeded)
	receive(t, cancelled)
	close(end)
	require.NoError(t, r.Stop(t.Context()))
}
