package underway_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/underway"
)

// With one place, one piece of work runs at a time, and the second account does not wait for all the work
// of the first.
func TestTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		line := underway.NewLine(1)
		var ran []string
		work := func(account string) (end chan struct{}) {
			end = make(chan struct{})
			go func() {
				leave, err := line.Take(t.Context(), account)
				if !assert.NoError(t, err) {
					return
				}
				ran = append(ran, account)
				<-end
				leave()
			}()
			synctest.Wait()
			return end
		}
		first, second, third, other := work("acme"), work("acme"), work("acme"), work("globex")
		assert.Equal(t, []string{"acme"}, ran)

		left, cancel := context.WithCancel(t.Context())
		cancel()
		for _, account := range []string{"acme", "initech"} {
			_, err := line.Take(left, account)
			require.ErrorIs(t, err, context.Canceled)
		}

		for _, end := range []chan struct{}{first, other, second, third} {
			close(end)
			synctest.Wait()
		}
		assert.Equal(t, []string{"acme", "globex", "acme", "acme"}, ran)
		leave, err := line.Take(t.Context(), "acme")
		require.NoError(t, err)
		leave()
	})
}

// Work of several accounts runs at the same time if the line has the places.
func TestPlaces(t *testing.T) {
	t.Parallel()
	line := underway.NewLine(2)
	for _, account := range []string{"acme", "globex"} {
		_, err := line.Take(t.Context(), account)
		require.NoError(t, err)
	}
	left, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := line.Take(left, "initech")
	require.ErrorIs(t, err, context.Canceled)
}
