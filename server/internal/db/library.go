package db

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// LibraryRow says that an account has saved a text. It points to the text, which others may have saved too.
type LibraryRow struct {
	bun.BaseModel `bun:"table:library,alias:l"`

	ID           string `bun:",pk"` // UUIDv7, kept when the text is made anew
	Account      string
	Platform     transcript.Platform
	ExternalID   string
	Lang         string
	TranscriptID string
	Starred      bool
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// Library returns what an account has saved, newest first.
func (r Reader) Library(ctx context.Context, account string) ([]LibraryRow, error) {
	var rows []LibraryRow
	err := r.db.NewSelect().Model(&rows).Where("account = ?", account).Order("created_at DESC", "id DESC").Scan(ctx)
	return rows, wrap("library of "+account, err)
}

// Save puts a text into the libraries of the accounts. A row for the same
// content and language that is there already then points to this text.
func (tx *Tx) Save(ctx context.Context, transcriptID string, accounts ...string) error {
	if len(accounts) == 0 {
		return nil
	}
	t := new(transcriptRow)
	err := tx.db.NewSelect().Model(t).Column("platform", "external_id", "lang").Where("id = ?", transcriptID).Scan(ctx)
	if err != nil {
		return one("save transcript "+transcriptID, err)
	}
	now := moment(time.Now())
	rows := make([]LibraryRow, len(accounts))
	for i, account := range accounts {
		id, err := uuid.NewV7()
		if err != nil {
			return wrap("save transcript "+transcriptID, err)
		}
		rows[i] = LibraryRow{
			ID: id.String(), Account: account,
			Platform: t.Platform, ExternalID: t.ExternalID, Lang: t.Lang,
			TranscriptID: transcriptID, CreatedAt: now, UpdatedAt: now,
		}
	}
	_, err = tx.db.NewInsert().Model(&rows).
		On("CONFLICT (account, platform, external_id, lang) DO UPDATE").
		Set("transcript_id = excluded.transcript_id, updated_at = excluded.updated_at").
		Exec(ctx)
	return wrap("save transcript "+transcriptID, err)
}
