// Package window counts events in windows of time. A window has a fixed length and begins at a
// multiple of its length since 1970, so that every process agrees when it ends.
package window

import (
	"sync"
	"time"
)

// Window is the state of one key's window after an event was counted.
type Window struct {
	Count int // including the event just counted
	End   time.Time
}

// Counter counts events by key. It forgets a window when the next one begins. The zero value is
// ready. It is safe for concurrent use.
type Counter[K comparable] struct {
	// Max is the number of keys that a window counts separately. All further keys share one
	// count. 0 means no bound.
	Max int

	mu    sync.Mutex
	spans map[time.Duration]*span[K] // the current windows, by their length
}

// span is a window with the counts of all its keys.
type span[K comparable] struct {
	start  time.Time
	length time.Duration
	counts map[K]int
	rest   int // the shared count of the keys beyond Max
}

// Add counts one event for the key, in the window of the given length that contains now.
// Windows of different lengths count separately.
func (c *Counter[K]) Add(key K, length time.Duration, now time.Time) Window {
	now = now.Round(0) // drops the monotonic reading: windows follow the wall clock, which may be set
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

// Count returns how many events of the key the window of the given length counts at now. A key
// beyond Max has no count of its own.
func (c *Counter[K]) Count(key K, length time.Duration, now time.Time) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.spans[length]; s != nil && s.covers(now.Round(0)) {
		return s.counts[key]
	}
	return 0
}

func (s *span[K]) end() time.Time { return s.start.Add(s.length) }

// covers reports whether the window counts an event at now. If the clock steps back into the
// previous window, the current window continues: with a new window a caller could use the
// current window's count twice. If the clock steps back further, a new window begins. Otherwise
// a caller at its bound would wait until the clock reaches the end of the current window again.
func (s *span[K]) covers(now time.Time) bool {
	return !now.Before(s.start.Add(-s.length)) && now.Before(s.end())
}

// begin begins the window of the given length that contains now, and forgets the windows of
// other lengths that are over.
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
