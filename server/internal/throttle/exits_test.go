package throttle_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/throttle"
	"github.com/transcriptkit/transcriptkit/server/pace"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// blocks returns the answer of a site that blocks some exits, for an unnamed time.
func blocks(exits ...string) func(string) error {
	return func(exit string) error {
		if slices.Contains(exits, exit) {
			return blocked(0)
		}
		return nil
	}
}

// A visit that one exit is refused goes on by the next one, and the refused exit is left alone
// for the time of its circuit.
func TestNextExit(t *testing.T) {
	t.Parallel()
	pool := newPool(t, exit("a"), exit("b"), exit("c"))
	synctest.Test(t, func(t *testing.T) {
		p := leaveBy(t, unlimited(), pool)
		p.site.answer = blocks("a")
		for range 30 {
			require.NoError(t, p.read(t.Context()))
		}
		by := p.site.by()
		assert.Equal(t, []string{"a", "b", "c", "b"}, by[:4])
		assert.Len(t, by, 31)
		assert.NoError(t, p.Check(p.Captions, transcript.VideoSite))
		for _, wait := range []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute} {
			time.Sleep(wait - time.Nanosecond) // in the bubble
			for range 10 {
				require.NoError(t, p.read(t.Context()))
			}
			assert.NotContains(t, p.site.by(), "a", "after %v", wait)
			time.Sleep(time.Nanosecond) // in the bubble
			for range 10 {
				require.NoError(t, p.read(t.Context()))
			}
			by := p.site.by()
			assert.Len(t, by, 11)
			assert.Contains(t, by, "a", "one visit finds out, after %v", wait)
		}
	})
}

// A visit waits only if all exits are out, until the first of them comes back.
func TestAllExitsBlocked(t *testing.T) {
	t.Parallel()
	pool := newPool(t, exit("a"), exit("b"), exit("c"))
	synctest.Test(t, func(t *testing.T) {
		p := leaveBy(t, unlimited(), pool)
		asks := map[string]int{"a": 300, "b": 60, "c": 900}
		p.site.answer = func(exit string) error { return blocked(asks[exit]) }
		err := p.read(t.Context())
		assert.Equal(t, time.Minute, waitOf(err))
		require.ErrorContains(t, err, "All 3 exits of this service to the video site are blocked at the moment. Prove that you are a person.")
		assert.NotErrorIs(t, err, throttle.ErrHeldBack)
		assert.Equal(t, []string{"a", "b", "c"}, p.site.by(), "each exit once")
		assert.ErrorIs(t, p.Check(p.Captions[:1], transcript.VideoSite), throttle.ErrOpen)
		assert.NoError(t, p.Check(p.Captions, transcript.VideoSite), "the second source is not blocked")
		assert.NoError(t, p.CheckAudio(transcript.VideoSite))

		time.Sleep(59 * time.Second) // in the bubble
		err = p.read(t.Context())
		assert.Equal(t, time.Second, waitOf(err))
		require.ErrorIs(t, err, throttle.ErrHeldBack)
		require.ErrorContains(t, err, "All 3 exits")
		assert.Empty(t, p.site.by())

		time.Sleep(time.Second) // in the bubble
		assert.NoError(t, p.Check(p.Captions[:1], transcript.VideoSite))
		p.site.answer = nil
		require.NoError(t, p.read(t.Context()))
		assert.Equal(t, []string{"b"}, p.site.by())
	})
}

// A visit tries each exit once, even if the exit may be used again before the visit ends.
func TestEachExitOnce(t *testing.T) {
	t.Parallel()
	pool := newPool(t, exit("a"), exit("b"))
	synctest.Test(t, func(t *testing.T) {
		p := leaveBy(t, unlimited(), pool)
		p.site.answer = func(string) error { return blocked(1) }
		p.site.during = func() { time.Sleep(3 * time.Second) } // in the bubble
		assert.Equal(t, time.Second, waitOf(p.read(t.Context())))
		assert.Equal(t, []string{"a", "b"}, p.site.by())
	})
}

// The exits by which one visit is tried are bounded.
func TestMostExits(t *testing.T) {
	t.Parallel()
	var exits []egress.Listed
	for i := range 15 {
		exits = append(exits, exit(fmt.Sprint(i)))
	}
	pool := newPool(t, exits...)
	synctest.Test(t, func(t *testing.T) {
		p := leaveBy(t, unlimited(), pool)
		p.site.answer = func(string) error { return blocked(0) }
		assert.Equal(t, time.Second, waitOf(p.read(t.Context())), "another exit may be used at once")
		assert.Len(t, p.site.by(), 10)
		assert.Equal(t, 30*time.Second, waitOf(p.read(t.Context())))
		assert.Len(t, p.site.by(), 5)
	})
}

