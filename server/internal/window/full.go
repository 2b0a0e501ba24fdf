package window

import (
	"maps"
	"sync"
	"time"
)

// Full remembers windows over their limit. A caller that ignores its limit is then refused
// without another count. The zero value is ready. It is safe for concurrent use.
type Full[K comparable] struct {
	mu    sync.Mutex
	all   map[K]fullWindow
	prune int // the number of windows at which Remember drops the past windows
}

type fullWindow struct {
	Counted
	until time.Time // by this process's clock
}

// minPrune is the number of windows below which Remember drops none.
const minPrune = 1000

// Recall returns a window of the key that has more than limit events and has not ended. ok is
// false if there is none.
func (f *Full[K]) Recall(key K, limit int, now time.Time) (w Counted, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	full := f.all[key]
	if full.Count <= limit || !now.Before(full.until) {
		return Counted{}, false
	}
	full.Left = full.until.Sub(now)
	return full.Counted, true
}

// Remember keeps a window of the key until the window ends.
func (f *Full[K]) Remember(key K, w Counted, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.all) >= f.prune {
		maps.DeleteFunc(f.all, func(_ K, full fullWindow) bool { return !now.Before(full.until) })
		f.prune = max(2*len(f.all), minPrune)
	}
	if f.all == nil {
		f.all = map[K]fullWindow{}
	}
	f.all[key] = fullWindow{w, now.Add(w.Left)}
}
