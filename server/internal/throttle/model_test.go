package throttle_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/server/internal/throttle"
	"github.com/transcriptkit/transcriptkit/server/pace"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// sources are the sources that the visits of the models ask, and the use that each makes of an
// exit.
var sources = []struct {
	name  string
	use   egress.Use
	visit func(pooled, context.Context) error
}{
	{"first", egress.Captions, func(p pooled, ctx context.Context) error { return p.readFrom(ctx, 0) }},
	{"second", egress.Captions, func(p pooled, ctx context.Context) error { return p.readFrom(ctx, 1) }},
	{"audio", egress.Sound, pooled.download},
	{"lists", egress.Lists, pooled.list},
}

// model knows from the visits alone which exit may be used.
type model struct {
	rate   pace.Rate
	tokens map[string]float64   // by exit
	filled map[string]time.Time // when tokens were counted
	cool   map[[2]string]coolDown
}

// coolDown is the last block of a source by an exit.
type coolDown struct {
	found time.Time
	wait  time.Duration // 0: the source has answered since
}

func newModel(r pace.Rate) *model {
	return &model{r, map[string]float64{}, map[string]time.Time{}, map[[2]string]coolDown{}}
}

// until returns how long the source may not be visited by an exit.
func (m *model) until(source, exit string, now time.Time) time.Duration {
	return max(m.untilToken(exit, now), m.untilOpen(source, exit, now))
}

func (m *model) untilToken(exit string, now time.Time) time.Duration {
	m.fill(exit, now)
	return time.Duration(max(0, 1-m.tokens[exit]) / m.rate.PerMinute * float64(time.Minute))
}

func (m *model) untilOpen(source, exit string, now time.Time) time.Duration {
	last := m.cool[[2]string{source, exit}]
	return max(0, last.found.Add(last.wait).Sub(now))
}

func (m *model) fill(exit string, now time.Time) {
	if at, known := m.filled[exit]; known {
		m.tokens[exit] = min(float64(m.rate.Burst), m.tokens[exit]+now.Sub(at).Minutes()*m.rate.PerMinute)
	} else {
		m.tokens[exit] = float64(m.rate.Burst)
	}
	m.filled[exit] = now
}

// visited records a visit, which must be permitted. Visits at one time are under way together:
// they find the same block.
func (m *model) visited(v comes, blocked bool) error {
	wait := m.untilToken(v.exit, v.at)
	key := [2]string{v.source, v.exit}
	last := m.cool[key]
	together := last.wait > 0 && last.found.Equal(v.at)
	if !together {
		wait = max(wait, m.untilOpen(v.source, v.exit, v.at))
	}
	if wait > time.Microsecond {
		return fmt.Errorf("%s was visited by %s %v too early", v.source, v.exit, wait)
	}
	m.tokens[v.exit]--
	switch {
	case !blocked:
		m.cool[key] = coolDown{}
	case !together:
		m.cool[key] = coolDown{v.at, max(30*time.Second, min(2*last.wait, 10*time.Minute))}
	}
	return nil
}

// forget drops the state of exits that are gone, have all their tokens and are not blocked.
func (m *model) forget(pool []egress.Listed, now time.Time) {
	for exit := range m.filled {
		m.fill(exit, now)
		busy := slices.ContainsFunc(pool, func(e egress.Listed) bool { return e.Name == exit }) || m.tokens[exit] < float64(m.rate.Burst)
		for key := range m.cool {
			busy = busy || key[1] == exit && m.untilOpen(key[0], exit, now) > 0
		}
		if !busy {
			maps.DeleteFunc(m.cool, func(key [2]string, _ coolDown) bool { return key[1] == exit })
		}
	}
}

