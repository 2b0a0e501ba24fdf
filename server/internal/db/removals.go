package db

import (
	"context"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// Removal marks an account whose rows are being removed, or were removed within the last day. A
// request that was under way may still write a row of the account, and the sweep removes this row.
//
// Each transaction of the removal first locks the mark. So no transaction removes rows of an
// account that was made again under the same name: that deletes the mark.
type Removal struct {
	Account string `bun:",pk"`
	BegunAt time.Time
	EndedAt *time.Time // nil: rows are left
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

// Begin marks an account, and suspends it. ErrNotFound: there is no such account, and no mark.
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

// End deletes the row of the account, which has no other rows any more, and notes the time.
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

// Forget deletes the mark of an account that has been removed, if there is one. ErrBeingRemoved:
// rows are left.
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

// Owned is a table whose rows of an account go without further consequences. The rows that depend
// on these rows go with them.
type Owned string

// The tables, in the order in which their rows can be deleted.
const (
	OwnedKeys        Owned = "keys"
	OwnedShares      Owned = "shares"
	OwnedTextFeeds   Owned = "text_feeds"
	OwnedVolumes     Owned = "search_volumes"
	OwnedLibrary     Owned = "library_rows" // what Library.Remove leaves
	OwnedTranscripts Owned = "transcripts"
	OwnedJobs        Owned = "jobs"
	OwnedExtractions Owned = "extractions"
	OwnedIdempotency Owned = "idempotency_keys"
	OwnedUsage       Owned = "usage"
	OwnedSizes       Owned = "library_sizes"
	OwnedFollowing   Owned = "follow_accounts"
	OwnedLines       Owned = "follow_lines"
	OwnedTurns       Owned = "fair_shares"
	OwnedWindows     Owned = "rate_windows" // on PostgreSQL
)

// ownedRows say how the rows of an account are found. The order of the values is key, condition.
var ownedRows = map[Owned]struct{ key, of string }{
	OwnedKeys:        {"id", "account = ?0"},
	OwnedShares:      {"id", "account = ?0"},
	OwnedTextFeeds:   {"account", "account = ?0"},
	OwnedVolumes:     {"id", "account = ?0"},
	OwnedLibrary:     {"id", "account = ?0"},
	OwnedTranscripts: {"id", "owner = ?0 AND NOT EXISTS (SELECT 1 FROM library_rows AS l WHERE l.transcript_id = transcripts.id)"},
	OwnedJobs:        {"id", "account = ?0 AND ended_at IS NOT NULL"},
	OwnedExtractions: {"id", `owner = ?0 AND owner <> '' AND status NOT IN ('pending', 'processing')
		AND NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.extraction_id = extractions.id)`},
	OwnedIdempotency: {"account, method, route, key", "account = ?0"},
	OwnedUsage:       {"account, period", "account = ?0"},
	OwnedSizes:       {"account", "account = ?0 AND bytes = 0"},
	OwnedFollowing:   {"account", "account = ?0"},
	OwnedLines:       {"account, slow", "account = ?0"},
	OwnedTurns:       {"queue, priority, turn", "turn = ?0"},
	OwnedWindows:     {"account, class, seconds", "account IN (?0, ?0 || chr(1))"}, // see keyless
}

// DeleteSome deletes rows of an account in a table, at most 200, and returns how many. It locks
// the mark of the account: ErrNotFound as for Lock.
func (w RemovalsTx) DeleteSome(ctx context.Context, table Owned, account string) (int64, error) {
	if err := w.Lock(ctx, account); err != nil || table == OwnedWindows && !w.shared {
		return 0, err // on SQLite the windows are in memory
	}
	w.tx.sql.AtEnd(func() { w.tx.facts.shelves.AllChanged(); w.tx.facts.saved.AllChanged() })
	rows, some := ownedRows[table], portion
	if table == OwnedVolumes { // which have thousands of blocks each
		some = 1
	}
	res, err := w.db.NewRaw(`DELETE FROM ?1 WHERE (?2) IN (SELECT ?2 FROM ?1 WHERE `+rows.of+` LIMIT ?3)`,
		account, bun.Ident(string(table)), bun.Safe(rows.key), some).Exec(ctx)
	n, err := affected(res, err)
	return n, wrap("delete "+string(table)+" of "+account, err)
}

// Recordings deletes recordings that the account keeps, at most 200, and returns the keys of
// their blobs. It locks the mark of the account: ErrNotFound as for Lock.
func (w RemovalsTx) Recordings(ctx context.Context, account string) (keys []string, err error) {
	if err := w.Lock(ctx, account); err != nil {
		return nil, err
	}
	return w.tx.Recordings.delete(ctx, "account = ? AND external_id IN (SELECT external_id FROM recordings WHERE account = ? LIMIT ?)", account, account, portion)
}

// Contents returns contents in the library of an account, without its batches, at most 200.
func (r Removals) Contents(ctx context.Context, account string) (keys []library.Key, err error) {
	err = r.db.NewRaw(`SELECT DISTINCT platform, external_id FROM (
			SELECT platform, external_id FROM library_rows WHERE account = ? AND kind <> 'batch' ORDER BY created_at, id LIMIT ?) AS l`,
		account, portion).Scan(ctx, &keys)
	return keys, wrap("library of "+account, err)
}

// Content removes a content from the library of an account, in all languages. It locks the mark of
// the account: ErrNotFound as for Lock, and if the library does not have the content any more.
func (w RemovalsTx) Content(ctx context.Context, account string, key library.Key) error {
	if err := w.Lock(ctx, account); err != nil {
		return err
	}
	return LibraryTx{Library{w.source}, w.tx}.Remove(ctx, account, key)
}

// Batches returns the ids of batches of an account, at most 200.
func (r Removals) Batches(ctx context.Context, account string) (ids []string, err error) {
	err = r.db.NewSelect().Model((*Batch)(nil)).Column("b.id").Where("b.account = ?", account).Limit(portion).Scan(ctx, &ids)
	return ids, wrap("batches of "+account, err)
}

// Batch removes a batch of an account with its items, also one that runs. Its claims go on. It
// locks the mark of the account: ErrNotFound as for Lock, and if there is no such batch any more.
func (w RemovalsTx) Batch(ctx context.Context, account, id string) error {
	if err := w.Lock(ctx, account); err != nil {
		return err
	}
	if _, err := w.tx.Batches.LockOwned(ctx, account, id); err != nil {
		return err
	}
	if err := (LibraryTx{Library{w.source}, w.tx}).HideBatch(ctx, account, id); err != nil {
		return err
	}
	return w.tx.Batches.Delete(ctx, id)
}

// RunningOf returns running jobs of an account, at most 200.
func (r Jobs) RunningOf(ctx context.Context, account string) ([]Job, error) {
	var jobs []Job
	err := r.db.NewSelect().Model(&jobs).Where("account = ?", account).Where(running).Order("asked DESC", "id").Limit(portion).Scan(ctx)
	return jobs, wrap("running jobs of "+account, err)
}

// EndedOf returns extractions of an account alone that have ended, at most n after an id.
func (r Extractions) EndedOf(ctx context.Context, account, after string, n int) ([]Extraction, error) {
	var all []Extraction
	err := r.db.NewSelect().Model(&all).Where("owner = ? AND owner <> '' AND id > ?", account, after).
		Where("NOT (" + running + ")").Order("id").Limit(int64(n)).Scan(ctx)
	return all, wrap("extractions of "+account, err)
}

// IDs returns the ids of uploads of an account, at most 200.
func (s Uploads) IDs(ctx context.Context, account string) (ids []string, err error) {
	err = s.store.db.NewSelect().Model((*Upload)(nil)).Column("id").Where("account = ?", account).Limit(portion).Scan(ctx, &ids)
	return ids, wrap("uploads of "+account, err)
}
