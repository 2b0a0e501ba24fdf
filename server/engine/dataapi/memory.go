package dataapi

import "sync"

// most is how much of a kind is remembered: some 100 KB.
const most = 1000

// memory keeps what the first page of a list has told for its further pages, which then
// cost a call less. It is emptied when it is full. The zero value is ready.
type memory[V any] struct {
	mu sync.Mutex
	of map[string]V
}

func (m *memory[V]) get(id string) (V, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.of[id]
	return v, ok
}

func (m *memory[V]) put(id string, v V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.of == nil || len(m.of) >= most {
		m.of = map[string]V{}
	}
	m.of[id] = v
}
