package throttle_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/throttle"
	"github.com/transcriptkit/transcriptkit/server/pace"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// rush is a number of jobs on one platform, and readers who ask it all the time.
type rush struct {
	rate    pace.Rate
	jobs    int
	after   time.Duration // they come, one soon after the other
	apart   time.Duration
	readers []reader
}

// reader asks again and again, whatever it is told.
type reader struct {
	kind  string
	every time.Duration
}

func (r reader) ask(ctx context.Context, e engine.Engine) {
	at := engine.Content{Platform: transcript.VideoSite}
	switch r.kind {
	case "one source":
		_, _ = e.Captions[0].Captions(ctx, at, nil) // it may well be refused
	case "two sources":
		ctx = throttle.AsOne(ctx)
		if _, err := e.Captions[0].Captions(ctx, at, nil); waitOf(err) == 0 {
			_, _ = e.Captions[1].Captions(ctx, at, nil)
		}
	case "fifty videos":
		_, _ = e.Discovery.Videos(ctx, make([]engine.Content, 50))
	}
}

// wait is how long a job has waited, and at which place it came to stand.
type wait struct {
	place int
	took  time.Duration
}

// play lets the readers ask until all jobs have made their visit.
func (r rush) play(t *testing.T) []wait {
	t.Helper()
	keep, err := throttle.New(pace.Config{Rate: r.rate}, nil, nil)
	require.NoError(t, err)
	e := keep.Engine(engine.Engine{Captions: []engine.CaptionSource{&site{}, &site{}}, Discovery: &pages{}})
	ctx, cancel := context.WithTimeout(t.Context(), r.after+time.Duration(r.jobs)*(r.apart+3*r.token())+time.Minute) // else who starves waits forever
	var readers, jobs sync.WaitGroup
	for _, by := range r.readers {
		readers.Go(func() {
			for ctx.Err() == nil {
				by.ask(ctx, e)
				time.Sleep(by.every) // in the bubble
			}
		})
	}
	time.Sleep(r.after) // in the bubble
	var mu sync.Mutex
	waits, waiting := make([]wait, r.jobs), 0
	for i := range waits {
		jobs.Go(func() {
			time.Sleep(time.Duration(i) * (r.apart + time.Microsecond)) // in the bubble
			came := time.Now()
			mu.Lock()
			waiting++
			waits[i].place = waiting
			mu.Unlock()
			for ctx.Err() == nil {
				_, err := e.Captions[0].Captions(throttle.InLine(ctx, fmt.Sprint(i), "acme"), engine.Content{Platform: transcript.VideoSite}, nil)
				if waitOf(err) == 0 {
					break
				}
				time.Sleep(waitOf(err)) // in the bubble
			}
			mu.Lock()
			waiting--
			waits[i].took = time.Since(came)
			mu.Unlock()
		})
	}
	jobs.Wait()
	cancel()
	readers.Wait()
	return waits
}

// token is the time from one token to the next.
func (r rush) token() time.Duration {
	return time.Duration(float64(time.Minute) / r.rate.PerMinute)
}

// late returns the first job that has waited for more than two tokens for each place. A
// job comes back at a full second: it may be one late.
func (r rush) late(waits []wait) error {
	for i, w := range waits {
		if most := time.Duration(w.place)*2*r.token() + time.Second; w.took > most {
			return fmt.Errorf("job %d at place %d was visited after %v, which is more than %v", i, w.place, w.took, most)
		}
	}
	return nil
}

// Whatever readers ask, and however often: each job is visited within the time of two
// tokens for each place in line.
func TestReadersStarveNoJob(t *testing.T) {
	t.Parallel()
	kinds := []string{"one source", "two sources", "fifty videos"}
	rapid.Check(t, func(draw *rapid.T) {
		r := rush{
			rate:  pace.Rate{PerMinute: float64(rapid.IntRange(1, 60).Draw(draw, "rate")), Burst: rapid.IntRange(2, 8).Draw(draw, "burst")},
			jobs:  rapid.IntRange(1, 8).Draw(draw, "jobs"),
			after: time.Duration(rapid.IntRange(0, 60_000).Draw(draw, "after")) * time.Millisecond,
			apart: time.Duration(rapid.IntRange(0, 20_000).Draw(draw, "apart")) * time.Millisecond,
			readers: rapid.SliceOfN(rapid.Custom(func(draw *rapid.T) reader {
				return reader{rapid.SampledFrom(kinds).Draw(draw, "kind"), time.Duration(rapid.IntRange(100, 30_000).Draw(draw, "every")) * time.Millisecond}
			}), 0, 4).Draw(draw, "readers"),
		}
		var waits []wait
		synctest.Test(t, func(t *testing.T) { waits = r.play(t) })
		if err := r.late(waits); err != nil {
			draw.Fatal(err)
		}
	})
}

// Nor do jobs starve readers.
func TestJobsStarveNoReader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := keep(t, pace.Config{Rate: pace.Rate{PerMinute: 6, Burst: 1}}, &site{})
		require.NoError(t, p.read(t.Context()))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var jobs sync.WaitGroup
		for i := range 20 {
			jobs.Go(func() {
				for n := 0; ctx.Err() == nil; n++ { // as soon as one is done, the next one comes
					for wait := time.Duration(1); wait > 0 && ctx.Err() == nil; time.Sleep(wait) { // in the bubble
						wait = waitOf(p.read(throttle.InLine(ctx, fmt.Sprint(i, "/", n), fmt.Sprint(i))))
					}
				}
			})
		}
		time.Sleep(time.Minute) // in the bubble
		began, read := time.Now(), 0
		for ; time.Since(began) < 10*time.Minute; time.Sleep(time.Second) { // in the bubble
			if p.read(ctx) == nil {
				read++
			}
		}
		cancel()
		jobs.Wait()
		assert.GreaterOrEqual(t, read, 10, "of 60 tokens")
		assert.LessOrEqual(t, read, 31, "at most every second")
	})
}

// Those who stand in line take turns by account: one that comes behind sixty places of
// another is the next.
func TestAccountsTakeTurnsInLine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := keep(t, pace.Config{Rate: pace.Rate{PerMinute: 1, Burst: 1}}, &site{})
		as := func(name string, accounts ...string) int {
			return int(waitOf(p.read(throttle.InLine(t.Context(), name, accounts...))).Minutes())
		}
		require.Zero(t, as("first", "guests"))
		for i := range 60 {
			require.Equal(t, i+1, as(fmt.Sprint("guest-", i), "guests"))
		}
		assert.Equal(t, 2, as("a-1", "a"), "behind the first of the guests")
		assert.Equal(t, 4, as("a-2", "a"))
		assert.Equal(t, 3, as("b-1", "b"))
		assert.Equal(t, 2, as("a-1", "a"), "a place is kept")
		assert.Equal(t, 63, as("guest-59", "guests"))
		assert.Equal(t, 4, as("guest-59", "c", "guests"), "somebody else wants the same")
		time.Sleep(time.Minute) // in the bubble
		assert.Zero(t, as("guest-0", "guests"))
		assert.Equal(t, 1, as("a-1", "a"))
		assert.Equal(t, 4, as("d-1", "d"), "the others of the first round are before it")
	})
}