// Ten exits, of which one always blocks, and 200 jobs: none waits longer than the pace of the nine
// demands, and the one is asked no more than its circuit permits.
func TestTenExits(t *testing.T) {
	t.Parallel()
	var exits []egress.Listed
	for i := range 10 {
		exits = append(exits, exit(fmt.Sprint("exit-", i)))
	}
	pool := newPool(t, exits...)
	synctest.Test(t, func(t *testing.T) {
		p := leaveBy(t, pace.Config{}, pool)
		p.site.answer = blocks("exit-3")
		began := time.Now()
		var jobs sync.WaitGroup
		for i := range 200 {
			jobs.Go(func() {
				time.Sleep(time.Duration(i) * time.Microsecond) // in the bubble: the order in which they come
				err := p.read(throttle.InLine(t.Context(), fmt.Sprint(i), "acme"))
				for waitOf(err) > 0 {
					time.Sleep(waitOf(err)) // in the bubble
					err = p.read(throttle.InLine(t.Context(), fmt.Sprint(i), "acme"))
				}
				assert.NoError(t, err)
				// The nine exits have 45 visits at once, and 45 more in each minute.
				due := max(0, time.Duration(float64(i+1-45)/45*float64(time.Minute)))
				assert.LessOrEqual(t, time.Since(began), due+16*time.Second, "job %d", i)
			})
		}
		jobs.Wait()
		var asked []time.Duration
		for _, exit := range exits {
			var visits []time.Time
			for _, v := range p.site.visits {
				if v.exit == exit.Name {
					visits = append(visits, v.at)
				}
			}
			withinRate(t, visits, pace.Rate{PerMinute: 5, Burst: 5})
			if exit.Name == "exit-3" {
				for _, at := range visits {
					asked = append(asked, at.Sub(began).Round(time.Second))
				}
			}
		}
		t.Log("200 jobs took", time.Since(began), "and the blocked exit was asked after", asked)
		assert.LessOrEqual(t, len(asked), 4, "after 0, 30, 90 and 210 s")
		for i, most := range []int{0, 30, 90, 210} {
			if i < len(asked) {
				assert.GreaterOrEqual(t, asked[i], time.Duration(most)*time.Second)
			}
		}
	})
}

// Each exit has tokens of its own: ten exits take ten times the visits, and a visit waits for the
// token that comes first.
func TestTokensOfEachExit(t *testing.T) {
	t.Parallel()
	pool := newPool(t, exit("a"), exit("b"), exit("c"))
	synctest.Test(t, func(t *testing.T) {
		p := leaveBy(t, pace.Config{Rate: pace.Rate{PerMinute: 1, Burst: 2}}, pool)
		for range 6 {
			require.NoError(t, p.read(t.Context()))
			time.Sleep(5 * time.Second) // in the bubble
		}
		assert.Equal(t, []string{"a", "b", "c", "a", "b", "c"}, p.site.by())
		err := p.read(t.Context())
		assert.Equal(t, 30*time.Second, waitOf(err), "a has a token a minute after its first visit")
		require.ErrorContains(t, err, "The operator can allow more visits")
		time.Sleep(30 * time.Second) // in the bubble
		require.NoError(t, p.read(t.Context()))
		assert.Equal(t, 5*time.Second, waitOf(p.read(t.Context())))
		assert.Equal(t, []string{"a"}, p.site.by())

		for i, want := range []int{5, 10, 60, 65, 70, 120} { // those that stand in line wait for the next tokens
			assert.Equal(t, want, int(waitOf(p.read(throttle.InLine(t.Context(), fmt.Sprint(i)))).Seconds()), i)
		}
	})
}

