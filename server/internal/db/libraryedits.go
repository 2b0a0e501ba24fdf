package db

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// contentRows selects the ids of the rows of a content in the library of an account,
// without the rows of batches. Texts and all other rows have separate indexes, and a
// statement uses an index only if it repeats the index's condition.
const contentRows = `id IN (
	SELECT id FROM library_rows WHERE account = ?0 AND platform = ?1 AND external_id = ?2 AND kind = 'transcript' UNION ALL
	SELECT id FROM library_rows WHERE account = ?0 AND platform = ?1 AND external_id = ?2 AND kind <> 'transcript' AND kind <> 'batch')`

// rowsOf is the condition for the rows that a key names in the library of an account.
func rowsOf(account string, key library.Key) func(bun.QueryBuilder) bun.QueryBuilder {
	return func(q bun.QueryBuilder) bun.QueryBuilder {
		q = q.Where(contentRows, account, key.Platform, key.ExternalID)
		if key.Language != "" {
			q = q.Where("lang = ?", key.Language)
		}
		if key.Row != "" {
			q = q.Where("id = ?", key.Row)
		}
		return q
	}
}

// Row returns the row that a key names in the library of an account: the row of the
// newest text, or otherwise of work. The error is ErrNotFound if there is no row.
func (r Library) Row(ctx context.Context, account string, key library.Key) (*LibraryRow, error) {
	row := new(LibraryRow)
	err := r.db.NewSelect().Model(row).ApplyQueryBuilder(rowsOf(account, key)).
		OrderExpr("kind = 'transcript' DESC, updated_at DESC, id DESC").Limit(1).Scan(ctx)
	if err != nil {
		return nil, one("library row of "+key.ExternalID, err)
	}
	return row, nil
}

// Star sets or removes the star of the rows that a key names in the library of an
// account, or returns ErrNotFound.
func (w LibraryTx) Star(ctx context.Context, account string, key library.Key, starred bool) error {
	if err := w.LockTexts(ctx, key.Platform, key.ExternalID); err != nil {
		return err
	}
	res, err := w.db.NewUpdate().Model((*LibraryRow)(nil)).Set("starred = ?", starred).
		ApplyQueryBuilder(rowsOf(account, key)).Exec(ctx)
	return mustAffect("star of "+key.ExternalID, res, err)
}

// Contents returns at most n contents of the library of an account, without its batches, oldest
// first.
func (r Library) Contents(ctx context.Context, account string, n int) (keys []library.Key, err error) {
	err = r.db.NewRaw(`SELECT DISTINCT platform, external_id FROM (
			SELECT platform, external_id FROM library_rows WHERE account = ? AND kind <> 'batch' ORDER BY created_at, id LIMIT ?) AS l`,
		account, n).Scan(ctx, &keys)
	return keys, wrap("library of "+account, err)
}

// Remove removes the rows that a key names from the library of an account, or returns ErrNotFound.
// It also deletes texts that belong to the account alone, with the cached answers that would return
// them: the text of an upload, a text that a program stored for the account, and a corrected copy.
// A text stays as long as the account has a copy of it.
func (w LibraryTx) Remove(ctx context.Context, account string, key library.Key) error {
	if err := w.LockTexts(ctx, key.Platform, key.ExternalID); err != nil {
		return err
	}
	what := "remove " + key.ExternalID
	rows := func(q *bun.SelectQuery) *bun.SelectQuery { return q.ApplyQueryBuilder(rowsOf(account, key)) }
	if err := w.unindex(ctx, rows); err != nil {
		return wrap(what, err)
	}
	res, err := w.db.NewDelete().Model((*LibraryRow)(nil)).ApplyQueryBuilder(rowsOf(account, key)).Exec(ctx)
	if err := mustAffect(what, res, err); err != nil {
		return err
	}
	var own []string
	q := w.db.NewSelect().Model((*transcriptRow)(nil)).Column("id").
		Where("owner = ? AND platform = ? AND external_id = ?", account, key.Platform, key.ExternalID).
		Where(`NOT EXISTS (SELECT 1 FROM library_rows AS kept WHERE kept.kind = 'transcript' AND kept.account = ? AND kept.platform = t.platform
			AND kept.external_id = t.external_id AND kept.lang = t.lang AND (kept.edited AND NOT t.edited OR kept.transcript_id = t.id))`, account)
	if key.Language != "" {
		q = q.Where("lang = ?", key.Language)
	}
	if err := q.Scan(ctx, &own); err != nil {
		return wrap(what, err)
	}
	for _, id := range own {
		if err := w.deleteOwn(ctx, account, id); err != nil {
			return wrap(what, err)
		}
	}
	return nil
}

// Correct points the row of a text, which was read under LockTexts, at a corrected copy that the
// transaction has stored for the account of the row. The revision of the row grows by one.
func (w LibraryTx) Correct(ctx context.Context, row *LibraryRow, copyID string) error {
	row.TranscriptID, row.Edited, row.Revision, row.UpdatedAt = copyID, true, row.Revision+1, sqldb.Moment(time.Now())
	err := w.unindex(ctx, func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("id = ? AND transcript_id <> ?", row.ID, copyID)
	})
	if err == nil {
		_, err = w.db.NewUpdate().Model(row).Column("transcript_id", "edited", "revision", "updated_at").
			Where("id = ? AND account = ?", row.ID, row.Account).Exec(ctx)
	}
	if err == nil {
		err = w.grown(ctx, copyID, row.Account)
	}
	return wrap("correct library row "+row.ID, err)
}

// deleteOwn deletes a transcript that belongs to the account alone, with its text, and
// the stored answers about it.
func (w LibraryTx) deleteOwn(ctx context.Context, account, id string) error {
	_, err := w.db.NewDelete().Model((*idempotencyRow)(nil)).
		Where("account = ?", account).
		Where(`(answer_kind = ? AND answer_id = ?) OR (answer_kind IN (?, ?)
			AND EXISTS (SELECT 1 FROM jobs WHERE jobs.id = i.answer_id AND jobs.transcript_id = ?))`,
			TranscriptAnswer, id, JobAnswer, OutcomeAnswer, id).
		Exec(ctx)
	if err != nil {
		return err
	}
	_, err = w.db.NewRaw("DELETE FROM transcripts WHERE id = ? AND owner = ?", id, account).Exec(ctx)
	return err
}
