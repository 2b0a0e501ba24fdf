package account

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
)

// Key describes an API key. The key itself is not stored.
type Key struct {
	ID         string // UUIDv7
	Account    string
	Prefix     string // the visible part: "tr_9fK2mQ7a", unique
	Name       string
	Scopes     []Scope
	CreatedAt  time.Time
	ExpiresAt  *time.Time // nil means never
	RevokedAt  *time.Time // nil if not revoked
	LastUsedAt *time.Time // exact to a minute; nil means never
}

func keyOf(row db.Key) Key {
	return Key{row.ID, row.Account, row.Prefix, row.Name, scopesOf(row.Scopes), row.CreatedAt, row.ExpiresAt, row.RevokedAt, row.LastUsedAt}
}

// Usable reports whether the key is neither revoked nor expired at the given time. Its
// account may still be suspended, or have a plan that does not permit keys.
func (k Key) Usable(at time.Time) bool {
	return k.RevokedAt == nil && (k.ExpiresAt == nil || k.ExpiresAt.After(at))
}

// KeyParams are the parameters of a new key.
type KeyParams struct {
	// ID is a UUID; empty means a new one. A form can choose the ID when it is first
	// shown. Then sending the form twice makes only one key: the second call returns
	// [ErrKeyExists].
	ID      string
	Account string
	// Name is a label for people: 1 to 100 printable characters.
	Name   string
	Scopes []Scope
	// ExpiresAt must be in the future. nil means that the key never expires.
	ExpiresAt *time.Time
	// Most is how many keys the account may have, including this one. If it would have
	// more, the error is [ErrTooManyKeys]. 0 means any number. Usable keys count, and
	// also all keys of the last 24 hours, so that a client cannot make and revoke any
	// number of keys.
	Most int
}

// Errors of [Accounts.CreateKey]: see [KeyParams].
var (
	ErrKeyExists   = errors.New("account: there is a key with this ID")
	ErrTooManyKeys = errors.New("account: the account has reached its limit of keys")
)

// CreateKey makes a key and returns its description and the key itself, which cannot be
// read again. The error is UPGRADE_REQUIRED (a *transcript.Error) if the account is
// suspended or its plan is not paid, [ErrNotFound] if there is no such account, and
// [ErrKeyExists] or [ErrTooManyKeys] as KeyParams describes.
func (a *Accounts) CreateKey(ctx context.Context, p KeyParams) (Key, string, error) {
	scopes, err := checkScopes(p.Scopes)
	if err != nil {
		return Key{}, "", err
	}
	if err := checkLabel(p.Name); err != nil {
		return Key{}, "", err
	}
	id, err := idOfKey(p.ID)
	if err != nil {
		return Key{}, "", err
	}
	secret := newSecret()
	key := db.Key{
		ID:        id,
		Account:   p.Account,
		Prefix:    secret[:prefixLength],
		Hash:      digest(secret),
		Name:      p.Name,
		Scopes:    scopes,
		CreatedAt: now(),
	}
	if p.ExpiresAt != nil {
		at := p.ExpiresAt.UTC().Truncate(time.Millisecond)
		if !at.After(key.CreatedAt) {
			return Key{}, "", fmt.Errorf("account: the expiry %s of the key is not in the future", at.Format(time.RFC3339))
		}
		key.ExpiresAt = &at
	}
	if err = a.mayHaveKeys(ctx, p.Account); err == nil {
		err = a.db.InTx(ctx, func(ctx context.Context, tx *db.Tx) error { return insertKey(ctx, tx, key, p.Most) })
	}
	switch {
	case errors.Is(err, db.ErrNotFound):
		return Key{}, "", notFound(fmt.Sprintf("there is no account %q", p.Account))
	case errors.Is(err, db.ErrExists) && p.ID != "": // two equal prefixes are less probable than a broken disk
		return Key{}, "", ErrKeyExists
	case err != nil:
		return Key{}, "", fmt.Errorf("account: creating a key: %w", err)
	}
	return keyOf(key), secret, nil
}

