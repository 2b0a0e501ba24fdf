package throttle_test

import (
	"context"
	"fmt"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/throttle"
	"github.com/transcriptkit/transcriptkit/server/pace"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// withinRate asserts that no window has more visits than the rate permits.
func withinRate(t *testing.T, visits []time.Time, r pace.Rate) {
	t.Helper()
	for i := range visits {
		for j := i; j < len(visits); j++ {
			most := float64(r.Burst) + r.PerMinute*visits[j].Sub(visits[i]).Minutes()
			if n := float64(j - i + 1); n > most+1e-6 {
				require.LessOrEqual(t, n, most, "from visit %d to %d", i, j)
			}
		}
	}
}

// Whoever comes, and however often: no more than the rate gets through, and no
// less.
func TestRate(t *testing.T) {
	t.Parallel()
	for _, r := range []pace.Rate{{PerMinute: 30, Burst: 10}, {PerMinute: 600, Burst: 1}, {PerMinute: 6, Burst: 3}} {
		t.Run(fmt.Sprint(r), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &site{}
				p := keep(t, pace.Config{Rate: r}, s)
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
				defer cancel()
				var all sync.WaitGroup
				for i := range 20 {
					visit := []func(context.Context) error{p.read, p.download}[i%2]
					all.Go(func() {
						ctx := ctx
						if i > 10 {
							ctx = throttle.InLine(ctx, fmt.Sprint(i))
						}
						for ctx.Err() == nil {
							time.Sleep(waitOf(visit(ctx))) // in the bubble
						}
					})
				}
				all.Wait()
				withinRate(t, s.visits, r)
				assert.InEpsilon(t, float64(r.Burst)+5*r.PerMinute, len(s.visits), 0.1)
			})
		})
	}
}

func TestDefaultRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := keep(t, pace.Config{}, &site{})
		for range 5 {
			require.NoError(t, p.read(t.Context()))
		}
		assert.Equal(t, 12*time.Second, waitOf(p.read(t.Context())))
	})
}

func TestUnlimited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &site{}
		p := keep(t, unlimited(), s)
		began := time.Now()
		for range 10000 {
			require.NoError(t, p.read(t.Context()))
		}
		assert.Zero(t, time.Since(began))
		s.answer = func(int) error { return blocked(0) }
		require.Error(t, p.read(t.Context()))
		for i := range 100 {
			assert.Equal(t, 30*time.Second, waitOf(p.read(throttle.InLine(t.Context(), fmt.Sprint(i)))))
		}
		assert.Equal(t, 10001, s.visited(), "a block is heeded all the same")
	})
}

// A rate that is next to nothing overflows nowhere.
func TestTinyRate(t *testing.T) {
	t.Parallel()
	p := keep(t, pace.Config{Rate: pace.Rate{PerMinute: math.SmallestNonzeroFloat64, Burst: 1}}, &site{})
	require.NoError(t, p.read(t.Context()))
	err := p.read(t.Context())
	assert.Equal(t, 24*time.Hour, waitOf(err))
	assert.ErrorContains(t, err, "The operator can allow more visits", "no platform has refused")
}

// Every platform has tokens of its own, all sources and downloads share them.
func TestBucketOfAPlatform(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := keep(t, pace.Config{
			Rate:  pace.Rate{PerMinute: 1, Burst: 3},
			Rates: map[transcript.Platform]pace.Rate{transcript.ShortVideoSite: {PerMinute: 2, Burst: 1}},
		}, &site{}, &site{})
		require.NoError(t, p.read(t.Context()))
		require.NoError(t, p.readFrom(t.Context(), 1, transcript.VideoSite))
		require.NoError(t, p.download(t.Context()))
		for _, visit := range []func(context.Context) error{p.read, p.download} {
			assert.Equal(t, time.Minute, waitOf(visit(t.Context())))
		}
		require.NoError(t, p.readFrom(t.Context(), 0, transcript.ShortVideoSite))
		assert.Equal(t, 30*time.Second, waitOf(p.readFrom(t.Context(), 0, transcript.ShortVideoSite)))
		require.NoError(t, p.readFrom(t.Context(), 0, transcript.ProfessionalSite))
	})
}

// Fifty jobs that come at once are told times one after the other. Each comes
// back when it is told, on a coarse clock, and all are served in the order in
// which they came, in about the time that the rate needs.
func TestLine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := pace.Rate{PerMinute: 30, Burst: 10}
		s := &site{}
		p := keep(t, pace.Config{Rate: r}, s)
		began := time.Now()
		var mu sync.Mutex
		calls, served := 0, make([]time.Duration, 50)
		var all sync.WaitGroup
		for i := range served {
			all.Go(func() {
				time.Sleep(time.Duration(i) * time.Microsecond) // in the bubble: the order in which they come
				for {
					wait := waitOf(p.read(throttle.InLine(t.Context(), fmt.Sprint(i))))
					mu.Lock()
					calls++
					served[i] = time.Since(began)
					mu.Unlock()
					if wait == 0 {
						return
					}
					grid := 5 * time.Second
					time.Sleep((time.Since(began) + wait + grid - 1).Truncate(grid) - time.Since(began)) // in the bubble
				}
			})
		}
		all.Wait()
		withinRate(t, s.visits, r)
		last := time.Since(began)
		assert.InDelta(t, (40 * 2 * time.Second).Seconds(), last.Seconds(), 10, "the burst, then the rate")
		assert.Less(t, calls, 130, "they are not told to come in vain")
		for i := range served {
			for j := i; j < len(served); j++ {
				assert.LessOrEqual(t, served[i], served[j]+10*time.Second, "job %d and job %d", i, j)
			}
		}
	})
}

