package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
)

var pocketsphinx = db.Recognizer{Engine: "pocketsphinx", Model: "en-us", Quality: "low: it's old", Language: "en"}

func TestChunks(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		ctx := t.Context()
		e, _ := newWork(t, s)
		cuts := []db.Chunk{
			{WorkID: e.ID, N: 0, Start: 0, Duration: 30.5, MediaKey: "audio/x/0", MediaSHA256: make([]byte, 32)},
			{WorkID: e.ID, N: 1, Start: 30.5, Duration: 2, Silent: true, Done: true},
			{WorkID: e.ID, N: 2, Start: 32.5, Duration: 7, MediaKey: "audio/x/2"},
		}
		finish := func(n int, result string) (first bool, left int) {
			inTx(t, s, func(ctx context.Context, tx *db.Tx) {
				var err error
				first, left, err = tx.Chunks.Finish(ctx, e.ID, n, []byte(result), pocketsphinx)
				require.NoError(t, err)
			})
			return first, left
		}
		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.Chunks.Insert(ctx, nil))
			require.NoError(t, tx.Chunks.Insert(ctx, cuts))
			other := []db.Chunk{{WorkID: e.ID, N: 0, Start: 99}}
			require.NoError(t, tx.Chunks.Insert(ctx, other), "those that exist stay")
		})
		got, err := s.Chunks.All(ctx, e.ID)
		require.NoError(t, err)
		require.Equal(t, cuts, got)

		first, left := finish(2, `{"it's":2}`)
		require.True(t, first)
		require.Equal(t, 1, left)
		first, left = finish(2, `{"again":2}`)
		require.False(t, first)
		require.Equal(t, 1, left)
		first, left = finish(0, `{}`)
		require.True(t, first)
		require.Zero(t, left)

		list, err := s.Chunks.CutList(ctx, e.ID)
		require.NoError(t, err)
		for i := range cuts {
			cuts[i].Done = true
			if !cuts[i].Silent {
				cuts[i].Recognizer = &pocketsphinx
			}
		}
		require.Equal(t, cuts, list, "without results")

		c, err := s.Chunks.ByNumber(ctx, e.ID, 2)
		require.NoError(t, err)
		require.Equal(t, `{"it's":2}`, string(c.Result))
		_, err = s.Chunks.ByNumber(ctx, e.ID, 3)
		require.ErrorIs(t, err, db.ErrNotFound)
		require.ErrorIs(t, s.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
			_, _, err := tx.Chunks.Finish(ctx, e.ID, 3, []byte("{}"), pocketsphinx)
			return err
		}), db.ErrNotFound)

		inTx(t, s, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Chunks.Delete(ctx, e.ID)) })
		got, err = s.Chunks.All(ctx, e.ID)
		require.NoError(t, err)
		require.Empty(t, got)
	})
}

// TestOneOfTheChunksIsTheLast has two finish at once: the second must wait for
// the first, or both would see the other's chunk as not yet done.
func TestOneOfTheChunksIsTheLast(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		e, _ := newWork(t, s)
		finish := func(n int, meanwhile func()) (left int, err error) {
			err = s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
				_, left, err = tx.Chunks.Finish(ctx, e.ID, n, []byte("{}"), pocketsphinx)
				meanwhile()
				return err
			})
			return left, err
		}
		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.Chunks.Insert(ctx, []db.Chunk{{WorkID: e.ID, N: 0}, {WorkID: e.ID, N: 1}}))
		})
		second := make(chan int, 1)
		var g errgroup.Group
		left, err := finish(0, func() {
			g.Go(func() error {
				left, err := finish(1, func() {})
				second <- left
				return err
			})
			select {
			case n := <-second:
				second <- n
			case <-time.After(100 * time.Millisecond): // it waits, as it should
			}
		})
		require.NoError(t, err)
		require.NoError(t, g.Wait())
		require.Equal(t, []int{1, 0}, []int{left, <-second})
	})
}
