package db

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Batch is a list of contents whose transcripts are made together.
//
// A transaction that changes a batch or ends one of its items first locks the batch's
// row. It takes this lock after the locks of work, jobs, places and texts, and before the
// usage of accounts. It locks several batches in the order of their ids.
type Batch struct {
	bun.BaseModel `bun:"table:batches,alias:b"`

	ID      string `bun:",pk"` // UUIDv7; made if it is empty
	Account string
	Mode    batch.Mode
	// Languages is the caller's list; "" if the request had none.
	Languages string
	List      BatchList `bun:"embed:list_"`
	Title     string    // of the list; "" if not known
	// MaxItems is how many items the caller wants; 0 means all. ItemLimit is the largest
	// number of items.
	MaxItems, ItemLimit int
	// Limits are the limits of the plan under which the items are made. CacheTTL is the
	// greatest age of a stored text for an item; -1 means no limit.
	Limits   Limits
	CacheTTL time.Duration `bun:"cache_ttl"`
	Trace    string        // the same as in a Job

	// Status is the stored status. BatchState.Shown shows a pending batch as processing as soon as one
	// of its items has started. The first item that ends changes the stored status.
	Status    batch.Status
	LastError *transcript.LastError // why the list is read again
	Error     *transcript.Error     // why the list could not be read
	Listed    bool                  // all items are known
	// Feeding says that a step that submits items is queued or running.
	Feeding bool

	ExportRef, ExportMime *string
	CreatedAt, UpdatedAt  time.Time
}

// BatchList is the playlist or channel from which a batch is made. The zero value means
// that the batch is made from links.
type BatchList struct {
	Platform transcript.Platform
	Kind     string
	ID       string
	URL      string `bun:"url"`
}

// BatchState is a batch as its owner sees it, with the counts of its items.
type BatchState struct {
	Batch  `bun:",extend"`
	Shown  batch.Status // instead of Status
	Counts batch.Counts `bun:"embed:n_"`
	// MovedAt is the time of the last change of an item; nil if there is no item.
	MovedAt *time.Time
	// ItemError is the newest LastError of the jobs of its items.
	ItemError *transcript.LastError
}

// Batches reads batches.
type Batches struct{ *source }

// BatchesTx reads and changes batches.
type BatchesTx struct {
	Batches
	tx *Tx
}

// shownStatus is the status of the batch in the row b as its owner sees it, in SQL.
const shownStatus = `CASE WHEN b.status = 'pending' AND (
	EXISTS (SELECT 1 FROM batch_items AS i WHERE i.batch_id = b.id AND i.attempts > 0) OR
	EXISTS (SELECT 1 FROM batch_items AS i JOIN jobs AS j ON j.id = i.job_id
		WHERE i.batch_id = b.id AND i.status = 'pending' AND i.job_id <> '' AND (j.stage <> 'queued' OR j.sequence > 1)))
	THEN 'processing' ELSE b.status END`

// itemError is the newest error of the jobs that items of the batch in the row b wait for, in SQL.
const itemError = `(SELECT j.last_error FROM batch_items AS i JOIN jobs AS j ON j.id = i.job_id
	WHERE i.batch_id = b.id AND i.status = 'pending' AND i.job_id <> '' AND j.last_error IS NOT NULL
	ORDER BY j.last_error ->> 'at' DESC LIMIT 1)`

// Owned returns the account's batch. For the batch of another account, the error is ErrNotFound.
func (r Batches) Owned(ctx context.Context, account, id string) (*BatchState, error) {
	found, err := r.states(ctx, r.db.NewSelect().Model((*Batch)(nil)).Where("b.account = ? AND b.id = ?", account, id))
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, fmt.Errorf("batch %s: %w", id, ErrNotFound)
	}
	return &found[0], nil
}

// Page returns at most n batches of an account, newest first. If status is not empty,
// Page returns only batches with this status. If before is not empty, Page returns only
// batches that are older than the batch with this id.
func (r Batches) Page(ctx context.Context, account string, status batch.Status, before string, n int) ([]BatchState, error) {
	page := r.db.NewSelect().Model((*Batch)(nil)).Where("b.account = ?", account).Order("b.id DESC").Limit(int64(n))
	if before != "" {
		page.Where("b.id < ?", before)
	}
	switch status {
	case "":
	case batch.Pending, batch.Processing:
		page.Where("b.status IN ('pending', 'processing') AND "+shownStatus+" = ?", status)
	default:
		page.Where("b.status = ?", status)
	}
	return r.states(ctx, page)
}

