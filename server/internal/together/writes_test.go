package together_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/together"
)

// ledger notes the calls.
type ledger struct {
	mu    sync.Mutex
	calls []map[string]int
	turn  chan struct{} // a call waits for a value
}

func (l *ledger) write(_ context.Context, values map[string]int) (map[string]int, error) {
	l.mu.Lock()
	l.calls = append(l.calls, values)
	l.mu.Unlock()
	<-l.turn
	results := map[string]int{}
	for key, value := range values {
		if value < 0 {
			return nil, errors.New("refused")
		}
		results[key] = 10 * value
	}
	return results, nil
}

// TestWritesGoTogether lets values come while a call runs: they share the next call, one key
// at most once in each.
func TestWritesGoTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &ledger{turn: make(chan struct{})}
		w := together.Writes[string, int, int]{Write: l.write}
		var callers sync.WaitGroup
		write := func(key string, value int) {
			callers.Go(func() {
				got, err := w.Do(t.Context(), key, value)
				assert.NoError(t, err)
				assert.Equal(t, 10*value, got)
			})
			synctest.Wait()
		}
		write("a", 1)
		write("a", 2)
		write("b", 3)
		write("a", 4)
		write("c", 5)
		close(l.turn)
		callers.Wait()
		require.Equal(t, []map[string]int{{"a": 1}, {"a": 2, "b": 3, "c": 5}, {"a": 4}}, l.calls)
	})
}

func TestWritesShareTheirError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &ledger{turn: make(chan struct{})}
		w := together.Writes[string, int, int]{Write: l.write}
		var callers sync.WaitGroup
		for _, c := range []struct {
			key   string
			value int
			fails bool
		}{{"a", 1, false}, {"b", -1, true}, {"c", 1, true}} { // the first goes alone, and the others together
			callers.Go(func() {
				_, err := w.Do(t.Context(), c.key, c.value)
				assert.Equal(t, c.fails, err != nil, c.key)
			})
			synctest.Wait()
		}
		gone, leave := context.WithCancel(t.Context())
		leave()
		_, err := w.Do(gone, "d", 1)
		require.ErrorIs(t, err, context.Canceled)
		close(l.turn)
		callers.Wait()
	})
}

// TestWritesOvertakeACallThatHangs lets a call hang, as on a dead connection.
func TestWritesOvertakeACallThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &ledger{turn: make(chan struct{})}
		w := together.Writes[string, int, int]{Write: l.write}
		var callers sync.WaitGroup
		for _, key := range []string{"a", "b"} {
			callers.Go(func() {
				_, err := w.Do(t.Context(), key, 1)
				assert.NoError(t, err)
			})
			synctest.Wait()
		}
		time.Sleep(time.Second) //nolint:forbidigo // of the bubble's clock
		synctest.Wait()
		require.Len(t, l.calls, 2)
		close(l.turn)
		callers.Wait()
	})
}
