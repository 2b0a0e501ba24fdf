package db

import (
	"context"
	"errors"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// Account is a customer.
type Account struct {
	ID        string `bun:",pk"` // the name given by the operator
	Plan      string
	Suspended bool
	Prompt    string // the prompt for its uploads; "" means none
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Accounts reads accounts.
type Accounts struct{ *source }

// AccountsTx reads and changes accounts.
type AccountsTx struct {
	Accounts
	tx *Tx
}

// ByID returns the account, or ErrNotFound.
func (r Accounts) ByID(ctx context.Context, id string) (Account, error) {
	var a Account
	err := r.db.NewSelect().Model(&a).Where("id = ?", id).Scan(ctx)
	return a, one("account "+id, err)
}

// All returns all accounts by name.
func (r Accounts) All(ctx context.Context) ([]Account, error) {
	var all []Account
	err := r.db.NewSelect().Model(&all).Order("id").Scan(ctx)
	return all, wrap("accounts", err)
}

// Prompt returns the prompt of an account; "" if the account is not known here.
func (r Accounts) Prompt(ctx context.Context, account string) (string, error) {
	a, err := r.ByID(ctx, account)
	if errors.Is(err, ErrNotFound) {
		return "", nil
	}
	return a.Prompt, err
}

// Put creates the account or changes its plan, state and prompt. Times that are zero
// become the current time; the time of creation does not change.
func (w AccountsTx) Put(ctx context.Context, a Account) error {
	sqldb.Stamp(&a.CreatedAt, &a.UpdatedAt)
	_, err := w.db.NewInsert().Model(&a).
		On("CONFLICT (id) DO UPDATE").
		Set("plan = excluded.plan, suspended = excluded.suspended, prompt = excluded.prompt, updated_at = excluded.updated_at").
		Exec(ctx)
	return wrap("put account "+a.ID, err)
}

// Standing is the state of an account at one moment: its usage in a period, its places,
// and the key of the request.
type Standing struct {
	Usage  Usage
	Places PlacesInUse
	Key    *Key // nil if the account has no key with that id
}

// Standing returns the state of the account in the period that began at the given time. One query.
func (r Accounts) Standing(ctx context.Context, account, keyID string, period time.Time) (Standing, error) {
	var row struct {
		Usage
		Running, Waiting int
		Key              Key `bun:"embed:key_"`
	}
	err := r.db.NewSelect().
		TableExpr("(?) AS p", countPlaces(r.db, account)).
		Join("LEFT JOIN usage AS u ON u.account = ? AND u.period = ?", account, period.Format(time.DateOnly)).
		Join("LEFT JOIN keys AS k ON k.account = ? AND k.id = ?", account, keyID).
		ColumnExpr("p.running, p.waiting").
		ColumnExpr("u.used_transcripts, u.used_minutes, u.reserved_transcripts, u.reserved_minutes").
		ColumnExpr("k.id AS key_id, k.account AS key_account, k.prefix AS key_prefix, k.name AS key_name, k.scopes AS key_scopes").
		ColumnExpr("k.created_at AS key_created_at, k.expires_at AS key_expires_at, k.last_used_at AS key_last_used_at").
		Scan(ctx, &row)
	if err != nil {
		return Standing{}, wrap("standing of "+account, err)
	}
	s := Standing{Usage: row.Usage, Places: PlacesInUse{row.Running, row.Waiting}}
	if row.Key.ID != "" {
		s.Key = &row.Key
	}
	return s, nil
}
