package account

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
)

// rememberFor is how long a key that was found is not looked up again, and so how
// late a revocation by another process may be obeyed: 5 s at most are promised.
const rememberFor = time.Second

// holder is a key with its account, as they were read.
type holder struct {
	key     db.Key
	account db.Account

	asked    time.Time // before they were read
	changes  int64     // of the memory, then
	recalled bool      // it comes from memory
}

// memory holds the keys that were found a moment ago. It grows no larger than the
// number of keys that are in use.
type memory struct {
	byPrefix sync.Map     // of *holder
	changes  atomic.Int64 // how often something was changed here: what was read before counts no longer
}

func (m *memory) recall(prefix string) (holder, bool) {
	v, ok := m.byPrefix.Load(prefix)
	if !ok {
		return holder{}, false
	}
	h := *v.(*holder) // nothing else is stored
	if time.Since(h.asked) >= rememberFor || h.changes != m.changes.Load() {
		m.byPrefix.CompareAndDelete(prefix, v)
		return holder{}, false
	}
	h.recalled = true
	return h, true
}

func (m *memory) remember(h holder) { m.byPrefix.Store(h.key.Prefix, &h) }

// forget makes a change of this process count at once, also against a key that is
// being read now.
func (m *memory) forget() { m.changes.Add(1) }

// find returns the key with the prefix, and its account.
func (a *Accounts) find(ctx context.Context, prefix string) (holder, error) {
	if h, ok := a.memory.recall(prefix); ok {
		return h, nil
	}
	h := holder{asked: time.Now(), changes: a.memory.changes.Load()}
	var err error
	h.key, h.account, err = a.db.KeyByPrefix(ctx, prefix)
	return h, err
}
