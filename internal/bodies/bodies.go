// Package bodies bounds the bytes of request bodies that are in memory at the same time. One
// bound applies to the whole process, a smaller one to each owner.
package bodies

import (
	"errors"
	"sync"
)

// Small is the largest body of an ordinary request, in bytes. An eighth of a Budget is reserved
// for ordinary requests, so that a few large bodies do not block them.
const Small = 64 << 10

var (
	// ErrFull reports that the process has reached its bound.
	ErrFull = errors.New("bodies: the process holds as many bytes as it may")
	// ErrShare reports that the owner has reached the bound of one owner.
	ErrShare = errors.New("bodies: the owner holds as many bytes as one owner may")
)

// Budget is a bound on held bytes. Safe for concurrent use.
type Budget struct {
	most, share int64

	mu     sync.Mutex
	held   int64
	owners map[string]int64 // bytes held; an owner without any has no entry
}

// New returns a budget of most bytes. One owner may hold share of them.
func New(most, share int64) *Budget {
	return &Budget{most: most, share: share, owners: map[string]int64{}}
}

// Held is the share of one request. It belongs to one goroutine.
type Held struct {
	budget *Budget
	owner  string
	bytes  int64
}

// Hold returns a Held of 0 bytes. The caller calls Release at the end.
func (b *Budget) Hold(owner string) *Held { return &Held{budget: b, owner: owner} }

// Grow raises the held bytes to to, or changes nothing and returns ErrShare or ErrFull. A nil
// Held has no bound.
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

// Shrink lowers the held bytes to to.
func (h *Held) Shrink(to int64) {
	if h == nil || to >= h.bytes {
		return
	}
	h.budget.mu.Lock()
	defer h.budget.mu.Unlock()
	h.budget.add(h.owner, to-h.bytes)
	h.bytes = to
}

// Release releases all bytes. It may be called more than once.
func (h *Held) Release() { h.Shrink(0) }

// add changes the counts. The caller holds the lock.
func (b *Budget) add(owner string, n int64) {
	b.held += n
	if b.owners[owner] += n; b.owners[owner] == 0 {
		delete(b.owners, owner)
	}
}
