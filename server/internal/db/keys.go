package db

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// Key is an API key as it is stored, without the key itself.
type Key struct {
	ID         string `bun:",pk"` // UUIDv7; made if it is empty
	Account    string
	Prefix     string // "tr_9fK2mQ7a", unique
	Hash       []byte // SHA-256 of the whole key
	Name       string
	Scopes     []string
	CreatedAt  time.Time
	ExpiresAt  *time.Time
	RevokedAt  *time.Time
	LastUsedAt *time.Time
}

// Keys reads API keys.
type Keys struct{ *source }

// KeysTx reads and changes API keys.
type KeysTx struct {
	Keys
	tx *Tx
}

// ByPrefix returns the key and its account, or ErrNotFound. One query.
func (r Keys) ByPrefix(ctx context.Context, prefix string) (Key, Account, error) {
	var row struct {
		Key `bun:",extend"`
		Of  Account `bun:"embed:of_"`
	}
	err := r.db.NewSelect().Model(&row).
		ModelTableExpr("keys AS k").
		ColumnExpr("k.*").
		ColumnExpr("a.id AS of_id, a.plan AS of_plan, a.suspended AS of_suspended, a.prompt AS of_prompt").
		ColumnExpr("a.created_at AS of_created_at, a.updated_at AS of_updated_at").
		Join("JOIN accounts AS a ON a.id = k.account").
		Where("k.prefix = ?", prefix).
		Scan(ctx)
	return row.Key, row.Of, one("key "+prefix, err)
}

// All returns all keys, oldest first.
func (r Keys) All(ctx context.Context) ([]Key, error) {
	var all []Key
	err := r.db.NewSelect().Model(&all).Order("created_at", "id").Scan(ctx)
	return all, wrap("keys", err)
}

// OwnedBy returns the keys of an account, oldest first.
func (r Keys) OwnedBy(ctx context.Context, account string) ([]Key, error) {
	var all []Key
	err := r.db.NewSelect().Model(&all).Where("account = ?", account).Order("created_at", "id").Scan(ctx)
	return all, wrap("keys of account "+account, err)
}

// Count returns how many keys of an account are usable at a time, or were made after
// another time. It locks the account, so that no key is added until the transaction ends.
func (w KeysTx) Count(ctx context.Context, account string, at, since time.Time) (int64, error) {
	var a Account
	if err := w.tx.sql.ForUpdate(w.db.NewSelect().Model(&a).Where("id = ?", account)).Scan(ctx); err != nil {
		return 0, one("account "+account, err)
	}
	n, err := w.db.NewSelect().Model((*Key)(nil)).
		Where("account = ?", account).
		Where("created_at > ? OR (revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?))", sqldb.Moment(since), sqldb.Moment(at)).
		Count(ctx)
	return n, wrap("count keys of account "+account, err)
}

// Insert stores a new key. The error is ErrNotFound if the account does not exist, and
// ErrExists if the prefix or the id is taken.
func (w KeysTx) Insert(ctx context.Context, k Key) error {
	if err := sqldb.NewID(&k.ID); err != nil {
		return err
	}
	sqldb.Stamp(&k.CreatedAt)
	if _, err := w.tx.Accounts.ByID(ctx, k.Account); err != nil {
		return fmt.Errorf("store: insert key: %w", err)
	}
	return insertNew(ctx, w.db, "key "+k.Prefix, &k)
}

// Revoke marks the key as revoked, or returns ErrNotFound. The time of an earlier revocation stays.
func (w KeysTx) Revoke(ctx context.Context, prefix string, at time.Time) error {
	res, err := revocation(w.tx, prefix, at).Exec(ctx)
	return mustAffect("revoke key "+prefix, res, err)
}

// RevokeOwned is Revoke for a key of the account. For a key of another account, the error
// is ErrNotFound.
func (w KeysTx) RevokeOwned(ctx context.Context, account, prefix string, at time.Time) error {
	res, err := revocation(w.tx, prefix, at).Where("account = ?", account).Exec(ctx)
	return mustAffect("revoke key "+prefix, res, err)
}

func revocation(tx *Tx, prefix string, at time.Time) *bun.UpdateQuery {
	return tx.db.NewUpdate().Model((*Key)(nil)).
		Set("revoked_at = coalesce(revoked_at, ?)", sqldb.Moment(at)).
		Where("prefix = ?", prefix)
}

// TouchKey records that the key was used at the given time, unless a use less than a
// minute earlier is recorded.
func (s *Store) TouchKey(ctx context.Context, id string, at time.Time) error {
	ctx, err := s.sql.Enter(ctx)
	if err != nil {
		return err
	}
	_, err = s.writer.NewUpdate().Model((*Key)(nil)).
		Set("last_used_at = ?", sqldb.Moment(at)).
		Where("id = ? AND (last_used_at IS NULL OR last_used_at <= ?)", id, sqldb.Moment(at.Add(-time.Minute))).
		Exec(ctx)
	return wrap("touch key "+id, err)
}
