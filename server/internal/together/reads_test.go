package together_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/together"
)

// TestReadsShareReadsThatBeginLater lets callers come while a read runs: they share one
// read, which begins after that.
func TestReadsShareReadsThatBeginLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r together.Reads[string, int64]
		var reads atomic.Int64
		release := make(chan struct{})
		read := func(context.Context) (int64, error) {
			n := reads.Add(1)
			<-release
			return n, nil
		}
		var callers sync.WaitGroup
		got := make([]int64, 9)
		ask := func(i int, question string) {
			callers.Go(func() {
				var err error
				got[i], err = r.Read(t.Context(), question, read)
				assert.NoError(t, err)
			})
		}
		ask(0, "a")
		synctest.Wait() // its read runs
		for i := 1; i < 8; i++ {
			ask(i, "a")
		}
		ask(8, "b") // another question does not wait
		synctest.Wait()
		require.EqualValues(t, 2, reads.Load())
		close(release)
		callers.Wait()
		require.Equal(t, []int64{1, 3, 3, 3, 3, 3, 3, 3, 2}, got)
	})
}

// TestReadsOvertakeAReadThatHangs lets a read hang, as on a dead connection.
func TestReadsOvertakeAReadThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r together.Reads[string, string]
		release := make(chan struct{})
		var hanging sync.WaitGroup
		hanging.Go(func() {
			_, err := r.Read(t.Context(), "a", func(context.Context) (string, error) { <-release; return "", errors.New("dead") })
			assert.Error(t, err)
		})
		synctest.Wait()
		began := time.Now()
		got, err := r.Read(t.Context(), "a", func(context.Context) (string, error) { return "alive", nil })
		require.NoError(t, err)
		require.Equal(t, "alive", got)
		require.Less(t, time.Since(began), time.Second)
		close(release)
		hanging.Wait()
	})
}

// TestReadsOfACallerWhoGoes lets the first caller go: the others still get their answer,
// and a caller that goes does not wait.
func TestReadsOfACallerWhoGoes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r together.Reads[string, string]
		release := make(chan struct{})
		read := func(ctx context.Context) (string, error) { <-release; return "here", ctx.Err() }
		first, leave := context.WithCancel(t.Context())
		var callers sync.WaitGroup
		callers.Go(func() {
			_, err := r.Read(t.Context(), "a", read)
			assert.NoError(t, err)
		})
		synctest.Wait()
		callers.Go(func() { // begins the next read
			_, err := r.Read(first, "a", read)
			assert.NoError(t, err)
		})
		synctest.Wait()
		gone, goes := context.WithCancel(t.Context())
		goes()
		_, err := r.Read(gone, "a", read)
		require.ErrorIs(t, err, context.Canceled)
		callers.Go(func() {
			got, err := r.Read(t.Context(), "a", read)
			assert.NoError(t, err)
			assert.Equal(t, "here", got)
		})
		synctest.Wait()
		leave()
		close(release)
		callers.Wait()
	})
}
