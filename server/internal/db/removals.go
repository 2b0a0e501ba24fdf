package db

import (
	"context"
	"errors"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/server/internal/tables"
)

// Removal marks an account whose rows are being removed, or were removed within the last day. A
// running request may still write a row of the account, and the sweep removes this row.
//
// Each transaction of the removal first locks the mark. So no transaction removes rows of an
// account that was made again under the same name, because the new account deletes the mark.
type Removal struct {
	Account string `bun:",pk"`
	BegunAt time.Time
	EndedAt *time.Time // nil if rows are left
}

// Removals reads the marks of removals.
type Removals struct{ *source }

// RemovalsTx removes the rows of accounts.
type RemovalsTx struct {
	Removals
	tx *Tx
}

// ErrBeingRemoved says that rows of the account are being removed.
var ErrBeingRemoved = errors.New("store: the account is being removed")

// All returns all marks, by account.
func (r Removals) All(ctx context.Context) ([]Removal, error) {
	var all []Removal
	err := r.db.NewSelect().Model(&all).Order("account").Scan(ctx)
	return all, wrap("removals", err)
}

// Marked reports whether an account is being removed, or was removed within the last day and not made
// again.
func (r Removals) Marked(ctx context.Context, account string) (marked bool, err error) {
	err = r.db.NewRaw("SELECT EXISTS (SELECT 1 FROM removals WHERE account = ?)", account).Scan(ctx, &marked)
	return marked, wrap("removal of "+account, err)
}

// Begin marks an account, and suspends it. The error is ErrNotFound if there is neither such
// an account nor a mark.
func (w RemovalsTx) Begin(ctx context.Context, account string) error {
	now := sqldb.Moment(time.Now())
	res, err := w.db.NewUpdate().Model((*Account)(nil)).Set("suspended = ?, updated_at = ?", true, now).Where("id = ?", account).Exec(ctx)
	n, err := affected(res, err)
	if err != nil {
		return wrap("suspend account "+account, err)
	}
	if n == 0 {
		return w.Lock(ctx, account)
	}
	_, err = w.db.NewInsert().Model(&Removal{Account: account, BegunAt: now}).On("CONFLICT (account) DO UPDATE").Set("ended_at = NULL").Exec(ctx)
	return wrap("mark account "+account, err)
}

// Lock locks the mark of an account until the end of the transaction, or returns ErrNotFound.
func (w RemovalsTx) Lock(ctx context.Context, account string) error {
	_, err := w.lock(ctx, account)
	return err
}

func (w RemovalsTx) lock(ctx context.Context, account string) (*Removal, error) {
	q := w.tx.sql.ForUpdate(w.db.NewSelect().Where("account = ?", account))
	return scanOne[Removal](ctx, q, "removal of "+account)
}

// End deletes the row of the account, which has no other rows any more, and stores the time.
func (w RemovalsTx) End(ctx context.Context, account string) error {
	if err := w.Lock(ctx, account); err != nil {
		return err
	}
	if _, err := w.db.NewRaw("DELETE FROM accounts WHERE id = ?", account).Exec(ctx); err != nil {
		return wrap("delete account "+account, err)
	}
	_, err := w.db.NewUpdate().Model((*Removal)(nil)).Set("ended_at = coalesce(ended_at, ?)", sqldb.Moment(time.Now())).
		Where("account = ?", account).Exec(ctx)
	return wrap("end removal of "+account, err)
}

// Forget deletes the mark of an account that has been removed, if there is one. The error is
// ErrBeingRemoved if rows are left.
func (w RemovalsTx) Forget(ctx context.Context, account string) error {
	r, err := w.lock(ctx, account)
	switch {
	case errors.Is(err, ErrNotFound):
		return nil
	case err != nil:
		return err
	case r.EndedAt == nil:
		return ErrBeingRemoved
	}
	_, err = w.db.NewDelete().Model(r).WherePK().Exec(ctx)
	return wrap("forget removal of "+account, err)
}

// DeleteSome deletes some rows of an account in a table, and returns their number. It locks the
// mark of the account. The error is ErrNotFound as for Lock.
func (w RemovalsTx) DeleteSome(ctx context.Context, t tables.Table, account string) (int64, error) {
	if err := w.Lock(ctx, account); err != nil || t.OnPostgres && !w.shared {
		return 0, err
	}
	w.tx.forgetFacts()
	return t.DeleteOf(ctx, w.db, account)
}

// RunningOf returns at most 200 running jobs of an account.
func (r Jobs) RunningOf(ctx context.Context, account string) ([]Job, error) {
	var jobs []Job
	err := r.db.NewSelect().Model(&jobs).Where("account = ?", account).Where(running).Order("asked DESC", "id").Limit(portion).Scan(ctx)
	return jobs, wrap("running jobs of "+account, err)
}

// EndedOf returns at most n pieces of ended work that belong to an account alone, after the
// given id.
func (r Works) EndedOf(ctx context.Context, account, after string, n int) ([]Work, error) {
	var all []Work
	err := r.db.NewSelect().Model(&all).Where("owner = ? AND owner <> '' AND id > ?", account, after).
		Where("NOT (" + running + ")").Order("id").Limit(int64(n)).Scan(ctx)
	return all, wrap("extractions of "+account, err)
}

// IDs returns the ids of at most 200 uploads of an account.
func (s Uploads) IDs(ctx context.Context, account string) (ids []string, err error) {
	err = s.store.db.NewSelect().Model((*Upload)(nil)).Column("id").Where("account = ?", account).Limit(portion).Scan(ctx, &ids)
	return ids, wrap("uploads of "+account, err)
}
