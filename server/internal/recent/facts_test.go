package recent_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/recent"
)

// table is what is read: the value of each subject.
type table struct {
	value atomic.Int64
	reads atomic.Int64
}

func (t *table) read(_ context.Context, keys []int) (map[int]int64, error) {
	t.reads.Add(1)
	return map[int]int64{keys[0]: t.value.Load()}, nil
}

func eight[V any](V) int { return 8 }

func TestFactsStandUntilTheirSubjectChanges(t *testing.T) {
	t.Parallel()
	f := recent.NewFacts[string, int](1<<10, eight[int64])
	var rows table
	is := func(want, reads int64, key int) {
		t.Helper()
		got, err := f.Read(t.Context(), "a", key, rows.read)
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.Equal(t, reads, rows.reads.Load())
	}
	is(0, 1, 1)
	is(0, 1, 1)
	is(0, 2, 2) // another key about the same subject
	rows.value.Store(5)
	is(0, 2, 1)
	f.Changed("a")
	is(5, 3, 1)
	is(5, 4, 2)
	rows.value.Store(6)
	f.AllChanged()
	is(6, 5, 1)
	is(6, 5, 1)
}

func TestFactsForgetNoErrorAndNoValueWithoutSize(t *testing.T) {
	t.Parallel()
	f := recent.NewFacts[string, int](1<<10, func(v int) int { return v })
	fails := errors.New("away")
	reads := 0
	for range 2 {
		_, err := f.Read(t.Context(), "a", 1, func(context.Context, []int) (map[int]int, error) { reads++; return map[int]int{1: 8}, fails })
		require.ErrorIs(t, err, fails)
		_, err = f.Read(t.Context(), "a", 2, func(context.Context, []int) (map[int]int, error) { reads++; return nil, nil })
		require.NoError(t, err)
	}
	require.Equal(t, 4, reads)
	var none *recent.Facts[string, int, int]
	none.Changed("a")
	none.AllChanged()
	got, err := none.Read(t.Context(), "a", 1, func(context.Context, []int) (map[int]int, error) { return map[int]int{1: 3}, nil })
	require.NoError(t, err)
	require.Equal(t, 3, got)
}

// TestFactsOfAChangeDuringTheRead changes a subject between the read of the old value and its
// return: the cache must not hold the old value.
func TestFactsOfAChangeDuringTheRead(t *testing.T) {
	t.Parallel()
	f := recent.NewFacts[string, int](1<<10, eight[string])
	got, err := f.Read(t.Context(), "a", 1, func(context.Context, []int) (map[int]string, error) {
		f.Changed("a")
		return map[int]string{1: "old"}, nil
	})
	require.NoError(t, err)
	require.Equal(t, "old", got)
	got, err = f.Read(t.Context(), "a", 1, func(context.Context, []int) (map[int]string, error) { return map[int]string{1: "new"}, nil })
	require.NoError(t, err)
	require.Equal(t, "new", got)
}

// TestFactsAreNeverOlderThanAChange lets readers and a writer run at once: who reads after a
// change has ended sees it.
func TestFactsAreNeverOlderThanAChange(t *testing.T) {
	t.Parallel()
	f := recent.NewFacts[string, int](1<<10, eight[int64])
	var rows table
	var done atomic.Bool
	var ended atomic.Int64 // the last change that has ended
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for !done.Load() {
				before := ended.Load()
				got, err := f.Read(t.Context(), "a", 1, rows.read)
				assert.NoError(t, err)
				if !assert.GreaterOrEqual(t, got, before) {
					return
				}
			}
		})
	}
	for n := range int64(20_000) {
		rows.value.Store(n)
		f.Changed("a")
		ended.Store(n)
	}
	done.Store(true)
	readers.Wait()
}

// TestFactsOfASharedTable has others change the table without a word: nothing is remembered.
func TestFactsOfASharedTable(t *testing.T) {
	t.Parallel()
	f := recent.NewFacts[string, int](0, eight[int64])
	var rows table
	for n := range int64(3) {
		rows.value.Store(n)
		got, err := f.Read(t.Context(), "a", 1, rows.read)
		require.NoError(t, err)
		require.Equal(t, n, got)
	}
}