func idOfKey(given string) (string, error) {
	if given == "" {
		id, err := uuid.NewV7()
		return id.String(), err
	}
	id, err := uuid.Parse(given)
	if err != nil {
		return "", fmt.Errorf("account: the ID of a key is no UUID: %w", err)
	}
	return id.String(), nil
}

// insertKey stores a key if the account may have one more.
func insertKey(ctx context.Context, tx *db.Tx, key db.Key, most int) error {
	err := tx.Keys.Insert(ctx, key)
	if err != nil || most == 0 {
		return err
	}
	n, err := tx.Keys.Count(ctx, key.Account, key.CreatedAt, key.CreatedAt.Add(-24*time.Hour))
	if err == nil && n > int64(most) {
		err = ErrTooManyKeys
	}
	return err
}

// mayHaveKeys returns an error if an account may have no keys. It asks the source again,
// because a cached answer may be a second old.
func (a *Accounts) mayHaveKeys(ctx context.Context, name string) error {
	row, err := a.db.Accounts.ByID(ctx, name)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, sourcePatience)
	defer cancel()
	acc := accountOf(row)
	plan, err := ask(ctx, a.plans.source, acc)
	return ineligible(acc, plan, err)
}

func checkLabel(name string) error {
	if n := utf8.RuneCountInString(name); n < 1 || n > 100 {
		return fmt.Errorf("account: the name of a key has %d characters, not 1 to 100", n)
	}
	for _, r := range name {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return fmt.Errorf("account: the name of a key, %q, is not printable", name)
		}
	}
	return nil
}

// Keys returns all keys, oldest first, including revoked and expired ones.
func (a *Accounts) Keys(ctx context.Context) ([]Key, error) {
	return listed(a.db.Keys.All(ctx))
}

// KeysOf returns the keys of an account, as [Accounts.Keys] does. If there is no such
// account, it returns no keys and no error.
func (a *Accounts) KeysOf(ctx context.Context, account string) ([]Key, error) {
	return listed(a.db.Keys.OwnedBy(ctx, account))
}

func listed(rows []db.Key, err error) ([]Key, error) {
	if err != nil {
		return nil, fmt.Errorf("account: listing keys: %w", err)
	}
	all := make([]Key, len(rows))
	for i, row := range rows {
		all[i] = keyOf(row)
	}
	return all, nil
}

// Revoke permanently revokes the key with the prefix, from the next request on. Revoking a
// key again changes nothing. The error is [ErrNotFound] if no key has the prefix.
func (a *Accounts) Revoke(ctx context.Context, prefix string) error {
	return a.revoke(ctx, prefix, func(ctx context.Context, tx *db.Tx) error {
		return tx.Keys.Revoke(ctx, prefix, now())
	})
}

// RevokeOf revokes a key of the given account, as [Accounts.Revoke] does. If the key
// belongs to another account, the error is [ErrNotFound].
func (a *Accounts) RevokeOf(ctx context.Context, account, prefix string) error {
	return a.revoke(ctx, prefix, func(ctx context.Context, tx *db.Tx) error {
		return tx.Keys.RevokeOwned(ctx, account, prefix, now())
	})
}

func (a *Accounts) revoke(ctx context.Context, prefix string, end func(context.Context, *db.Tx) error) error {
	if len(prefix) > prefixLength {
		// A whole key given by mistake must not reach a log through an error.
		return notFound(fmt.Sprintf("no key has the prefix %q…", prefix[:prefixLength]))
	}
	err := a.db.InTx(ctx, end)
	a.memory.forget()
	if errors.Is(err, db.ErrNotFound) {
		return notFound(fmt.Sprintf("no key has the prefix %q", prefix))
	}
	if err != nil {
		return fmt.Errorf("account: revoking a key: %w", err)
	}
	return nil
}
