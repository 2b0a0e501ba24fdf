package db

import (
	"context"
	"time"

	"github.com/transcriptkit/transcriptkit/batch"
)

// ExportItem is an item of a batch, and how the item's text stood at the same moment.
type ExportItem struct {
	ItemState `bun:",extend"`
	// TextAt is when the text was made, nil where there is none.
	TextAt *time.Time
}

// ForExport returns all items of the account's batch, by their position.
func (r Items) ForExport(ctx context.Context, account, batchID string) ([]ExportItem, error) {
	var items []ExportItem
	err := itemStates(r.db.NewSelect().Model(&items)).
		ColumnExpr("t.updated_at AS text_at").
		Join("JOIN batches AS b ON b.id = i.batch_id").
		Join("LEFT JOIN transcripts AS t ON t.id = i.transcript_id AND i.status = ?", batch.ItemSuccess).
		Where("b.id = ? AND b.account = ?", batchID, account).
		Order("i.position").
		Scan(ctx)
	return items, wrap("items of batch "+batchID, err)
}

// SetExport notes the mark and the media type of the last export of the account's
// batch. When the batch has changed last stays as it is.
func (w BatchesTx) SetExport(ctx context.Context, account, batchID, ref, mediaType string) error {
	res, err := w.db.NewUpdate().Model((*Batch)(nil)).
		Set("export_ref = ?, export_mime = ?", ref, mediaType).
		Where("b.id = ? AND b.account = ?", batchID, account).Exec(ctx)
	return mustAffect("batch "+batchID, res, err)
}
