package window_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/window"
)

// ledger is a database that counts when it is told to.
type ledger struct {
	answer chan error // each value lets one round be counted

	mu     sync.Mutex
	counts map[string]int
	rounds []map[string]int
}

func newLedger() *ledger { return &ledger{answer: make(chan error), counts: map[string]int{}} }

func (l *ledger) count(ctx context.Context, events map[string]int) (map[string]window.Counted, error) {
	l.mu.Lock()
	l.rounds = append(l.rounds, maps.Clone(events))
	l.mu.Unlock()
	select {
	case err := <-l.answer:
		if err != nil {
			return nil, err
		}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	counted := map[string]window.Counted{}
	for key, n := range events {
		l.counts[key] += n
		counted[key] = window.Counted{Window: window.Window{Count: l.counts[key]}, Left: time.Second}
	}
	return counted, nil
}

// TestRoundsCountWaitingEventsTogether, and number each event once.
func TestRoundsCountWaitingEventsTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLedger()
		rounds := window.Rounds[string]{Count: l.count}
		var mu sync.Mutex
		got := map[string][]int{}
		add := func(key string) {
			counted, err := rounds.Add(t.Context(), key, 100)
			assert.NoError(t, err)
			assert.Equal(t, time.Second, counted.Left)
			mu.Lock()
			defer mu.Unlock()
			got[key] = append(got[key], counted.Count)
		}
		var all sync.WaitGroup
		all.Go(func() { add("acme") })
		synctest.Wait()
		for range 20 {
			all.Go(func() { add("acme") })
			all.Go(func() { add("globex") })
		}
		synctest.Wait()
		l.answer <- nil
		l.answer <- nil
		all.Wait()
		assert.Equal(t, []map[string]int{{"acme": 1}, {"acme": 20, "globex": 20}}, l.rounds)
		for key, most := range map[string]int{"acme": 21, "globex": 20} {
			slices.Sort(got[key])
			require.Len(t, got[key], most)
			for i, n := range got[key] {
				assert.Equal(t, i+1, n, key)
			}
		}
	})
}

// TestRoundsPassASlowRound: a dead connection fails only the events that were sent over it.
func TestRoundsPassASlowRound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, slow := newLedger(), newLedger()
		var first sync.Once
		rounds := window.Rounds[string]{Count: func(ctx context.Context, events map[string]int) (map[string]window.Counted, error) {
			to := l
			first.Do(func() { to = slow })
			return to.count(ctx, events)
		}}
		var all sync.WaitGroup
		all.Go(func() {
			_, err := rounds.Add(t.Context(), "acme", 100)
			assert.ErrorContains(t, err, "dead")
		})
		synctest.Wait()
		began := time.Now()
		all.Go(func() {
			counted, err := rounds.Add(t.Context(), "acme", 100)
			assert.NoError(t, err)
			assert.Equal(t, 1, counted.Count)
		})
		l.answer <- nil
		synctest.Wait()
		assert.LessOrEqual(t, time.Since(began), time.Second)
		slow.answer <- errors.New("dead")
		all.Wait()

		all.Go(func() {
			counted, err := rounds.Add(t.Context(), "acme", 100)
			assert.NoError(t, err)
			assert.Equal(t, 2, counted.Count, "later rounds go on")
		})
		l.answer <- nil
		all.Wait()
	})
}

// TestRoundsOutliveACaller: the end of one caller's context does not fail the others.
func TestRoundsOutliveACaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLedger()
		rounds := window.Rounds[string]{Count: l.count}
		var all sync.WaitGroup
		gone, leave := context.WithCancel(t.Context())
		all.Go(func() {
			_, err := rounds.Add(gone, "acme", 100)
			assert.ErrorIs(t, err, context.Canceled)
		})
		synctest.Wait()
		leave()
		all.Wait()
		all.Go(func() {
			counted, err := rounds.Add(t.Context(), "acme", 100)
			assert.NoError(t, err)
			assert.Equal(t, 2, counted.Count, "the event of the caller who left counts")
		})
		l.answer <- nil
		l.answer <- nil
		all.Wait()
	})
}

// TestRoundsDoNotCountInFullWindows, until the window ends or the limit grows.
func TestRoundsDoNotCountInFullWindows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLedger()
		rounds := window.Rounds[string]{Count: l.count}
		count := func(limit int) int {
			counted, err := rounds.Add(t.Context(), "acme", limit)
			assert.NoError(t, err)
			assert.Positive(t, counted.Left)
			return counted.Count
		}
		answered := func(limit int) (n int) {
			var all sync.WaitGroup
			all.Go(func() { n = count(limit) })
			l.answer <- nil
			all.Wait()
			return n
		}
		assert.Equal(t, 1, answered(0))
		assert.Equal(t, 1, count(0))
		assert.Equal(t, 2, answered(1))
		assert.Equal(t, 2, count(1))
		<-time.After(time.Second) // by the clock of the test: the window ends
		assert.Equal(t, 3, answered(1))
	})
}
