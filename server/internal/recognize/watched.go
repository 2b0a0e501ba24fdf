package recognize

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Heard is what is recognized of an upload that still arrives.
type Heard struct {
	Lines []transcript.Segment // in order; later lines are only appended
	Tail  string               // the words after the last line; the next answer replaces them
	Until time.Duration        // how far the recording is recognized
}

// watched hands what is recognized to its readers. A nil watched has no readers. Safe for concurrent
// use.
type watched struct {
	mu      sync.Mutex
	heard   Heard
	tail    []transcript.Segment
	changed chan struct{} // closed at the next change
}

func newWatched() *watched { return &watched{changed: make(chan struct{})} }

// Heard returns what is recognized by now of an upload that Follow follows. The channel is closed
// when there is more.
func (a *Arrival) Heard() (Heard, <-chan struct{}) {
	w := a.watched
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.heard, w.changed
}

// settle appends the lines of a chunk. The tail keeps the words that follow the chunk.
func (w *watched) settle(c recognition.Chunk, lines []transcript.Segment) {
	w.change(func(h *Heard) {
		end := c.Start() + c.Duration()
		h.Lines = slices.Concat(h.Lines, lines) // a reader may have the old ones
		h.Until = max(h.Until, end)
		w.follow(slices.DeleteFunc(slices.Clone(w.tail), func(s transcript.Segment) bool { return s.Start < end.Seconds() }))
	})
}

// grow replaces the tail by the words of the sound after the last chunk.
func (w *watched) grow(rest recognition.Chunk, words []transcript.Segment) {
	w.change(func(h *Heard) {
		h.Until = max(h.Until, rest.Start()+rest.Duration())
		w.follow(words)
	})
}

func (w *watched) follow(words []transcript.Segment) {
	w.tail = words
	texts := make([]string, len(words))
	for i, s := range words {
		texts[i] = s.Text
	}
	w.heard.Tail = strings.Join(texts, " ")
}

func (w *watched) change(how func(*Heard)) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	how(&w.heard)
	close(w.changed)
	w.changed = make(chan struct{})
}
