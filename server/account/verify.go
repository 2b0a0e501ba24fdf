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

// ErrInvalid means that a key is malformed, unknown, revoked or expired. The error does
// not say which, because only the owner of a key may know.
var ErrInvalid = errors.New("account: invalid key")

// Principal is the account that makes a request, with its permissions.
type Principal struct {
	Account string // 1 to 255 bytes of UTF-8 without control characters
	KeyID   string // empty if the request has no API key; as long as Account at most
	Prefix  string // the key's prefix, safe to log
	Scopes  []Scope
	Plan    Plan
}

// Can reports whether the principal has the scope.
func (p Principal) Can(s Scope) bool { return slices.Contains(p.Scopes, s) }

// Verify returns the principal of a key. The error is [ErrInvalid] if the key is
// malformed, unknown, revoked or expired. If the key is valid but the account may not
// use the service now, Verify returns the principal and a [*transcript.Error]. Its code
// is UPGRADE_REQUIRED if the account is suspended, or if its plan is not paid or no
// longer offered. The code is SERVICE_UNAVAILABLE if the plan cannot be read now, and
// CONFIG_ERROR if the plan is not valid; the principal then has no plan.
//
// Changes made through this Accounts take effect at once. Changes made through another
// Accounts, for example in another process, take effect within about a second. Changes
// in your own [PlanSource] take effect within 5 s.
func (a *Accounts) Verify(ctx context.Context, key string) (Principal, error) {
	h, err := a.holder(ctx, key)
	if err != nil {
		return Principal{}, err
	}
	p := Principal{Account: h.key.Account, KeyID: h.key.ID, Prefix: h.key.Prefix, Scopes: scopesOf(h.key.Scopes)}
	acc := accountOf(h.account)
	p.Plan, err = a.plans.of(ctx, acc)
	if err := ineligible(acc, p.Plan, err); err != nil {
		return p, err // the key is not remembered, so that a payment takes effect at once
	}
	if !h.recalled {
		a.memory.remember(h)
		a.touch(ctx, h.key)
	}
	return p, nil
}

// Principal returns a principal for an account, with every scope and no key, for
// programs that act for the account. The error is [ErrNotFound] if there is no such
// account. If the account may not use the service now, Principal returns the principal
// and a [*transcript.Error], as [Accounts.Verify] does.
func (a *Accounts) Principal(ctx context.Context, name string) (Principal, error) {
	acc, err := a.Account(ctx, name)
	if err != nil {
		return Principal{}, err
	}
	p := Principal{Account: acc.Name, Scopes: Scopes()}
	p.Plan, err = a.plans.of(ctx, acc)
	return p, ineligible(acc, p.Plan, err)
}

// holder finds the account of a key.
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
		// Compare anyway, so that the time taken does not reveal which prefixes exist.
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

// ineligible returns the reason why an account may neither have nor use keys:
// UPGRADE_REQUIRED, or the error of the PlanSource.
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
	// touchInterval is the precision with which the time of a key's last use is stored.
	touchInterval = time.Minute
	// touchPatience is how long a request waits for a busy database when it records the use.
	touchPatience = time.Second
)

// touch records the use of the key. One request a minute makes the write. Requests that
// arrive during the write do not wait.
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
	_ = a.db.TouchKey(ctx, k.ID, now()) // the time only informs people, so no request fails without it
}