// states reads a page of batches with their counts, all at one moment.
func (r Batches) states(ctx context.Context, page *bun.SelectQuery) ([]BatchState, error) {
	var found []BatchState
	counts := r.db.NewSelect().Model((*BatchItem)(nil)).
		ColumnExpr("i.batch_id, count(*) AS total, max(i.updated_at) AS moved_at").
		ColumnExpr("count(CASE WHEN i.status = 'pending' THEN 1 END) AS pending").
		ColumnExpr("count(CASE WHEN i.status = 'success' THEN 1 END) AS success").
		ColumnExpr("count(CASE WHEN i.status = 'failed' THEN 1 END) AS failed").
		Where("i.batch_id IN (SELECT id FROM page)").
		Group("i.batch_id")
	err := r.db.NewSelect().With("page", page).Model(&found).ModelTableExpr("page AS b").
		ColumnExpr("b.*, "+shownStatus+" AS shown, "+itemError+" AS item_error").
		ColumnExpr("coalesce(n.total, 0) AS n_total, coalesce(n.pending, 0) AS n_pending").
		ColumnExpr("coalesce(n.success, 0) AS n_success, coalesce(n.failed, 0) AS n_failed, n.moved_at").
		Join("LEFT JOIN (?) AS n ON n.batch_id = b.id", counts).
		Order("b.id DESC").
		Scan(ctx)
	return found, wrap("batches", err)
}

// IDs returns the ids of at most n batches of an account.
func (r Batches) IDs(ctx context.Context, account string, n int) (ids []string, err error) {
	err = r.db.NewSelect().Model((*Batch)(nil)).Column("b.id").Where("b.account = ?", account).Limit(int64(n)).Scan(ctx, &ids)
	return ids, wrap("batches of "+account, err)
}

// Insert stores a new batch. An empty id and zero times are filled in.
func (w BatchesTx) Insert(ctx context.Context, b *Batch) error {
	if err := sqldb.NewID(&b.ID); err != nil {
		return err
	}
	sqldb.Stamp(&b.CreatedAt, &b.UpdatedAt)
	b.Title = sqldb.Text(b.Title)
	return insertNew(ctx, w.db, "batch", b)
}

// ByID returns a batch of any account, or ErrNotFound.
func (r Batches) ByID(ctx context.Context, id string) (*Batch, error) {
	return scanBatch(ctx, r.db.NewSelect().Where("b.id = ?", id), id)
}

// Lock returns a batch, or ErrNotFound, and prevents other transactions from changing the
// batch until this one ends.
func (w BatchesTx) Lock(ctx context.Context, id string) (*Batch, error) {
	return scanBatch(ctx, w.tx.sql.ForUpdate(w.db.NewSelect().Where("b.id = ?", id)), id)
}

// LockOwned is Lock of an account's batch. For the batch of another account, the error is
// ErrNotFound.
func (w BatchesTx) LockOwned(ctx context.Context, account, id string) (*Batch, error) {
	q := w.db.NewSelect().Where("b.id = ? AND b.account = ?", id, account)
	return scanBatch(ctx, w.tx.sql.ForUpdate(q), id)
}

func scanBatch(ctx context.Context, q *bun.SelectQuery, id string) (*Batch, error) {
	b := new(Batch)
	if err := q.Model(b).Scan(ctx); err != nil {
		return nil, one("batch "+id, err)
	}
	return b, nil
}

// Save writes the changeable members of a batch that the transaction has locked, and
// wakes its watchers.
func (w BatchesTx) Save(ctx context.Context, b *Batch) error {
	b.Title, b.UpdatedAt = sqldb.Text(b.Title), sqldb.Moment(time.Now())
	res, err := w.db.NewUpdate().Model(b).
		Column("title", "limits", "cache_ttl", "status", "last_error", "error", "listed", "feeding", "updated_at").
		WherePK().Exec(ctx)
	w.tx.touch(b.ID)
	return mustAffect("batch "+b.ID, res, err)
}

// Delete removes a batch with its items.
func (w BatchesTx) Delete(ctx context.Context, id string) error {
	res, err := w.db.NewDelete().Model((*Batch)(nil)).Where("b.id = ?", id).Exec(ctx)
	return mustAffect("batch "+id, res, err)
}

// SetExport stores the mark and the media type of the last export of the account's batch.
// It does not change UpdatedAt.
func (w BatchesTx) SetExport(ctx context.Context, account, batchID, ref, mediaType string) error {
	res, err := w.db.NewUpdate().Model((*Batch)(nil)).
		Set("export_ref = ?, export_mime = ?", ref, mediaType).
		Where("b.id = ? AND b.account = ?", batchID, account).Exec(ctx)
	return mustAffect("batch "+batchID, res, err)
}

// LockWaiting locks the batches whose items wait for jobs, in the order of their
// ids, and returns them.
func (w BatchesTx) LockWaiting(ctx context.Context, jobIDs []string) ([]Batch, error) {
	var found []Batch
	q := w.db.NewSelect().Model(&found).
		Where("b.id IN (SELECT batch_id FROM batch_items WHERE status = 'pending' AND job_id <> '' AND job_id IN (?))", bun.List(jobIDs)).
		Order("b.id")
	return found, wrap("batches of claims", w.tx.sql.ForUpdate(q).Scan(ctx))
}
