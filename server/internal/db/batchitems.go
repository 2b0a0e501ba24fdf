package db

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// insertRows is how many rows one statement inserts.
const insertRows = 500

// BatchItem is one content of a batch. It keeps what its owner sees of it, as claims
// are swept some time after their end.
type BatchItem struct {
	bun.BaseModel `bun:"table:batch_items,alias:i"`

	ID         string `bun:",pk"` // UUIDv7; made when empty
	BatchID    string
	Position   int // in the batch, from 1
	Platform   transcript.Platform
	ExternalID string
	SourceURL  string // ""; there is none
	Short      bool   // a short link that is still to be followed
	// Outside tells that it is to be recognized and has waited for a place; others may
	// be taken up meanwhile.
	Outside bool
	// Status is pending, success, failed or skipped: whether a pending one is being
	// worked on, its claim tells.
	Status batch.ItemStatus
	JobID  string // of its claim; "": it has none
	ItemEnd
	Attempts  int // those that have ended
	UpdatedAt time.Time
}

// ItemEnd is what becomes of an item: a text, or an error.
type ItemEnd struct {
	TranscriptID string
	Lang         string // of the text
	ErrorCode    transcript.Code
	ErrorMessage string
	Retryable    bool
}

// ItemState is an item, and where its claim stands, if it has one.
type ItemState struct {
	BatchItem `bun:",extend"`
	// Claim is the zero value without one that runs.
	Claim    transcript.State `bun:"embed:claim_"`
	Sequence int              // of the claim's last transition
}

// BatchItems returns items of the account's batch by their position, from the one
// after a position on, at most n.
func (r Reader) BatchItems(ctx context.Context, account, batchID string, after, n int) ([]ItemState, error) {
	var items []ItemState
	err := r.db.NewSelect().Model(&items).ColumnExpr("i.*").
		ColumnExpr("coalesce(j.status, '') AS claim_status, coalesce(j.stage, '') AS claim_stage, coalesce(j.sequence, 0) AS sequence").
		Join("LEFT JOIN jobs AS j ON j.id = i.job_id AND i.status = 'pending'").
		Where("i.batch_id = (SELECT id FROM batches WHERE id = ? AND account = ?)", batchID, account).
		Where("i.position > ?", after).
		Order("i.position").Limit(int64(n)).
		Scan(ctx)
	return items, wrap("items of batch "+batchID, err)
}

// InsertItems stores new items. Ids and times that are zero are filled in.
func (tx *Tx) InsertItems(ctx context.Context, items []BatchItem) error {
	for i := range items {
		item := &items[i]
		if err := newID(&item.ID); err != nil {
			return err
		}
		stamp(&item.UpdatedAt)
		item.ExternalID, item.SourceURL, item.ErrorMessage = text(item.ExternalID), text(item.SourceURL), text(item.ErrorMessage)
	}
	for part := range slices.Chunk(items, insertRows) {
		if _, err := tx.db.NewInsert().Model(&part).Exec(ctx); err != nil {
			return wrap("insert items", err)
		}
	}
	return nil
}
