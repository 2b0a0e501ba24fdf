package queue_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
)

// turnstile is a queue whose one worker takes each step when the test says so.
type turnstile struct {
	store *db.Store
	of    map[string]string // the account of work
	began chan string       // the accounts whose steps begin
	end   chan bool
	life  queue.Runner
}

func newTurnstile(t *testing.T, s *db.Store) *turnstile {
	t.Helper()
	q := &turnstile{store: s, of: map[string]string{}, began: make(chan string), end: make(chan bool)}
	e, _ := newWork(t, s, "first")
	inTx(t, s, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Queue.Enqueue(ctx, stepOf{e.ID})) })
	q.life = runner(t, s, queue.Workers{Process: "p", Queues: map[string]int{"default": 1}, Workers: []queue.Worker{
		queue.NewWorker(time.Minute, func(ctx context.Context, _ queue.Row, step stepOf) error {
			select {
			case q.began <- step.Work:
			case <-ctx.Done():
				return ctx.Err()
			}
			select {
			case <-q.end:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}),
	}})
	receive(t, q.began)
	return q
}

// ask lets an account have n more steps.
func (q *turnstile) ask(t *testing.T, account string, n int) {
	t.Helper()
	for range n {
		e, _ := newWork(t, q.store, account)
		q.of[e.ID] = account
		inTx(t, q.store, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Queue.Enqueue(ctx, stepOf{e.ID})) })
	}
}

// next ends the step that runs, and returns the account whose step begins then.
func (q *turnstile) next(t *testing.T) string {
	t.Helper()
	require.NoError(t, q.life.Beat(t.Context())) // a slow machine takes longer than a heartbeat stays fresh
	q.end <- true
	return q.of[receive(t, q.began)]
}

// TestTheLastAccountIsNext: an account that comes last, with one step, waits for no other.
func TestTheLastAccountIsNext(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		q := newTurnstile(t, s)
		q.ask(t, "acme", 50)
		for range 5 {
			require.Equal(t, "acme", q.next(t))
		}
		for i := range 3 {
			account := fmt.Sprint("late-", i)
			q.ask(t, account, 1)
			require.Equal(t, account, q.next(t))
			require.Equal(t, "acme", q.next(t))
		}
	})
}

// TestAnAccountThatComesBackIsNext: an account that the queue knows, and that has had no
// step for a round, comes before all accounts whose steps wait.
func TestAnAccountThatComesBackIsNext(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		q := newTurnstile(t, s)
		q.ask(t, "late", 1)
		for _, account := range []string{"acme", "beta", "gamma"} {
			q.ask(t, account, 20)
		}
		for range 10 {
			q.next(t)
		}
		for range 3 {
			q.ask(t, "late", 2)
			require.Equal(t, "late", q.next(t))
			began := map[string]int{}
			for began["late"] == 0 {
				began[q.next(t)]++
			}
			require.LessOrEqual(t, began["acme"]+began["beta"]+began["gamma"], 6, "late's second step waits for its turn")
			for range 7 {
				require.NotEqual(t, "late", q.next(t))
			}
		}
	})
}

// TestNewAccountsHoldUpNobody: an endless row of new accounts does not keep an account
// from its turn, nor do steps that stand in line already.
func TestNewAccountsHoldUpNobody(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		q := newTurnstile(t, s)
		q.ask(t, "acme", 10)
		var served int
		for i := range 60 {
			q.ask(t, fmt.Sprint("new-", i), 1)
			if q.next(t) == "acme" {
				served++
			}
		}
		assert.GreaterOrEqual(t, served, 4, "one step in twelve")
	})
}

