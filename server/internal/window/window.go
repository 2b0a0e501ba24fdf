// Package window counts in windows of time: stretches of a fixed length that begin
// at its multiples since 1970, so that everybody knows when the present one ends.
package window

import (
	"sync"
	"time"
)

// Window is a window of a key, with what was counted in it.
type Window struct {
	Count int // with what was counted last
	End   time.Time
}

// Counter counts by key. Nothing of a window is kept when the next one has begun.
// The zero value is ready. Safe for concurrent use.
type Counter[K comparable] struct {
	// Max is how many keys a window tells apart; those that come after them are
	// counted together. 0: any number.
	Max int

	mu    sync.Mutex
	spans map[time.Duration]*span[K] // the present ones, by their length
}

// span is a window for all its keys.
type span[K comparable] struct {
	start  time.Time
	length time.Duration
	counts map[K]int
	rest   int // of the keys beyond Max
}

// Add counts one more for the key, in the window of the length that now is in.
// Those of another length are counted apart.
func (c *Counter[K]) Add(key K, length time.Duration, now time.Time) Window {
	now = now.Round(0) // by the clock on the wall, which may be set
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.spans[length]
	if s == nil || !s.covers(now) {
		s = c.begin(length, now)
	}
	if _, known := s.counts[key]; !known && c.Max > 0 && len(s.counts) >= c.Max {
		s.rest++
		return Window{s.rest, s.end()}
	}
	s.counts[key]++
	return Window{s.counts[key], s.end()}
}

func (s *span[K]) end() time.Time { return s.start.Add(s.length) }

// covers reports whether the window counts an event at now. If the clock steps back
// into the window before, this window goes on: a new window would let a caller use up
// the later window twice. If the clock steps back further, a new window begins:
// otherwise a caller who has used up the later window would wait until the clock
// reaches it again.
func (s *span[K]) covers(now time.Time) bool {
	return !now.Before(s.start.Add(-s.length)) && now.Before(s.end())
}

// begin begins the window of the length that now is in, and forgets those of other
// lengths that are past.
func (c *Counter[K]) begin(length time.Duration, now time.Time) *span[K] {
	for l, s := range c.spans {
		if !s.covers(now) {
			delete(c.spans, l)
		}
	}
	if c.spans == nil {
		c.spans = map[time.Duration]*span[K]{}
	}
	start := now.Add(-time.Duration(now.UnixNano() % int64(length)))
	s := &span[K]{start: start, length: length, counts: map[K]int{}}
	c.spans[length] = s
	return s
}