// A blocked visit takes the next exit's token if that comes within its patience, and never one
// that is not there.
func TestNextExitKeepsThePace(t *testing.T) {
	t.Parallel()
	pool := newPool(t, exit("a"), exit("b"))
	synctest.Test(t, func(t *testing.T) {
		p := leaveBy(t, pace.Config{Rate: pace.Rate{PerMinute: 6, Burst: 1}}, pool)
		require.NoError(t, p.read(t.Context()))
		time.Sleep(time.Second) // in the bubble
		p.site.answer = blocks("b")
		err := p.read(throttle.InLine(t.Context(), "job"))
		assert.Equal(t, 9*time.Second, waitOf(err))
		require.ErrorContains(t, err, "The operator can allow more visits", "not all exits are blocked")
		require.ErrorIs(t, err, throttle.ErrTooOften)
		assert.NotErrorIs(t, err, throttle.ErrHeldBack, "one exit was asked")
		assert.Equal(t, 19*time.Second, waitOf(p.read(throttle.InLine(t.Context(), "later"))))
		time.Sleep(9 * time.Second) // in the bubble
		require.NoError(t, p.read(throttle.InLine(t.Context(), "job")), "it comes first")
		assert.Equal(t, []string{"a", "b", "a"}, p.site.by())

		time.Sleep(time.Hour) // in the bubble
		p.site.answer = nil
		require.NoError(t, p.read(t.Context()))
		time.Sleep(8500 * time.Millisecond) // in the bubble
		first := p.site.by()[0]
		p.site.answer = func(exit string) error {
			if exit != first {
				return blocked(0)
			}
			return nil
		}
		began := time.Now()
		require.NoError(t, p.read(t.Context()))
		assert.InDelta(t, 1.5, time.Since(began).Seconds(), 1e-6)
		assert.Len(t, p.site.by(), 2)
	})
}

// An exit is used for what the pool names, and a visit that no exit serves names the cure.
func TestUses(t *testing.T) {
	t.Parallel()
	pool := newPool(t, exit("c", egress.Captions), exit("s", egress.Sound))
	synctest.Test(t, func(t *testing.T) {
		p := leaveBy(t, unlimited(), pool)
		for range 3 {
			require.NoError(t, p.read(t.Context()))
			require.NoError(t, p.download(t.Context()))
		}
		assert.Equal(t, []string{"c", "s", "c", "s", "c", "s"}, p.site.by())
		require.ErrorIs(t, p.list(t.Context()), transcript.ConfigError)
		require.ErrorContains(t, p.list(t.Context()), "The operator adds an exit")

		p.site.answer = blocks("s")
		assert.Equal(t, 30*time.Second, waitOf(p.download(t.Context())))
		assert.ErrorIs(t, p.CheckAudio(transcript.VideoSite), throttle.ErrOpen)
		require.NoError(t, p.read(t.Context()))

		p.pool.set(t, exit("c", egress.Captions), exit("s", egress.Sound), exit("l", egress.Lists))
		require.NoError(t, p.list(t.Context()))
		assert.Equal(t, []string{"s", "c", "l"}, p.site.by())
	})
}

// Visits that wait for the only exit for sound do not delay visits for captions by other exits,
// and those that wait for captions leave the sound its turn.
func TestLineOfSomeExits(t *testing.T) {
	t.Parallel()
	pool := newPool(t, exit("s", egress.Sound), exit("a", egress.Captions), exit("b", egress.Captions))
	synctest.Test(t, func(t *testing.T) {
		p := leaveBy(t, pace.Config{Rate: pace.Rate{PerMinute: 1, Burst: 1}}, pool)
		require.NoError(t, p.download(t.Context()))
		line := func(name string, visit func(context.Context) error) int {
			return int(waitOf(visit(throttle.InLine(t.Context(), name))).Seconds())
		}
		for i := range 5 {
			require.Equal(t, 60*(i+1), line(fmt.Sprint("sound-", i), p.download))
		}
		require.Zero(t, line("captions-0", p.read))
		require.Zero(t, line("captions-1", p.read))
		require.Equal(t, 60, line("captions-2", p.read))
		require.Equal(t, 60, line("captions-3", p.read))
		require.Equal(t, 120, line("captions-4", p.read))
		require.Equal(t, 360, line("sound-5", p.download))
	})
}

// The pool may change at any time. An exit keeps its tokens and circuits by its name, also if it
// goes and comes, and the state of an exit that is gone for good is freed.
func TestPoolChanges(t *testing.T) {
	t.Parallel()
	pool := newPool(t, exit("a"))
	synctest.Test(t, func(t *testing.T) {
		p := leaveBy(t, pace.Config{Rate: pace.Rate{PerMinute: 1, Burst: 1}}, pool)
		p.site.answer = blocks("a")
		require.Equal(t, time.Minute, waitOf(p.read(t.Context())))
		p.pool.set(t, exit("a"), exit("b"))
		require.NoError(t, p.read(t.Context()))
		assert.Equal(t, []string{"a", "b"}, p.site.by())

		p.pool.set(t, exit("b"))
		assert.Equal(t, []throttle.Exit{{Name: "b", Answered: 1}}, p.Exits())
		assert.Equal(t, time.Minute, waitOf(p.read(t.Context())))
		p.pool.set(t, exit("b"), exit("a"))
		assert.Equal(t, []throttle.Exit{{Name: "b", Answered: 1}, {Name: "a", Open: 1}}, p.Exits(), "still blocked")
		assert.Equal(t, time.Minute, waitOf(p.read(t.Context())), "and without a token")

		p.pool.set(t, exit("c"))
		require.NoError(t, p.read(t.Context()))
		time.Sleep(time.Hour) // in the bubble
		require.NoError(t, p.read(t.Context()))
		assert.Equal(t, []string{"c", "c"}, p.site.by())
		for i := range 100 {
			p.pool.set(t, exit(fmt.Sprint("exit-", i)))
			require.NoError(t, p.read(t.Context()))
			time.Sleep(time.Minute) // in the bubble
		}
		assert.LessOrEqual(t, throttle.Lanes(p.Throttle), 2, "the others are forgotten")
		assert.Len(t, p.Exits(), 1)
	})
}

