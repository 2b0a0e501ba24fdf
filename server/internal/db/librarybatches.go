package db

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/internal/language"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// ShowBatch puts a new batch into the library of its account. The state is not stored
// here: readers read it from the batch.
func (w LibraryTx) ShowBatch(ctx context.Context, b *Batch, p transcript.Platform) error {
	now := sqldb.Moment(time.Now())
	row := &LibraryRow{
		Account: b.Account, Kind: library.KindBatch, Platform: p, ExternalID: b.ID, Lang: firstLanguage(b.Languages),
		SourceURL: b.List.URL, CreatedAt: now, UpdatedAt: now,
	}
	if b.Languages == "" && language.HasCaptions(p) {
		row.Lang = "en"
	}
	entitle(row, b)
	if err := sqldb.NewID(&row.ID); err != nil {
		return err
	}
	return insertNew(ctx, w.db, "library row of batch "+b.ID, row)
}

// batchRow is the condition for the row of a batch on any platform. It is written for the
// index library_rows_open.
const batchRow = "account = ? AND platform IN (?) AND external_id = ? AND kind <> 'transcript' AND kind = 'batch'"

// RetitleBatch stores the title of a batch that the transaction has locked.
func (w LibraryTx) RetitleBatch(ctx context.Context, b *Batch) error {
	row := new(LibraryRow)
	entitle(row, b)
	_, err := w.db.NewUpdate().Model(row).Column("metadata", "folded_title").
		Where(batchRow, b.Account, bun.List(transcript.Platforms()), b.ID).Exec(ctx)
	return wrap("library row of batch "+b.ID, err)
}

func entitle(row *LibraryRow, b *Batch) {
	row.Metadata = transcript.Metadata{Title: sqldb.Text(b.Title)}
	row.findBy(row.Metadata.Title, "", "")
}

// HideBatch removes a batch from the library of its account.
func (w LibraryTx) HideBatch(ctx context.Context, account, id string) error {
	_, err := w.db.NewDelete().Model((*LibraryRow)(nil)).
		Where(batchRow, account, bun.List(transcript.Platforms()), id).Exec(ctx)
	return wrap("library row of batch "+id, err)
}
