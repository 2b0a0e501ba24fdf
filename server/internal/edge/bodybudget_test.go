package edge_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/edge"
)

const mib = 1 << 20

func TestShareOfAnOwner(t *testing.T) {
	t.Parallel()
	b := edge.NewBodyBudget(8*mib, 2*mib)
	first, second, other := b.Hold("ada"), b.Hold("ada"), b.Hold("bob")
	require.NoError(t, first.Grow(mib))
	require.NoError(t, second.Grow(mib))
	require.NoError(t, second.Grow(mib), "it has that already")
	require.ErrorIs(t, second.Grow(mib+1), edge.ErrBodiesShare)
	require.NoError(t, other.Grow(2*mib))
	first.Shrink(mib / 2)
	require.NoError(t, second.Grow(3*mib/2))
	require.ErrorIs(t, first.Grow(mib/2+1), edge.ErrBodiesShare)
	first.Release()
	first.Release()
	require.NoError(t, second.Grow(2*mib), "what is released twice is given back once")
	require.ErrorIs(t, first.Grow(1), edge.ErrBodiesShare)
}

func TestLargeBodiesLeaveRoomForSmallOnes(t *testing.T) {
	t.Parallel()
	b := edge.NewBodyBudget(8*mib, 2*mib)
	var large []*edge.HeldBody
	for _, owner := range []string{"a", "b", "c", "d"} {
		h := b.Hold(owner)
		large = append(large, h)
		if owner == "d" {
			require.ErrorIs(t, h.Grow(2*mib), edge.ErrBodiesFull)
			require.NoError(t, h.Grow(mib))
			continue
		}
		require.NoError(t, h.Grow(2*mib))
	}
	require.ErrorIs(t, b.Hold("e").Grow(edge.SmallBody+1), edge.ErrBodiesFull)
	for range mib / edge.SmallBody {
		require.NoError(t, b.Hold("e").Grow(edge.SmallBody))
	}
	require.ErrorIs(t, b.Hold("f").Grow(1), edge.ErrBodiesFull)
	large[0].Release()
	require.NoError(t, b.Hold("f").Grow(1))
}

func TestNothingIsLostOrTakenTwice(t *testing.T) {
	t.Parallel()
	b := edge.NewBodyBudget(8*mib, 2*mib)
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for range 1000 {
				h := b.Hold(string(rune('a' + n%4)))
				if h.Grow(mib/2) == nil {
					_ = h.Grow(mib) // it fits or does not
				}
				h.Shrink(mib / 4)
				h.Release()
			}
		})
	}
	all.Wait()
	for _, owner := range []string{"a", "b", "c"} {
		assert.NoError(t, b.Hold(owner).Grow(2*mib), "all is given back")
	}
	assert.NoError(t, (*edge.HeldBody)(nil).Grow(100*mib), "nothing bounds what belongs to no budget")
}