// TestFairShares lets accounts ask at random. A new account waits for its fair share, which
// is one step of each other account, and for one step more. Of two accounts that always
// have steps in the queue, neither gets more than two steps ahead. Start-time fair queueing
// promises two and no less: one account may be the last in a round, and the other the first
// in the next round.
func TestFairShares(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		const accounts, steps = 6, 150
		seed := rand.Uint64()
		t.Log("seed", seed)
		random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // a test's choices
		q := newTurnstile(t, s)
		waiting := make([]int, accounts)
		// served[a][b] is how many steps of b have begun since a has had steps waiting.
		served := make([][]int, accounts)
		fresh := make([]bool, accounts) // it is new, and none of its steps has begun
		for range steps {
			for range random.IntN(3) {
				a := random.IntN(accounts)
				if waiting[a] == 0 {
					fresh[a] = served[a] == nil
					served[a] = make([]int, accounts)
					for b := range accounts {
						if served[b] != nil {
							served[b][a] = served[b][b] // it begins even with those who wait
						}
					}
				}
				n := 1 + random.IntN(6)
				waiting[a] += n
				q.ask(t, fmt.Sprint(a), n)
			}
			if total(waiting) == 0 {
				continue
			}
			var begun int
			_, err := fmt.Sscan(q.next(t), &begun)
			require.NoError(t, err)
			waiting[begun]--
			for a := range accounts {
				if waiting[a] == 0 && a != begun {
					continue
				}
				served[a][begun]++
				if a == begun {
					fresh[a] = false
					continue
				}
				require.LessOrEqual(t, served[a][begun], served[a][a]+2, "account %d is ahead of account %d", begun, a)
				if fresh[a] {
					require.LessOrEqual(t, total(served[a]), accounts, "account %d has waited for too long", a)
				}
			}
		}
	})
}

func total(numbers []int) (sum int) {
	for _, n := range numbers {
		sum += n
	}
	return sum
}

// TestReturnedStepsTakeATurn: a step that was put off comes back among the others, and
// not behind all of them.
func TestReturnedStepsTakeATurn(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s, raw := dbtest.Open(t, o), open(t, o)
		q := newTurnstile(t, s)
		q.ask(t, "acme", 20)
		for range 3 {
			require.Equal(t, "acme", q.next(t))
		}
		e, _ := newWork(t, s, "late")
		q.of[e.ID] = "late"
		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.Queue.EnqueueAt(ctx, stepOf{e.ID}, time.Now().Add(time.Second)))
		})
		require.Equal(t, 1, raw.count(t, "river_job WHERE state = 'available' AND scheduled_at > '2000-01-01'"))
		require.Eventually(t, func() bool {
			return raw.count(t, "river_job WHERE state = 'available' AND scheduled_at > '2000-01-01'") == 0
		}, time.Minute, 10*time.Millisecond)
		require.Equal(t, "late", q.next(t))
		require.Equal(t, "acme", q.next(t))
	})
}

// TestFairSharesAreForgotten, if their accounts have had no step for long.
func TestFairSharesAreForgotten(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s, raw := dbtest.Open(t, o), open(t, o)
		for _, account := range []string{"acme", "beta"} {
			e, _ := newWork(t, s, account)
			inTx(t, s, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Queue.Enqueue(ctx, stepOf{e.ID})) })
		}
		require.NoError(t, dbtest.Sweep(t.Context(), s, 0, 0))
		require.Equal(t, 2, raw.count(t, "fair_shares"))
		raw.exec(t, "UPDATE fair_shares SET finish = finish + 100000 WHERE turn = 'acme'")
		require.NoError(t, dbtest.Sweep(t.Context(), s, 0, 0))
		require.Equal(t, 1, raw.count(t, "fair_shares"))
	})
}

// TestBatchesGoOnAtOnce: the last worker is kept from batches, and the other workers take
// up the next step when one ends.
func TestBatchesGoOnAtOnce(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		const runs = 120
		for range runs {
			e, _ := newWork(t, s, "acme")
			inTx(t, s, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Queue.Enqueue(ctx, stepOf{e.ID})) })
		}
		did := make(chan string, runs)
		began := time.Now()
		runner(t, s, queue.Workers{
			Process: "p", Queues: map[string]int{"default": 2},
			Workers: []queue.Worker{queue.NewWorker(time.Minute, func(_ context.Context, _ queue.Row, step stepOf) error {
				did <- step.Work
				return nil
			})},
		})
		for range runs {
			receive(t, did)
		}
		assert.Less(t, time.Since(began), runs/2*time.Second, "the workers waited for polls")
	})
}
