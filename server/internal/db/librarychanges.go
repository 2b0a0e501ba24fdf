package db

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// rowsOf is the condition for what a key names in the library of an account.
func rowsOf(account string, key library.Key) func(bun.QueryBuilder) bun.QueryBuilder {
	return func(q bun.QueryBuilder) bun.QueryBuilder {
		q = q.Where("account = ? AND platform = ? AND external_id = ? AND kind <> 'batch'", account, key.Platform, key.ExternalID)
		if key.Language != "" {
			q = q.Where("lang = ?", key.Language)
		}
		return q
	}
}

// LibraryRow returns the row of what a key names in the library of an account: of its
// newest text, else of work. ErrNotFound where there is none.
func (r Reader) LibraryRow(ctx context.Context, account string, key library.Key) (*LibraryRow, error) {
	row := new(LibraryRow)
	err := r.db.NewSelect().Model(row).ApplyQueryBuilder(rowsOf(account, key)).
		OrderExpr("kind = 'transcript' DESC, updated_at DESC, id DESC").Limit(1).Scan(ctx)
	if err != nil {
		return nil, one("library row of "+key.ExternalID, err)
	}
	return row, nil
}

// Star sets whether what a key names in the library of an account has a star, or
// returns ErrNotFound.
func (tx *Tx) Star(ctx context.Context, account string, key library.Key, starred bool) error {
	if err := tx.lockTextsOf(ctx, key.Platform, key.ExternalID); err != nil {
		return err
	}
	res, err := tx.db.NewUpdate().Model((*LibraryRow)(nil)).Set("starred = ?", starred).
		ApplyQueryBuilder(rowsOf(account, key)).Exec(ctx)
	return mustAffect("star of "+key.ExternalID, res, err)
}

// Remove takes what a key names out of the library of an account, or returns
// ErrNotFound. The text of an upload, which is nobody else's, goes with its last row, and
// with it the answers that would give it again.
func (tx *Tx) Remove(ctx context.Context, account string, key library.Key) error {
	if err := tx.lockTextsOf(ctx, key.Platform, key.ExternalID); err != nil {
		return err
	}
	var removed []LibraryRow
	err := tx.db.NewDelete().Model(&removed).ApplyQueryBuilder(rowsOf(account, key)).Returning("id, transcript_id").Scan(ctx)
	if err != nil {
		return wrap("remove "+key.ExternalID, err)
	}
	if len(removed) == 0 {
		return fmt.Errorf("remove %s: %w", key.ExternalID, ErrNotFound)
	}
	if key.Platform != transcript.Upload {
		return nil
	}
	for _, row := range removed {
		if row.TranscriptID == "" {
			continue
		}
		if err := tx.deleteUpload(ctx, account, row.TranscriptID); err != nil {
			return wrap("remove "+key.ExternalID, err)
		}
	}
	return nil
}

// deleteUpload deletes the transcript of an upload, with its text, and the stored answers
// that speak of it.
func (tx *Tx) deleteUpload(ctx context.Context, account, id string) error {
	_, err := tx.db.NewDelete().Model((*idempotencyRow)(nil)).
		Where("account = ?", account).
		Where(`(answer_kind = ? AND answer_id = ?) OR (answer_kind IN (?, ?)
			AND EXISTS (SELECT 1 FROM jobs WHERE jobs.id = i.answer_id AND jobs.transcript_id = ?))`,
			TranscriptAnswer, id, JobAnswer, OutcomeAnswer, id).
		Exec(ctx)
	if err != nil {
		return err
	}
	_, err = tx.db.NewRaw("DELETE FROM transcripts WHERE id = ? AND owner = ?", id, account).Exec(ctx)
	return err
}
