package store_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/server/store/storetest"
)

func TestChunks(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		e, _ := extraction(t, s)
		cuts := []store.Chunk{
			{ExtractionID: e.ID, N: 0, Start: 0, Duration: 30.5, MediaKey: "audio/x/0"},
			{ExtractionID: e.ID, N: 1, Start: 30.5, Duration: 2, Silent: true, Done: true},
			{ExtractionID: e.ID, N: 2, Start: 32.5, Duration: 7, MediaKey: "audio/x/2"},
		}
		finish := func(n int, result string) (first bool, left int) {
			inTx(t, s, func(ctx context.Context, tx *store.Tx) {
				var err error
				first, left, err = tx.FinishChunk(ctx, e.ID, n, []byte(result))
				require.NoError(t, err)
			})
			return first, left
		}
		inTx(t, s, func(ctx context.Context, tx *store.Tx) {
			require.NoError(t, tx.InsertChunks(ctx, nil))
			require.NoError(t, tx.InsertChunks(ctx, cuts))
			other := []store.Chunk{{ExtractionID: e.ID, N: 0, Start: 99}}
			require.NoError(t, tx.InsertChunks(ctx, other), "those that exist stay")
		})
		got, err := s.Chunks(ctx, e.ID)
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

		list, err := s.CutList(ctx, e.ID)
		require.NoError(t, err)
		for i := range cuts {
			cuts[i].Done = true
		}
		require.Equal(t, cuts, list, "without results")

		c, err := s.Chunk(ctx, e.ID, 2)
		require.NoError(t, err)
		require.Equal(t, `{"it's":2}`, string(c.Result))
		_, err = s.Chunk(ctx, e.ID, 3)
		require.ErrorIs(t, err, store.ErrNotFound)
		require.ErrorIs(t, s.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
			_, _, err := tx.FinishChunk(ctx, e.ID, 3, []byte("{}"))
			return err
		}), store.ErrNotFound)

		inTx(t, s, func(ctx context.Context, tx *store.Tx) { require.NoError(t, tx.DeleteChunks(ctx, e.ID)) })
		got, err = s.Chunks(ctx, e.ID)
		require.NoError(t, err)
		require.Empty(t, got)
	})
}

func TestOneOfTheChunksIsTheLast(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		const n = 12
		e, _ := extraction(t, s)
		inTx(t, s, func(ctx context.Context, tx *store.Tx) {
			for i := range n {
				require.NoError(t, tx.InsertChunks(ctx, []store.Chunk{{ExtractionID: e.ID, N: i}}))
			}
		})
		var last atomic.Int64
		var g errgroup.Group
		for i := range n {
			g.Go(func() error {
				return s.InTx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
					_, left, err := tx.FinishChunk(ctx, e.ID, i, fmt.Append(nil, i))
					if left == 0 && err == nil {
						last.Add(1)
					}
					return err
				})
			})
		}
		require.NoError(t, g.Wait())
		require.EqualValues(t, 1, last.Load())
	})
}
