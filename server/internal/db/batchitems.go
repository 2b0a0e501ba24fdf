package db

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/server/internal/labels"
	"github.com/transcriptkit/transcriptkit/server/internal/lifecycle"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// insertRows is how many rows one statement inserts.
const insertRows = 500

// BatchItem is one content of a batch. A BatchItem keeps its own copy of the shown
// fields, because jobs are swept some time after their end.
type BatchItem struct {
	bun.BaseModel `bun:"table:batch_items,alias:i"`

	ID         string `bun:",pk"` // UUIDv7; made if it is empty
	BatchID    string
	Position   int // the position in the batch, from 1
	Platform   transcript.Platform
	ExternalID string
	SourceURL  string // "" means that there is none
	Short      bool   // a short link that has not been resolved yet
	// Sound says that the item needs recognition.
	Sound bool
	// Status is pending, success, failed or skipped. The job of a pending item says whether
	// the item is being worked on.
	Status batch.ItemStatus
	JobID  string // of its job; "" means that it has none
	ItemEnd
	Attempts  int // the attempts that have ended
	UpdatedAt time.Time
}

// ItemEnd is the result of an item: a text, or an error.
type ItemEnd struct {
	TranscriptID string
	Lang         string // of the text
	ErrorCode    transcript.Code
	ErrorMessage string
	Retryable    bool
}

// ItemState is an item with the state of its job, if it has a job.
type ItemState struct {
	BatchItem `bun:",extend"`
	// Job is the zero value if no job runs.
	Job      lifecycle.State `bun:"embed:claim_"`
	Sequence int             // of the job's last transition
	Title    string          // of its text; "" means that there is none
}

// Items reads the items of batches.
type Items struct{ *source }

// ItemsTx reads and changes the items of batches.
type ItemsTx struct {
	Items
	tx *Tx
}

// Page returns at most n items of the account's batch, by position, after the given position.
func (r Items) Page(ctx context.Context, account, batchID string, after, n int) ([]ItemState, error) {
	var items []ItemState
	err := itemStates(r.db.NewSelect().Model(&items)).
		Where("i.batch_id = (SELECT id FROM batches WHERE id = ? AND account = ?)", batchID, account).
		Where("i.position > ?", after).
		Order("i.position").Limit(int64(n)).
		Scan(ctx)
	return items, wrap("items of batch "+batchID, err)
}

// itemStates selects items with the states of their jobs.
func itemStates(items *bun.SelectQuery) *bun.SelectQuery {
	return items.ColumnExpr("i.*").
		ColumnExpr("coalesce(j.status, '') AS claim_status, coalesce(j.stage, '') AS claim_stage, coalesce(j.sequence, 0) AS sequence").
		ColumnExpr("coalesce((SELECT title FROM transcripts WHERE id = i.transcript_id), '') AS title").
		Join("LEFT JOIN jobs AS j ON j.id = i.job_id AND i.status = 'pending'")
}

// Insert stores new items. Empty ids and zero times are filled in.
func (w ItemsTx) Insert(ctx context.Context, items []BatchItem) error {
	for i := range items {
		item := &items[i]
		if err := sqldb.NewID(&item.ID); err != nil {
			return err
		}
		sqldb.Stamp(&item.UpdatedAt)
		item.ExternalID, item.SourceURL, item.ErrorMessage = sqldb.Text(item.ExternalID), sqldb.Text(item.SourceURL), sqldb.Text(item.ErrorMessage)
	}
	for part := range slices.Chunk(items, insertRows) {
		if _, err := w.db.NewInsert().Model(&part).Exec(ctx); err != nil {
			return wrap("insert items", err)
		}
	}
	return nil
}

// WithoutJob returns at most n items of a batch that wait and have no job, by position.
func (r Items) WithoutJob(ctx context.Context, batchID string, n int) ([]BatchItem, error) {
	var items []BatchItem
	err := r.db.NewSelect().Model(&items).
		Where("i.batch_id = ? AND i.status = 'pending' AND i.job_id = '' AND NOT i.short", batchID).
		Order("i.position").Limit(int64(n)).
		Scan(ctx)
	return items, wrap("items of batch "+batchID, err)
}

// ShortLinks returns the items of a batch with short links that are not resolved, by position.
func (r Items) ShortLinks(ctx context.Context, batchID string) ([]BatchItem, error) {
	var items []BatchItem
	err := r.db.NewSelect().Model(&items).
		Where("i.batch_id = ? AND i.status = 'pending' AND i.short", batchID).
		Order("i.position").
		Scan(ctx)
	return items, wrap("short links of batch "+batchID, err)
}

// All returns the items of a batch by position.
func (r Items) All(ctx context.Context, batchID string) ([]BatchItem, error) {
	var items []BatchItem
	err := r.db.NewSelect().Model(&items).Where("i.batch_id = ?", batchID).Order("i.position").Scan(ctx)
	return items, wrap("items of batch "+batchID, err)
}

