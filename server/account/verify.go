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
)

// ErrInvalid says that a key is malformed, unknown, revoked or expired: which
// of them is nobody's business who does not own it.
var ErrInvalid = errors.New("account: invalid key")

// Principal is who makes a request, and what they may do.
type Principal struct {
	Account string // 1 to 255 bytes of UTF-8 without control characters
	KeyID   string // empty when no API key was used; bounded as Account
	Prefix  string // of the key, fit for logs
	Scopes  []Scope
	Plan    Plan
}

// Can reports whether the principal has the scope.
func (p Principal) Can(s Scope) bool { return slices.Contains(p.Scopes, s) }

// Verify returns who presents the key, and whether they may use it now.
// ErrInvalid for a key that is malformed, unknown, revoked or expired: nobody
// knows who it is. A principal beside a *transcript.Error: it is them, but the account
// is suspended, or its plan is not paid or not offered any more (UPGRADE_REQUIRED);
// or its plan cannot be found out now (SERVICE_UNAVAILABLE), or not be used
// (CONFIG_ERROR), and the principal has none.
//
// What is changed through these Accounts is obeyed at once, what is changed through
// others, as by another process, within a second or so, and what a PlanSource of
// one's own changes within 5 s.
func (a *Accounts) Verify(ctx context.Context, key string) (Principal, error) {
	h, err := a.holder(ctx, key)
	if err != nil {
		return Principal{}, err
	}
	p := Principal{Account: h.key.Account, KeyID: h.key.ID, Prefix: h.key.Prefix, Scopes: scopesOf(h.key.Scopes)}
	acc := accountOf(h.account)
	p.Plan, err = a.plans.of(ctx, acc)
	if err := ineligible(acc, p.Plan, err); err != nil {
		return p, err // the key is not remembered: who pays is let in at once
	}
	if !h.recalled {
		a.memory.remember(h)
		a.touch(ctx, h.key)
	}
	return p, nil
}

// Principal returns an account by its name as a principal with every scope and no key,
// and whether it may use the service now: for what a program does on its behalf.
// [ErrNotFound] where there is no such account; a principal beside a *transcript.Error
// as for Verify.
func (a *Accounts) Principal(ctx context.Context, name string) (Principal, error) {
	acc, err := a.Account(ctx, name)
	if err != nil {
		return Principal{}, err
	}
	p := Principal{Account: acc.Name, Scopes: Scopes()}
	p.Plan, err = a.plans.of(ctx, acc)
	return p, ineligible(acc, p.Plan, err)
}

// holder finds out whose key it is.
func (a *Accounts) holder(ctx context.Context, key string) (holder, error) {
	prefix, ok := parse(key)
	if !ok {
		return holder{}, ErrInvalid
	}
	h, err := a.find(ctx, prefix)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return holder{}, fmt.Errorf("account: looking up a key: %w", err)
	}
	if err != nil {
		// Compared all the same, so that the time taken does not tell which
		// prefixes exist.
		h.key.Hash = make([]byte, sha256.Size)
	}
	if subtle.ConstantTimeCompare(digest(key), h.key.Hash) != 1 || !valid(h.key, time.Now()) {
		return holder{}, ErrInvalid
	}
	return h, nil
}

func valid(k db.Key, at time.Time) bool {
	return k.RevokedAt == nil && (k.ExpiresAt == nil || at.Before(*k.ExpiresAt))
}

// ineligible returns why an account may neither have nor use keys: UPGRADE_REQUIRED,
// or the error of who was asked for its plan.
func ineligible(acc Account, plan Plan, err error) error {
	switch {
	case errors.Is(err, ErrNoPlan):
		return plan.UpgradeRequired("The account's plan is not offered any more.").Because(err)
	case err != nil:
		return err
	case acc.Suspended:
		return plan.UpgradeRequired("The account is suspended.")
	case !plan.Paid:
		return plan.UpgradeRequired("The account's plan does not include API keys.")
	}
	return nil
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
