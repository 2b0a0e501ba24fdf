// Package bodies bounds the bytes of request bodies that are in memory at the same time.
// One bound holds for the whole process, a smaller one for each owner.
package bodies

import (
	"errors"
	"sync"
)

// Small is the size of a body, in bytes, up to which a request is ordinary. An eighth of
// a Budget takes ordinary requests alone, so that a few large bodies do not keep them out.
const Small = 64 << 10

var (
	// ErrFull says that the process holds as many bytes as it may.
	ErrFull = errors.New("bodies: the process holds as many bytes as it may")
	// ErrShare says that the owner holds as many bytes as one owner may.
	ErrShare = errors.New("bodies: the owner holds as many bytes as one owner may")
)

// Budget is how many bytes may be held. Safe for concurrent use.
type Budget struct {
	most, share int64

	mu     sync.Mutex
	held   int64
	owners map[string]int64 // bytes held; an owner without any has no entry
}

// New is a budget of most bytes, of which one owner may hold share.
func New(most, share int64) *Budget {
	return &Budget{most: most, share: share, owners: map[string]int64{}}
}

// Held is what one request of an owner holds. It belongs to one goroutine.
type Held struct {
	budget *Budget
	owner  string
	bytes  int64
}

// Hold begins with nothing. The caller calls Release at the end.
func (b *Budget) Hold(owner string) *Held { return &Held{budget: b, owner: owner} }

// Grow takes what is missing to so many bytes, or nothing. The error is ErrShare or
// ErrFull. A nil Held is not bounded.
func (h *Held) Grow(to int64) error {
	if h == nil || to <= h.bytes {
		return nil
	}
	b, more := h.budget, to-h.bytes
	b.mu.Lock()
	defer b.mu.Unlock()
	most := b.most
	if to > Small {
		most -= most / 8
	}
	switch {
	case b.owners[h.owner]+more > b.share:
		return ErrShare
	case b.held+more > most:
		return ErrFull
	}
	h.bytes = to
	b.add(h.owner, more)
	return nil
}

// Shrink gives back what is more than so many bytes.
func (h *Held) Shrink(to int64) {
	if h == nil || to >= h.bytes {
		return
	}
	h.budget.mu.Lock()
	defer h.budget.mu.Unlock()
	h.budget.add(h.owner, to-h.bytes)
	h.bytes = to
}

// Release gives back all. It may be called more than once.
func (h *Held) Release() { h.Shrink(0) }

// add is called with the lock held.
func (b *Budget) add(owner string, n int64) {
	b.held += n
	if b.owners[owner] += n; b.owners[owner] == 0 {
		delete(b.owners, owner)
	}
}
