package dataapi

import "sync"

// most is how many entries of a kind are remembered: some 100 KB.
const most = 1000

// memory keeps facts from the first page of a list, which save a call for each further page. It
// is emptied when it is full. The zero value is ready.
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