// OpenItems describes the remaining work on a batch.
type OpenItems struct {
	Any        bool // an item has not ended
	WithoutJob bool // an item that has not ended has no job, and names a content
	// UnderWay is how many items have a job and are not known to need recognition. It counts
	// no further than the caller asks.
	UnderWay int
}

// Open describes the remaining work on a batch. It counts at most n items.
func (r Items) Open(ctx context.Context, batchID string, n int) (OpenItems, error) {
	var open OpenItems
	err := r.db.NewRaw(`SELECT
			EXISTS (SELECT 1 FROM batch_items WHERE batch_id = ?0 AND status = 'pending') AS "any",
			EXISTS (SELECT 1 FROM batch_items WHERE batch_id = ?0 AND status = 'pending' AND job_id = '' AND NOT short) AS without_job,
			(SELECT count(*) FROM (SELECT 1 FROM batch_items
				WHERE batch_id = ?0 AND status = 'pending' AND job_id <> '' AND NOT sound LIMIT ?1) AS t) AS under_way`,
		batchID, n).Scan(ctx, &open)
	return open, wrap("open items of batch "+batchID, err)
}

// Counts returns the number of a batch's items in each state.
func (r Items) Counts(ctx context.Context, batchID string) (n batch.Counts, err error) {
	err = r.db.NewSelect().Model((*BatchItem)(nil)).
		ColumnExpr("count(*), count(CASE WHEN status = 'pending' THEN 1 END)").
		ColumnExpr("count(CASE WHEN status = 'success' THEN 1 END), count(CASE WHEN status = 'failed' THEN 1 END)").
		Where("batch_id = ?", batchID).
		Scan(ctx, &n.Total, &n.Pending, &n.Success, &n.Failed)
	return n, wrap("counts of batch "+batchID, err)
}

// SetJob sets the job of an item that waits without a job. sound says that the content
// needs recognition; content that has or wants a place for recognition counts as well.
// The error is ErrNotFound if the item does not wait.
func (w ItemsTx) SetJob(ctx context.Context, itemID string, j *Job, sound bool) error {
	res, err := w.db.NewUpdate().Model((*BatchItem)(nil)).
		Set("job_id = ?, updated_at = ?", j.ID, sqldb.Moment(time.Now())).
		Set("sound = (? OR EXISTS (SELECT 1 FROM asr_places WHERE extraction_id = ?))", sound, j.WorkID).
		Where("id = ? AND status = 'pending' AND job_id = ''", itemID).
		Exec(ctx)
	if err := mustAffect("item "+itemID, res, err); err != nil || j.Batched {
		return err
	}
	_, err = w.db.NewUpdate().Model((*Job)(nil)).Set("batched = ?", true).Where("id = ?", j.ID).Exec(ctx)
	return wrap("item "+itemID, err)
}

// End ends an item that waits without a job. The error is ErrNotFound as for SetJob. The
// attempt counts.
func (w ItemsTx) End(ctx context.Context, itemID string, status batch.ItemStatus, end ItemEnd) error {
	res, err := endItems(w.db, status, end).Where("id = ? AND status = 'pending' AND job_id = ''", itemID).Exec(ctx)
	return mustAffect("item "+itemID, res, err)
}

// EndOfJobs ends the items of a batch that wait for jobs that are ending, and returns those jobs.
func (w ItemsTx) EndOfJobs(ctx context.Context, batchID string, jobIDs []string, status batch.ItemStatus, end ItemEnd) (waited []string, err error) {
	err = endItems(w.db, status, end).
		Where("batch_id = ? AND job_id IN (?) AND status = 'pending'", batchID, bun.List(jobIDs)).
		Returning("job_id").
		Scan(ctx, &waited)
	return waited, wrap("items of batch "+batchID, err)
}

// endItems ends items. It looks up the language of a text.
func endItems(db bun.IDB, status batch.ItemStatus, end ItemEnd) *bun.UpdateQuery {
	attempt := 1
	if status == batch.ItemSkipped { // nobody has tried
		attempt = 0
	}
	return db.NewUpdate().Model((*BatchItem)(nil)).
		Set("status = ?, attempts = attempts + ?, updated_at = ?", status, attempt, sqldb.Moment(time.Now())).
		Set("transcript_id = ?0, lang = coalesce((SELECT lang FROM transcripts WHERE id = ?0), '')", end.TranscriptID).
		Set("error_code = ?, error_message = ?, retryable = ?", end.ErrorCode, sqldb.Text(end.ErrorMessage), end.Retryable)
}