// check compares what one call of a source did with what it had to do.
func (m *model) check(source string, fit, blocking []string, visits []comes, err error) error {
	var tried []string
	for _, v := range visits {
		if !slices.Contains(fit, v.exit) || slices.Contains(tried, v.exit) {
			return fmt.Errorf("%s was visited by %s, of %v, after %v", source, v.exit, fit, tried)
		}
		tried = append(tried, v.exit)
		if err := m.visited(v, slices.Contains(blocking, v.exit)); err != nil {
			return err
		}
	}
	switch {
	case len(fit) == 0 && len(visits) == 0 && errors.Is(err, transcript.ConfigError):
		return nil
	case len(fit) > 0 && waitOf(err) > 0:
		return m.mustWait(source, fit, tried, waitOf(err))
	case len(fit) > 0 && err == nil && len(visits) > 0 && !slices.Contains(blocking, tried[len(tried)-1]):
		return nil
	}
	return fmt.Errorf("%s by %v, of %v, of which %v block: %w", source, tried, fit, blocking, err)
}

// mustWait returns an error if another exit could have served a visit that waits.
func (m *model) mustWait(source string, fit, tried []string, told time.Duration) error {
	now, soonest, blocked := time.Now(), 24*time.Hour, true
	for _, e := range fit {
		wait := m.until(source, e, now)
		soonest = min(soonest, wait)
		isOpen := m.untilOpen(source, e, now) > 0
		blocked = blocked && isOpen
		if wait < 2*time.Second && !slices.Contains(tried, e) && (len(tried) == 0 || !isOpen) && !blocked {
			return fmt.Errorf("%s waits for %v, but %s serves it after %v", source, told, e, wait)
		}
	}
	if late := told - max(soonest, time.Second); late < -time.Millisecond || late > time.Second+time.Millisecond {
		return fmt.Errorf("%s is told to wait for %v, but an exit serves it after %v", source, told, soonest)
	}
	return nil
}

// serving returns the exits of a pool for a use.
func serving(pool []egress.Listed, use egress.Use) (names []string) {
	for _, e := range pool {
		if e.Uses == nil || slices.Contains(e.Uses, use) {
			names = append(names, e.Name)
		}
	}
	return names
}

// all returns the visits since the last call.
func (j *judge) all() []comes {
	j.mu.Lock()
	defer j.mu.Unlock()
	all := j.visits
	j.visits = nil
	return all
}

func drawPool(draw *rapid.T) (all []egress.Listed) {
	uses := [][]egress.Use{nil, nil, {egress.Captions}, {egress.Sound}, {egress.Captions, egress.Lists}}
	for i := range 5 {
		if i == 0 || rapid.Bool().Draw(draw, "present") {
			all = append(all, exit(fmt.Sprint("exit-", i), rapid.SampledFrom(uses).Draw(draw, "uses")...))
		}
	}
	return all
}

func drawBlocking(draw *rapid.T) []string {
	return rapid.SliceOfDistinct(rapid.SampledFrom([]string{"exit-0", "exit-1", "exit-2", "exit-3", "exit-4"}), rapid.ID).Draw(draw, "blocking")
}

func drawRate(draw *rapid.T) pace.Rate {
	return pace.Rate{PerMinute: float64(rapid.IntRange(1, 60).Draw(draw, "rate")), Burst: rapid.IntRange(1, 4).Draw(draw, "burst")}
}

// One visit after the other, whatever exits there are and block: a visit is made by an exit that
// serves it, has a token and is not blocked. It waits only if there is no such exit, and no longer
// than until there is one.
func TestModelOfExits(t *testing.T) {
	t.Parallel()
	pool := newPool(t, exit("a"))
	rapid.Check(t, func(draw *rapid.T) {
		var wrong error // told outside of the bubble
		synctest.Test(t, func(t *testing.T) {
			rate := drawRate(draw)
			p, m := leaveBy(t, pace.Config{Rate: rate}, pool), newModel(rate)
			var present []egress.Listed
			var blocking []string
			for i := range rapid.IntRange(1, 60).Draw(draw, "visits") {
				if i == 0 || rapid.IntRange(0, 9).Draw(draw, "pool") == 0 {
					present = drawPool(draw)
					pool.set(t, present...)
				}
				if rapid.IntRange(0, 9).Draw(draw, "blocks") == 0 {
					blocking = drawBlocking(draw)
					p.site.answer = blocks(blocking...)
				}
				source := rapid.SampledFrom(sources).Draw(draw, "source")
				m.forget(present, time.Now())
				err := source.visit(p, t.Context())
				if wrong = m.check(source.name, serving(present, source.use), blocking, p.site.all(), err); wrong != nil {
					return
				}
				time.Sleep(time.Duration(rapid.IntRange(0, 40_000).Draw(draw, "pause")) * time.Millisecond) // in the bubble
			}
		})
		if wrong != nil {
			draw.Fatal(wrong)
		}
	})
}

