package together_test

import (
	"context"
	"errors"
	"fmt"
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
		var r together.Reads[string, string]
		var reads [][]string
		release := make(chan struct{})
		read := func(_ context.Context, questions []string) (map[string]string, error) {
			reads = append(reads, questions)
			n := len(reads)
			<-release
			answers := map[string]string{}
			for _, q := range questions {
				answers[q] = fmt.Sprint(q, n)
			}
			delete(answers, "nothing")
			return answers, nil
		}
		var callers sync.WaitGroup
		questions := []string{"a", "a", "b", "a", "nothing", "b"}
		got := make([]string, len(questions))
		for i, question := range questions {
			callers.Go(func() {
				var err error
				got[i], err = r.Read(t.Context(), question, read)
				assert.NoError(t, err)
			})
			synctest.Wait()
		}
		require.Equal(t, [][]string{{"a"}}, reads, "the others wait for the read that runs")
		close(release)
		callers.Wait()
		require.Equal(t, [][]string{{"a"}, {"a", "b", "nothing"}}, reads)
		require.Equal(t, []string{"a1", "a2", "b2", "a2", "", "b2"}, got)
	})
}

// TestReadsAreBounded lets so many different questions wait that they need several reads.
func TestReadsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r together.Reads[int, int]
		var sizes []int
		release := make(chan struct{})
		read := func(_ context.Context, questions []int) (map[int]int, error) {
			sizes = append(sizes, len(questions))
			<-release
			answers := map[int]int{}
			for _, q := range questions {
				answers[q] = 10 * q
			}
			return answers, nil
		}
		var callers sync.WaitGroup
		for i := range 71 {
			callers.Go(func() {
				got, err := r.Read(t.Context(), i, read)
				assert.NoError(t, err)
				assert.Equal(t, 10*i, got)
			})
			synctest.Wait()
		}
		close(release)
		callers.Wait()
		require.Equal(t, []int{1, 32, 32, 6}, sizes)
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
			_, err := r.Read(t.Context(), "a", func(context.Context, []string) (map[string]string, error) {
				<-release
				return nil, errors.New("dead")
			})
			assert.Error(t, err)
		})
		synctest.Wait()
		began := time.Now()
		got, err := r.Read(t.Context(), "a", func(context.Context, []string) (map[string]string, error) {
			return map[string]string{"a": "alive"}, nil
		})
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
		read := func(ctx context.Context, _ []string) (map[string]string, error) {
			<-release
			return map[string]string{"a": "here"}, ctx.Err()
		}
		first, leave := context.WithCancel(t.Context())
		var callers sync.WaitGroup
		callers.Go(func() {
			_, err := r.Read(t.Context(), "a", read)
			assert.NoError(t, err)
		})
		synctest.Wait()
		callers.Go(func() { // begins the next read
			_, err := r.Read(first, "a", read)
			assert.ErrorIs(t, err, context.Canceled)
		})
		synctest.Wait()
		callers.Go(func() {
			got, err := r.Read(t.Context(), "a", read)
			assert.NoError(t, err)
			assert.Equal(t, "here", got)
		})
		synctest.Wait()
		leave()
		synctest.Wait()
		close(release)
		callers.Wait()
	})
}

// TestReadsThatCrash lets a read crash: its callers get an error, and the next read runs.
func TestReadsThatCrash(t *testing.T) {
	t.Parallel()
	var r together.Reads[string, string]
	var crashed atomic.Bool
	read := func(context.Context, []string) (map[string]string, error) {
		if !crashed.Swap(true) {
			panic("at sea")
		}
		return map[string]string{"a": "here"}, nil
	}
	_, err := r.Read(t.Context(), "a", read)
	require.ErrorContains(t, err, "at sea")
	got, err := r.Read(t.Context(), "a", read)
	require.NoError(t, err)
	require.Equal(t, "here", got)
}
