// Package recent remembers what was made a moment ago, up to a number of bytes.
package recent

import (
	"container/list"
	"sync"
)

// Things are values that were made a moment ago, by their keys. Of more bytes than there
// is room for, those go that were not asked for for longest. The key of a value must
// change with the value. Safe for concurrent use.
type Things[K comparable, V any] struct {
	room int // bytes

	mu    sync.Mutex
	byKey map[K]*list.Element // of *thing
	order list.List           // asked for last is first
	bytes int
}

type thing[K comparable, V any] struct {
	key   K
	value V
	bytes int
}

// New makes room for so many bytes.
func New[K comparable, V any](bytes int) *Things[K, V] {
	return &Things[K, V]{room: bytes, byKey: map[K]*list.Element{}}
}

// Get returns a value that is remembered.
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

// Put remembers a value of so many bytes. One that would leave no room for any other is
// not worth it.
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

// Bytes is how many are remembered.
func (t *Things[K, V]) Bytes() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bytes
}