// Visits to several sources for one answer leave by one exit, unless it is blocked.
func TestAsOneByOneExit(t *testing.T) {
	t.Parallel()
	pool := newPool(t, exit("a"), exit("b"))
	synctest.Test(t, func(t *testing.T) {
		p := leaveBy(t, pace.Config{Rate: pace.Rate{PerMinute: 1, Burst: 2}}, pool)
		ask := func() {
			ctx := throttle.AsOne(t.Context())
			_ = p.readFrom(ctx, 0)
			require.NoError(t, p.readFrom(ctx, 1))
		}
		ask()
		ask()
		assert.Equal(t, []string{"a", "a", "b", "b"}, p.site.by())
		assert.Equal(t, time.Minute, waitOf(p.read(t.Context())))
		time.Sleep(time.Hour) // in the bubble

		p.site.answer = func(exit string) error {
			if len(p.site.visits) == 1 {
				return blocked(0)
			}
			return nil
		}
		ask()
		by := p.site.by()
		require.Len(t, by, 3)
		assert.NotEqual(t, by[0], by[1], "the next exit")
		assert.Equal(t, by[1], by[2], "is that of the second source too")
	})
}

// Describing videos costs the tokens of the one exit by which they are described.
func TestVideosByOneExit(t *testing.T) {
	t.Parallel()
	pool := newPool(t, exit("a"), exit("b"))
	synctest.Test(t, func(t *testing.T) {
		p := leaveBy(t, pace.Config{Rate: pace.Rate{PerMinute: 1, Burst: 1}}, pool)
		_, err := p.Discovery.Videos(t.Context(), make([]engine.Content, 10))
		require.NoError(t, err)
		require.NoError(t, p.read(t.Context()), "the other exit")
		assert.Equal(t, []string{"b"}, p.site.by())
		assert.Equal(t, time.Minute, waitOf(p.read(t.Context())), "the other exit again")
		time.Sleep(time.Minute) // in the bubble
		require.NoError(t, p.read(t.Context()))
		assert.Equal(t, []string{"b"}, p.site.by())
	})
}

// Operators see what each exit got, and the log names the exit.
func TestHealthOfExits(t *testing.T) {
	t.Parallel()
	pool, site := newPool(t, exit("paris-1"), exit("paris-2")), &judge{}
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		keep, err := throttle.New(unlimited(), pool.guard, slog.New(slog.NewTextHandler(&log, nil)))
		require.NoError(t, err)
		p := pooled{keep, keep.Engine(engine.Engine{
			Captions: []engine.CaptionSource{judged{site, "first"}}, Audio: judged{site, "audio"},
		}), pool, site}
		site.answer = blocks("paris-1")
		require.NoError(t, p.read(t.Context()))
		require.NoError(t, p.download(t.Context()))
		require.NoError(t, p.download(t.Context()))
		site.answer = func(string) error { return transcript.Errorf(transcript.UpstreamFailed, "Broken.") }
		require.Error(t, p.read(t.Context()))
		site.answer = func(string) error { return transcript.Errorf(transcript.Unavailable, "Gone.") }
		require.Error(t, p.read(t.Context()))
		gone, cancel := context.WithCancelCause(t.Context())
		site.answer = func(string) error { cancel(errors.New("the reader has left")); return context.Cause(gone) }
		require.Error(t, p.read(gone))
		assert.Equal(t, []throttle.Exit{{Name: "paris-1", Blocked: 2, Open: 2}, {Name: "paris-2", Answered: 4, Failed: 1}}, p.Exits())
		assert.Contains(t, log.String(), `msg="a circuit has opened" platform=video_site exit=paris-1 source=first for=30s`)
		assert.NotContains(t, log.String(), "paris-2")
	})
}