// SetSound records that the items that wait for a piece of work need recognition, and
// returns their batches.
func (w ItemsTx) SetSound(ctx context.Context, workID string) (batchIDs []string, err error) {
	err = w.db.NewUpdate().Model((*BatchItem)(nil)).Set("sound = ?", true).
		Where("status = 'pending' AND job_id <> '' AND NOT sound").
		Where("job_id IN (SELECT id FROM jobs WHERE extraction_id = ? AND batched AND "+running+")", workID).
		Returning("batch_id").
		Scan(ctx, &batchIDs)
	return batchIDs, wrap("items of extraction "+workID, err)
}

// Skip skips the items of a batch that no process works on. If an item has had an attempt
// and is back in the queue, its attempt counts.
func (w ItemsTx) Skip(ctx context.Context, batchID string) error {
	// On PostgreSQL an item may be getting a job at this moment. Its row is locked until
	// that job is stored, so only a statement that begins afterwards sees the job.
	var unclaimed []string
	q := w.db.NewSelect().Model((*BatchItem)(nil)).Column("id").
		Where("batch_id = ? AND status = 'pending' AND job_id = ''", batchID).
		Order("id")
	if err := w.tx.sql.ForUpdate(q).Scan(ctx, &unclaimed); err != nil {
		return wrap("skip items of batch "+batchID, err)
	}
	_, err := w.db.NewUpdate().Model((*BatchItem)(nil)).
		Set("status = ?, updated_at = ?", batch.ItemSkipped, sqldb.Moment(time.Now())).
		Set("attempts = attempts + (SELECT count(*) FROM jobs AS j WHERE j.id = job_id AND j.sequence > 1)").
		Where("batch_id = ? AND status = 'pending'", batchID).
		Where("job_id = '' OR EXISTS (SELECT 1 FROM jobs AS q WHERE q.id = i.job_id AND q.status = 'pending' AND q.stage = 'queued')").
		Exec(ctx)
	return wrap("skip items of batch "+batchID, err)
}

// SetContent stores the result of a short link: a content, an error, or a content that
// the batch already has. It ignores an item that no longer waits.
func (w ItemsTx) SetContent(ctx context.Context, i *BatchItem) error {
	i.ExternalID, i.SourceURL, i.ErrorMessage, i.UpdatedAt = sqldb.Text(i.ExternalID), sqldb.Text(i.SourceURL), sqldb.Text(i.ErrorMessage), sqldb.Moment(time.Now())
	_, err := w.db.NewUpdate().Model(i).
		Column("platform", "external_id", "source_url", "short", "status", "attempts", "error_code", "error_message", "retryable", "updated_at").
		WherePK().Where("status = 'pending'").
		Exec(ctx)
	return wrap("item "+i.ID, err)
}

// Reopen makes failed items of a batch wait again.
func (w ItemsTx) Reopen(ctx context.Context, batchID string, itemIDs []string) error {
	if len(itemIDs) == 0 {
		return nil
	}
	_, err := w.db.NewUpdate().Model((*BatchItem)(nil)).
		Set("status = ?, job_id = '', sound = ?, updated_at = ?", batch.ItemPending, false, sqldb.Moment(time.Now())).
		Set("error_code = '', error_message = '', retryable = ?", false).
		Where("batch_id = ? AND status = 'failed' AND id IN (?)", batchID, bun.List(itemIDs)).
		Exec(ctx)
	return wrap("retry items of batch "+batchID, err)
}

// ExportItem is an item of a batch, and the state of the item's text at the same moment.
type ExportItem struct {
	ItemState `bun:",extend"`
	// TextID and TextAt are the id of the text, and when the text was made. If the account
	// has corrected the text, they are about the copy. Both are nil if there is no text.
	TextID *string
	TextAt *time.Time
	Label  labels.Label `bun:"embed:label_"`
}

// ForExport returns all items of the account's batch, by position.
func (r Items) ForExport(ctx context.Context, account, batchID string) ([]ExportItem, error) {
	var items []ExportItem
	err := itemStates(r.db.NewSelect().Model(&items)).
		ColumnExpr("t.id AS text_id, t.updated_at AS text_at, n.title AS label_title, n.tags AS label_tags").
		Join("JOIN batches AS b ON b.id = i.batch_id").
		Join(`LEFT JOIN library_rows AS l ON l.account = b.account AND l.platform = i.platform AND l.external_id = i.external_id
			AND l.lang = i.lang AND l.kind = 'transcript' AND l.edited`).
		Join("LEFT JOIN transcripts AS t ON t.id = coalesce(l.transcript_id, i.transcript_id) AND i.status = ?", batch.ItemSuccess).
		Join("LEFT JOIN labels AS n ON n.account = b.account AND n.platform = i.platform AND n.external_id = i.external_id").
		Where("b.id = ? AND b.account = ?", batchID, account).
		Order("i.position").
		Scan(ctx)
	return items, wrap("items of batch "+batchID, err)
}
