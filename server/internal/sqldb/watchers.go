package sqldb

import "sync"

// hub wakes the watchers of this process.
type hub struct {
	mu       sync.Mutex
	watchers map[string]map[chan struct{}]struct{} // by topic
}

func newHub() *hub { return &hub{watchers: map[string]map[chan struct{}]struct{}{}} }

func (h *hub) watch(topic string) (<-chan struct{}, func()) {
	ch := make(chan struct{}, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.watchers[topic] == nil {
		h.watchers[topic] = map[chan struct{}]struct{}{}
	}
	h.watchers[topic][ch] = struct{}{}
	return ch, func() { h.forget(topic, ch) }
}

func (h *hub) forget(topic string, ch chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.watchers[topic], ch)
	if len(h.watchers[topic]) == 0 {
		delete(h.watchers, topic)
	}
}

func (h *hub) wake(topics ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, topic := range topics {
		for ch := range h.watchers[topic] {
			signal(ch)
		}
	}
}

// wakeAll is for signals that may have been lost.
func (h *hub) wakeAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, watchers := range h.watchers {
		for ch := range watchers {
			signal(ch)
		}
	}
}

func signal(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default: // a value is already waiting
	}
}
