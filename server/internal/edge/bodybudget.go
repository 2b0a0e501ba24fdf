package edge

import (
	"errors"
	"sync"
)

// SmallBody is the largest body of an ordinary request, in bytes. An eighth of a BodyBudget is reserved
// for ordinary requests, so that a few large bodies do not block them.
const SmallBody = 64 << 10

var (
	// ErrBodiesFull means that the process has reached its limit.
	ErrBodiesFull = errors.New("bodies: the process holds as many bytes as it may")
	// ErrBodiesShare means that the owner has reached the limit of one owner.
	ErrBodiesShare = errors.New("bodies: the owner holds as many bytes as one owner may")
)

// BodyBudget limits the bytes of request bodies that are in memory at the same time. There is
// a limit for the whole process, and a smaller one for each owner. A BodyBudget is safe for
// concurrent use.
type BodyBudget struct {
	most, share int64

	mu     sync.Mutex
	held   int64
	owners map[string]int64 // bytes held; an owner without any has no entry
}

// NewBodyBudget returns a budget of most bytes. One owner may hold share of them.
func NewBodyBudget(most, share int64) *BodyBudget {
	return &BodyBudget{most: most, share: share, owners: map[string]int64{}}
}

// HeldBody is the share of one request. It belongs to one goroutine.
type HeldBody struct {
	budget *BodyBudget
	owner  string
	bytes  int64
}

// Hold returns a HeldBody of 0 bytes. The caller calls Release at the end.
func (b *BodyBudget) Hold(owner string) *HeldBody { return &HeldBody{budget: b, owner: owner} }

// Grow raises the held bytes to to, or changes nothing and returns ErrBodiesShare or ErrBodiesFull.
// A nil HeldBody has no limit.
func (h *HeldBody) Grow(to int64) error {
	if h == nil || to <= h.bytes {
		return nil
	}
	b, more := h.budget, to-h.bytes
	b.mu.Lock()
	defer b.mu.Unlock()
	most := b.most
	if to > SmallBody {
		most -= most / 8
	}
	switch {
	case b.owners[h.owner]+more > b.share:
		return ErrBodiesShare
	case b.held+more > most:
		return ErrBodiesFull
	}
	h.bytes = to
	b.add(h.owner, more)
	return nil
}

// Shrink lowers the held bytes to to.
func (h *HeldBody) Shrink(to int64) {
	if h == nil || to >= h.bytes {
		return
	}
	h.budget.mu.Lock()
	defer h.budget.mu.Unlock()
	h.budget.add(h.owner, to-h.bytes)
	h.bytes = to
}

// Release releases all bytes. It may be called more than once.
func (h *HeldBody) Release() { h.Shrink(0) }

// add changes the counts. The caller holds the lock.
func (b *BodyBudget) add(owner string, n int64) {
	b.held += n
	if b.owners[owner] += n; b.owners[owner] == 0 {
		delete(b.owners, owner)
	}
}