// Jobs and readers at once, whatever exits there are and block: no exit is visited more often than
// its rate, none while it is blocked, and each job gets its visit.
func TestModelOfJobs(t *testing.T) {
	t.Parallel()
	pool := newPool(t, exit("a"))
	rapid.Check(t, func(draw *rapid.T) {
		var wrong error // told outside of the bubble
		synctest.Test(t, func(t *testing.T) {
			rate := drawRate(draw)
			p, m := leaveBy(t, pace.Config{Rate: rate}, pool), newModel(rate)
			present := drawPool(draw)
			pool.set(t, present...)
			until := time.Now().Add(5 * time.Minute)
			blocking := drawBlocking(draw)
			p.site.answer = func(exit string) error {
				if time.Now().Before(until) && slices.Contains(blocking, exit) {
					return blocked(0)
				}
				return nil
			}
			jobs, readers := rapid.IntRange(1, 30).Draw(draw, "jobs"), rapid.IntRange(0, 3).Draw(draw, "readers")
			// Each place in line takes at most two tokens of the slowest exit, after the last block.
			ctx, cancel := context.WithDeadline(t.Context(), until.Add(11*time.Minute+time.Duration(2*jobs+2)*time.Duration(float64(time.Minute)/rate.PerMinute)))
			defer cancel()
			var mu sync.Mutex // of wrong
			var all, asking sync.WaitGroup
			for range readers {
				source, every := rapid.SampledFrom(sources).Draw(draw, "reads"), time.Duration(rapid.IntRange(100, 30_000).Draw(draw, "every"))*time.Millisecond
				asking.Go(func() {
					for ctx.Err() == nil {
						_ = source.visit(p, ctx) // it may be refused
						time.Sleep(every)        // in the bubble
					}
				})
			}
			for i := range jobs {
				source := rapid.SampledFrom(sources).Draw(draw, "source")
				if len(serving(present, source.use)) == 0 {
					continue
				}
				after := time.Duration(rapid.IntRange(0, 300_000).Draw(draw, "after")) * time.Millisecond
				all.Go(func() {
					time.Sleep(after) // in the bubble
					err := source.visit(p, throttle.InLine(ctx, fmt.Sprint(i), fmt.Sprint(i%3)))
					for waitOf(err) > 0 {
						time.Sleep(waitOf(err)) // in the bubble
						err = source.visit(p, throttle.InLine(ctx, fmt.Sprint(i), fmt.Sprint(i%3)))
					}
					mu.Lock()
					defer mu.Unlock()
					if err != nil {
						wrong = errors.Join(wrong, fmt.Errorf("job %d of %s by %v: %w", i, source.name, serving(present, source.use), err))
					}
				})
			}
			all.Wait()
			cancel()
			asking.Wait()
			for _, v := range p.site.all() {
				wrong = errors.Join(wrong, m.visited(v, v.at.Before(until) && slices.Contains(blocking, v.exit)))
				if !slices.Contains(serving(present, useOf(v.source)), v.exit) {
					wrong = errors.Join(wrong, fmt.Errorf("%s was visited by %s", v.source, v.exit))
				}
			}
		})
		if wrong != nil {
			draw.Fatal(wrong)
		}
	})
}

// useOf returns the use of a source.
func useOf(source string) (use egress.Use) {
	for _, s := range sources {
		if s.name == source {
			use = s.use
		}
	}
	return use
}
