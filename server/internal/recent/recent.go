// Package recent is a cache of values that the process made a short time ago. Its size in bytes
// is bounded.
package recent

import (
	"container/list"
	"sync"
)

// Things is a cache of values by their keys. If the values exceed the cache's size, it drops
// the least recently used values. Things does not know when a value is out of date: a value
// that changes needs a new key, or [Facts]. A Things is safe for concurrent use.
type Things[K comparable, V any] struct {
	room int // bytes

	mu    sync.Mutex
	byKey map[K]*list.Element // of *thing
	order list.List           // most recently used first
	bytes int
}

type thing[K comparable, V any] struct {
	key   K
	value V
	bytes int
}

// New returns an empty cache for the given number of bytes.
func New[K comparable, V any](bytes int) *Things[K, V] {
	return &Things[K, V]{room: bytes, byKey: map[K]*list.Element{}}
}

// Get returns the value of the key. ok is false if the cache does not hold the key.
func (t *Things[K, V]) Get(key K) (value V, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e, ok := t.byKey[key]
	if !ok {
		return value, false
	}
	t.order.MoveToFront(e)
	return e.Value.(*thing[K, V]).value, true
}

// Put stores a value of the given number of bytes. Put ignores a value that needs more than
// half of the cache.
func (t *Things[K, V]) Put(key K, value V, bytes int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if bytes > t.room/2 {
		return
	}
	if e, ok := t.byKey[key]; ok {
		t.remove(e)
	}
	t.byKey[key] = t.order.PushFront(&thing[K, V]{key, value, bytes})
	for t.bytes += bytes; t.bytes > t.room; {
		t.remove(t.order.Back())
	}
}

func (t *Things[K, V]) remove(e *list.Element) {
	old := t.order.Remove(e).(*thing[K, V])
	delete(t.byKey, old.key)
	t.bytes -= old.bytes
}

// Bytes returns the number of bytes that the cache holds.
func (t *Things[K, V]) Bytes() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bytes
}
