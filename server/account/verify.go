package account

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// ErrInvalid says that a key is malformed, unknown, revoked or expired: which
// of them is nobody's business who does not own it.
var ErrInvalid = errors.New("account: invalid key")

// Principal is who makes a request, and what they may do.
type Principal struct {
	Account string
	KeyID   string // empty when no API key was used
	Prefix  string // of the key, fit for logs
	Scopes  []Scope
	Plan    Plan
}

// Can reports whether the principal has the scope.
func (p Principal) Can(s Scope) bool { return slices.Contains(p.Scopes, s) }

// Verify returns who presents the key. ErrInvalid for a key that is malformed,
// unknown, revoked or expired; UPGRADE_REQUIRED (a *transcript.Error) when the
// account is suspended or its plan is not paid: then the principal says, for a
// log, whose key it is, and has no plan. What another process changes is obeyed
// within a second or so, what this one changes by the next request.
func (a *Accounts) Verify(ctx context.Context, key string) (Principal, error) {
	prefix, ok := parse(key)
	if !ok {
		return Principal{}, ErrInvalid
	}
	asked := time.Now()
	k, acc, recalled, err := a.find(ctx, prefix)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return Principal{}, fmt.Errorf("account: looking up a key: %w", err)
	}
	if err != nil {
		// Compared all the same, so that the time taken does not tell which
		// prefixes exist.
		k.Hash = make([]byte, sha256.Size)
	}
	if subtle.ConstantTimeCompare(digest(key), k.Hash) != 1 || !valid(k, time.Now()) {
		return Principal{}, ErrInvalid
	}
	p := Principal{Account: k.Account, KeyID: k.ID, Prefix: k.Prefix}
	for _, s := range k.Scopes {
		p.Scopes = append(p.Scopes, Scope(s))
	}
	if p.Plan, err = a.eligible(acc); err != nil {
		return p, err
	}
	if !recalled {
		a.memory.remember(k, acc, asked)
		a.touch(ctx, k)
	}
	return p, nil
}

func valid(k db.Key, at time.Time) bool {
	return k.RevokedAt == nil && (k.ExpiresAt == nil || at.Before(*k.ExpiresAt))
}

// eligible returns the plan of an account that may have and use keys.
func (a *Accounts) eligible(acc db.Account) (Plan, error) {
	plan, err := a.plans.find(acc.Plan)
	if err != nil {
		return Plan{}, transcript.Errorf(transcript.ConfigError, "The plan of this account is not configured.").Because(err)
	}
	switch {
	case acc.Suspended:
		return Plan{}, plan.UpgradeRequired("The account is suspended.")
	case !plan.Paid:
		return Plan{}, plan.UpgradeRequired("The account's plan does not include API keys.")
	}
	return plan, nil
}

const (
	// touchInterval is how exact the time of a key's last use is.
	touchInterval = time.Minute
	// touchPatience is how long a request waits for a busy database to note it.
	touchPatience = time.Second
)

// touch notes that the key is in use. One request a minute pays for it with a
// write; those that come while it writes do not wait for it.
func (a *Accounts) touch(ctx context.Context, k db.Key) {
	if k.LastUsedAt != nil && time.Since(*k.LastUsedAt) < touchInterval {
		return
	}
	if _, busy := a.touching.LoadOrStore(k.ID, nil); busy {
		return
	}
	defer a.touching.Delete(k.ID)
	ctx, cancel := context.WithTimeout(ctx, touchPatience)
	defer cancel()
	_ = a.db.TouchKey(ctx, k.ID, now()) // a note for people: no request fails for want of it
}