// Who comes later stands behind those who were told to come again, but not who
// waits for the answer. Places of those who stay away are given up.
func TestPlaces(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := keep(t, pace.Config{Rate: pace.Rate{PerMinute: 6, Burst: 1}}, &site{})
		as := func(name string) time.Duration { return waitOf(p.read(throttle.InLine(t.Context(), name))) }
		require.Zero(t, as("first"))
		assert.Equal(t, 10*time.Second, as("a"))
		assert.Equal(t, 20*time.Second, as("b"))
		assert.Equal(t, 10*time.Second, as("a"), "a place is kept")
		assert.Equal(t, 10*time.Second, waitOf(p.read(t.Context())), "without a place there is no line")
		time.Sleep(10 * time.Second) // in the bubble
		assert.Equal(t, 20*time.Second, as("c"), "a token is there, but not c's")
		assert.Zero(t, as("a"))
		assert.Equal(t, 10*time.Second, as("b"))
		assert.Equal(t, 20*time.Second, as("c"))

		time.Sleep(time.Minute + 10*time.Second) // in the bubble: b may still come
		assert.Equal(t, 20*time.Second, as("d"))
		time.Sleep(time.Second) // in the bubble: c may
		assert.Equal(t, 10*time.Second, as("d"))
		assert.Zero(t, as("c"))
		assert.Equal(t, 10*time.Second, as("d"))
	})
}

// Whose turn it was when the platform began to block, stands first in line.
func TestPlaceOfABlockedVisit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := keep(t, pace.Config{Rate: pace.Rate{PerMinute: 6, Burst: 1}}, &site{answer: func(visit int) error {
			if visit == 2 {
				return blocked(10)
			}
			return nil
		}})
		as := func(name string) time.Duration { return waitOf(p.read(throttle.InLine(t.Context(), name))) }
		require.Zero(t, as("first"))
		require.Equal(t, 10*time.Second, as("a"))
		require.Equal(t, 20*time.Second, as("b"))
		time.Sleep(10 * time.Second) // in the bubble
		assert.Equal(t, 10*time.Second, as("a"), "blocked")
		assert.Equal(t, 20*time.Second, as("b"))
		time.Sleep(10 * time.Second) // in the bubble
		assert.Zero(t, as("a"))
	})
}

// Nobody waits for a token after his context has ended, and the token is left to
// the next.
func TestWaitEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &site{}
		p := keep(t, pace.Config{Rate: pace.Rate{PerMinute: 30, Burst: 1}}, s)
		require.NoError(t, p.read(t.Context()))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		assert.ErrorIs(t, p.read(ctx), context.DeadlineExceeded)
		assert.Equal(t, time.Second, time.Since(began))
		require.NoError(t, p.read(t.Context()))
		assert.Equal(t, 2*time.Second, time.Since(began))
		assert.Equal(t, 2, s.visited())
	})
}

// A source that is passed over takes no token from the next.
func TestOpenCircuitTakesNoToken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		no, ok := &site{answer: func(int) error { return blocked(3600) }}, &site{}
		p := keep(t, pace.Config{Rate: pace.Rate{PerMinute: 1, Burst: 2}}, no, ok)
		for range 50 {
			require.Error(t, p.read(t.Context()))
		}
		require.NoError(t, p.readFrom(t.Context(), 1, transcript.VideoSite))
		assert.Equal(t, 1, no.visited())
	})
}

// While a circuit is open nobody needs a token, but those who stand in line are
// told times one after the other all the same: from its end on, and by then the
// bucket is full.
func TestLineBehindAnOpenCircuit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &site{answer: func(int) error { return blocked(0) }}
		p := keep(t, pace.Config{Rate: pace.Rate{PerMinute: 6, Burst: 2}}, s)
		var waits []time.Duration
		for i := range 5 {
			waits = append(waits, waitOf(p.read(throttle.InLine(t.Context(), fmt.Sprint(i))))/time.Second)
		}
		assert.Equal(t, []time.Duration{30, 30, 40, 50, 60}, waits)
		assert.Equal(t, 30*time.Second, waitOf(p.read(t.Context())))
		assert.Equal(t, 1, s.visited())
	})
}

// Those who wait for one source's block to pass hold nobody up who goes to another,
// and are served in their order once it has passed.
func TestLineOfAnotherCircuit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		no, ok := &site{answer: func(visit int) error {
			if visit == 1 {
				return blocked(300)
			}
			return nil
		}}, &site{}
		p := keep(t, pace.Config{Rate: pace.Rate{PerMinute: 30, Burst: 10}}, no, ok)
		as := func(source int, name string) time.Duration {
			return waitOf(p.readFrom(throttle.InLine(t.Context(), name), source, transcript.VideoSite)) / time.Second
		}
		for i := range 20 {
			require.GreaterOrEqual(t, as(0, fmt.Sprint(i)), time.Duration(300))
		}
		for i := range 9 { // the block took a token
			assert.Zero(t, as(1, fmt.Sprint("other ", i)))
		}
		time.Sleep(20 * time.Second) // in the bubble
		assert.Zero(t, as(1, "and later"))
		time.Sleep(280 * time.Second) // in the bubble
		assert.Equal(t, time.Duration(22), as(1, "too late"), "now it is their turn")
		assert.Zero(t, as(0, "0"))
	})
}
