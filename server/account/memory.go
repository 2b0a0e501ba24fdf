package account

import (
	"context"
	"sync"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
)

// rememberFor is how long a key that was found is not looked up again. A
// revocation is to be obeyed within 5 s in every process.
const rememberFor = time.Second

// memory holds the keys that were found a moment ago, with their accounts. It
// grows no larger than the number of keys that are in use.
type memory struct{ byPrefix sync.Map }

type memorized struct {
	key     db.Key
	account db.Account
	at      time.Time
}

func (m *memory) recall(prefix string) (*memorized, bool) {
	v, ok := m.byPrefix.Load(prefix)
	if !ok {
		return nil, false
	}
	found := v.(*memorized) // nothing else is stored
	if time.Since(found.at) >= rememberFor {
		m.byPrefix.CompareAndDelete(prefix, v)
		return nil, false
	}
	return found, true
}

func (m *memory) remember(key db.Key, account db.Account, asked time.Time) {
	m.byPrefix.Store(key.Prefix, &memorized{key, account, asked})
}

// forget makes changes of this process count at once.
func (m *memory) forget() { m.byPrefix.Clear() }

// find returns the key with the prefix and its account, and whether they come
// from memory.
func (a *Accounts) find(ctx context.Context, prefix string) (key db.Key, account db.Account, recalled bool, err error) {
	if found, ok := a.memory.recall(prefix); ok {
		return found.key, found.account, true, nil
	}
	key, account, err = a.db.KeyByPrefix(ctx, prefix)
	return key, account, false, err
}
