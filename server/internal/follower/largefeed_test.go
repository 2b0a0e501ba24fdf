package follower_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/follower"
	"github.com/transcriptkit/transcriptkit/server/internal/underway"
)

// A large feed has a place from its first bytes above the size on until its look ends. A small feed needs
// none.
func TestLargeFeedsTakePlaces(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		line := underway.NewLine(1)
		read := func(account string, size int) (*follower.Place, error) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			p := follower.NewPlace(line, account)
			_, err := io.Copy(io.Discard, p.Reading(ctx, strings.NewReader(strings.Repeat("x", size))))
			return p, err
		}
		large, err := read("acme", follower.LargeFeed+1)
		require.NoError(t, err)
		small, err := read("globex", follower.LargeFeed)
		require.NoError(t, err)
		small.End()
		waits, err := read("globex", follower.LargeFeed+1)
		require.ErrorIs(t, err, follower.ErrNoPlace)
		waits.End()
		large.End()
		next, err := read("globex", follower.LargeFeed+1)
		assert.NoError(t, err)
		next.End()
	})
}
