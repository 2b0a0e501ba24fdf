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

// Key is what is known of an API key; the key itself is not kept.
type Key struct {
	ID         string // UUIDv7
	Account    string
	Prefix     string // what people see of it: "tr_9fK2mQ7a", unique
	Name       string
	Scopes     []Scope
	CreatedAt  time.Time
	ExpiresAt  *time.Time // nil: never
	RevokedAt  *time.Time // nil: it is not
	LastUsedAt *time.Time // exact to a minute; nil: never
}

func keyOf(row db.Key) Key {
	return Key{row.ID, row.Account, row.Prefix, row.Name, scopesOf(row.Scopes), row.CreatedAt, row.ExpiresAt, row.RevokedAt, row.LastUsedAt}
}

// KeyParams are the parameters of a new key.
type KeyParams struct {
	Account string
	// Name is a label for people: 1 to 100 printable characters.
	Name   string
	Scopes []Scope
	// ExpiresAt must lie in the future; nil: never.
	ExpiresAt *time.Time
}

// CreateKey makes a key and returns what is known of it and, this once, the key
// itself. UPGRADE_REQUIRED (a *transcript.Error) when the account is suspended
// or its plan is not paid; [ErrNotFound] when there is no such account.
func (a *Accounts) CreateKey(ctx context.Context, p KeyParams) (Key, string, error) {
	scopes, err := checkScopes(p.Scopes)
	if err != nil {
		return Key{}, "", err
	}
	if err := checkLabel(p.Name); err != nil {
		return Key{}, "", err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return Key{}, "", fmt.Errorf("account: making the id of a key: %w", err)
	}
	secret := newSecret()
	key := db.Key{
		ID:        id.String(),
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
			return Key{}, "", fmt.Errorf("account: the key would have expired at %s", at.Format(time.RFC3339))
		}
		key.ExpiresAt = &at
	}
	if err = a.mayHaveKeys(ctx, p.Account); err == nil {
		err = a.db.InTx(ctx, func(ctx context.Context, tx *db.Tx) error { return tx.InsertKey(ctx, key) })
	}
	if errors.Is(err, db.ErrNotFound) {
		return Key{}, "", notFound(fmt.Sprintf("there is no account %q", p.Account))
	}
	if err != nil {
		return Key{}, "", fmt.Errorf("account: creating a key: %w", err)
	}
	return keyOf(key), secret, nil
}

// mayHaveKeys returns why an account may have no keys. The source is asked anew: what
// was remembered may be a second old.
func (a *Accounts) mayHaveKeys(ctx context.Context, name string) error {
	row, err := a.db.Account(ctx, name)
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

// Keys returns all keys, oldest first, also revoked and expired ones.
func (a *Accounts) Keys(ctx context.Context) ([]Key, error) {
	rows, err := a.db.Keys(ctx)
	if err != nil {
		return nil, fmt.Errorf("account: listing keys: %w", err)
	}
	all := make([]Key, len(rows))
	for i, row := range rows {
		all[i] = keyOf(row)
	}
	return all, nil
}

// Revoke ends the key with the prefix, for good and from the next request on.
// Revoking it again changes nothing. [ErrNotFound] when no key has the prefix.
func (a *Accounts) Revoke(ctx context.Context, prefix string) error {
	if len(prefix) > prefixLength {
		// A whole key given by mistake must not reach a log through an error.
		return notFound(fmt.Sprintf("no key has the prefix %q…", prefix[:prefixLength]))
	}
	err := a.db.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		return tx.RevokeKey(ctx, prefix, now())
	})
	a.memory.forget()
	if errors.Is(err, db.ErrNotFound) {
		return notFound(fmt.Sprintf("no key has the prefix %q", prefix))
	}
	if err != nil {
		return fmt.Errorf("account: revoking a key: %w", err)
	}
	return nil
}
