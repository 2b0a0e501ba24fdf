package account

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
)

// rememberFor is how long a process caches a key. A revocation by another process takes effect
// at most this much later: the documented limit is 5 s.
const rememberFor = time.Second

// holder is a key and its account, as read from the database.
type holder struct {
	key     db.Key
	account db.Account

	asked    time.Time // before the read
	changes  int64     // of the cached key, at that time
	recalled bool      // it comes from the cache
}

// memory caches the keys that were read recently. It has at most as many entries as there
// are keys in use.
type memory struct {
	byPrefix sync.Map     // of *holder
	changes  atomic.Int64 // how many changes this process has made: each change invalidates earlier reads
}

func (m *memory) recall(prefix string) (holder, bool) {
	v, ok := m.byPrefix.Load(prefix)
	if !ok {
		return holder{}, false
	}
	h := *v.(*holder) // the map stores nothing else
	if time.Since(h.asked) >= rememberFor || h.changes != m.changes.Load() {
		m.byPrefix.CompareAndDelete(prefix, v)
		return holder{}, false
	}
	h.recalled = true
	return h, true
}

func (m *memory) remember(h holder) { m.byPrefix.Store(h.key.Prefix, &h) }

// forget makes a change by this process take effect at once, even for a key that is being
// read.
func (m *memory) forget() { m.changes.Add(1) }

// find returns the key with the prefix, and its account.
func (a *Accounts) find(ctx context.Context, prefix string) (holder, error) {
	if h, ok := a.memory.recall(prefix); ok {
		return h, nil
	}
	h := holder{asked: time.Now(), changes: a.memory.changes.Load()}
	var err error
	h.key, h.account, err = a.db.Keys.ByPrefix(ctx, prefix)
	return h, err
}
