package db

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/server/internal/wordindex"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Save puts a text into the library of an account that has requested it with a list of languages.
// If the library has a row for the same content and language, the row then points to this text,
// unless the account has corrected the text of the row. If the library has a row of failed work
// with the same list, this row becomes the row of the text.
func (w LibraryTx) Save(ctx context.Context, transcriptID, account, languages string) error {
	row, err := w.textRow(ctx, transcriptID)
	if err != nil {
		return err
	}
	failed := openRows{row.Platform, row.ExternalID, languages, library.KindFailed, []string{account}, nil}
	if _, err := w.become(ctx, failed, row); err != nil {
		return err
	}
	row.Account = account
	if err := sqldb.NewID(&row.ID); err != nil {
		return err
	}
	if err := w.repoint(ctx, row, bun.List([]string{account})); err != nil {
		return wrap("save transcript "+transcriptID, err)
	}
	mine := row.ID
	var volume *int64
	err = w.db.NewInsert().Model(row).
		On("CONFLICT (account, platform, external_id, lang) WHERE kind = 'transcript' DO UPDATE").
		Set(`transcript_id = excluded.transcript_id, folded_title = excluded.folded_title,
			folded_channel = excluded.folded_channel, creator = excluded.creator, updated_at = excluded.updated_at,
			revision = library_row.revision + CASE WHEN library_row.transcript_id = excluded.transcript_id THEN 0 ELSE 1 END`).
		Where("NOT library_row.edited").
		Returning("id, volume").
		Scan(ctx, &row.ID, &volume)
	if errors.Is(err, sql.ErrNoRows) { // the account keeps its corrected text
		return nil
	}
	if err == nil && volume == nil {
		err = wordindex.Restore(ctx, w.tx.sql, transcriptID)
	}
	if err == nil && row.ID == mine {
		err = w.grown(ctx, transcriptID, account)
	}
	return wrap("save transcript "+transcriptID, err)
}

// repoint removes the rows of accounts that are about to point at another text from the index.
// accounts is a list or a query.
func (w LibraryTx) repoint(ctx context.Context, to *LibraryRow, accounts any) error {
	return w.unindex(ctx, func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("account IN (?) AND platform = ? AND external_id = ? AND lang = ? AND transcript_id <> ? AND NOT edited",
			accounts, to.Platform, to.ExternalID, to.Lang, to.TranscriptID)
	})
}

// grown starts the indexing of accounts' texts if enough of them are not indexed. Only one saved
// text in eight makes the query, because the query counts rows: the last digit of an id is random.
func (w LibraryTx) grown(ctx context.Context, transcriptID string, accounts ...string) error {
	if !strings.HasSuffix(transcriptID, "0") && !strings.HasSuffix(transcriptID, "8") {
		return nil
	}
	for _, account := range accounts {
		n, err := wordindex.Unbound(ctx, w.db, account)
		if err == nil && n >= wordindex.Enough {
			err = w.tx.Queue.EnqueueOnce(ctx, IndexStep{Account: account}, 0)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// textRow is the row of a text, without an account. It locks the texts of the content.
func (w LibraryTx) textRow(ctx context.Context, transcriptID string) (*LibraryRow, error) {
	t, err := w.lockedHead(ctx, transcriptID)
	if err != nil {
		return nil, err
	}
	now := sqldb.Moment(time.Now())
	row := &LibraryRow{
		Kind: library.KindTranscript, Platform: t.Platform, ExternalID: t.ExternalID, Lang: t.Lang, TranscriptID: t.ID, Edited: t.Edited,
		CreatedAt: now, UpdatedAt: now,
	}
	row.findBy(deref(t.Title), deref(t.Channel), deref(t.CreatorHandle))
	return row, nil
}

// lockedHead locks the texts of the content of a text, and returns the text.
func (w LibraryTx) lockedHead(ctx context.Context, transcriptID string) (*transcriptRow, error) {
	if t := w.tx.put; t != nil && t.ID == transcriptID {
		return t, nil
	}
	t, err := w.tx.Transcripts.head(ctx, transcriptID)
	if err == nil {
		err = w.LockTexts(ctx, t.Platform, t.ExternalID)
	}
	if err != nil {
		return nil, err
	}
	return w.tx.Transcripts.head(ctx, transcriptID) // another transaction may have changed the title before this one got the lock
}

// become turns rows of work into rows of the text. If an account already has a row of the text, the
// row of the work is deleted, and the row of the text takes over the star and the text. A row with
// a corrected text keeps its text. become returns the number of rows of work.
func (w LibraryTx) become(ctx context.Context, open openRows, text *LibraryRow) (int64, error) {
	n, err := w.becomeText(ctx, open, text)
	if err == nil && n > 0 && w.tx.indexed != text.TranscriptID {
		err = wordindex.Restore(ctx, w.tx.sql, text.TranscriptID)
	}
	if err == nil && n > 0 {
		err = w.grown(ctx, text.TranscriptID, open.accounts...)
	}
	return n, err
}

func (w LibraryTx) becomeText(ctx context.Context, open openRows, text *LibraryRow) (int64, error) {
	found := open.have()
	res, err := w.db.NewRaw(`UPDATE library_rows AS w
		SET kind = 'transcript', lang = ?, transcript_id = ?, edited = ?, languages = '', job_id = NULL, error_code = NULL, source_url = '', metadata = '{}',
			folded_title = ?, folded_channel = ?, creator = ?, updated_at = ?
		WHERE ? AND NOT EXISTS (SELECT 1 FROM library_rows AS t WHERE t.kind = 'transcript'
			AND t.account = w.account AND t.platform = w.platform AND t.external_id = w.external_id AND t.lang = ?)`,
		text.Lang, text.TranscriptID, text.Edited, text.FoldedTitle, text.FoldedChannel, text.Creator, text.UpdatedAt, found, text.Lang).Exec(ctx)
	n, err := affected(res, err)
	if err != nil {
		return 0, wrap("rows of transcript "+text.TranscriptID, err)
	}
	if n == int64(len(open.accounts)) {
		return n, nil
	}
	if err := w.repoint(ctx, text, bun.SafeQuery("SELECT w.account FROM library_rows AS w WHERE ?", found)); err != nil {
		return 0, wrap("rows of transcript "+text.TranscriptID, err)
	}
	there := bun.SafeQuery("t.kind = 'transcript' AND t.platform = ? AND t.external_id = ? AND t.lang = ?", text.Platform, text.ExternalID, text.Lang)
	_, err = w.db.NewRaw(`UPDATE library_rows AS t SET starred = TRUE
		WHERE ? AND t.account IN (SELECT w.account FROM library_rows AS w WHERE ? AND w.starred)`, there, found).Exec(ctx)
	if err != nil {
		return 0, wrap("rows of transcript "+text.TranscriptID, err)
	}
	_, err = w.db.NewRaw(`UPDATE library_rows AS t SET transcript_id = ?0, folded_title = ?1, folded_channel = ?2, creator = ?3, updated_at = ?4,
			revision = t.revision + CASE WHEN t.transcript_id = ?0 THEN 0 ELSE 1 END
		WHERE ?5 AND NOT t.edited AND t.account IN (SELECT w.account FROM library_rows AS w WHERE ?6)`,
		text.TranscriptID, text.FoldedTitle, text.FoldedChannel, text.Creator, text.UpdatedAt, there, found).Exec(ctx)
	if err != nil {
		return 0, wrap("rows of transcript "+text.TranscriptID, err)
	}
	taken, err := w.removeOpen(ctx, open)
	return n + taken, err
}

// LockTexts makes transactions that write, save, correct or remove texts of one content run one
// after another. Without the lock, a transaction could save a text under a title that another
// transaction has just changed, and two transactions could wait for each other's library rows.
// When the transaction ends, the store also forgets what it remembers about the content.
func (w LibraryTx) LockTexts(ctx context.Context, p transcript.Platform, externalID string) error {
	w.tx.changes(p, externalID)
	return w.tx.Lock(ctx, "texts/"+string(p)+"/"+externalID)
}

// rename makes the texts of libraries searchable under their current title.
func (w LibraryTx) rename(ctx context.Context, t *transcriptRow) error {
	var row LibraryRow
	row.findBy(deref(t.Title), deref(t.Channel), deref(t.CreatorHandle))
	_, err := w.db.NewUpdate().Model((*LibraryRow)(nil)).
		Set("folded_title = ?, folded_channel = ?, creator = ?", row.FoldedTitle, row.FoldedChannel, row.Creator).
		Where("transcript_id = ?", t.ID).
		Where("folded_title <> ? OR folded_channel <> ? OR creator <> ?", row.FoldedTitle, row.FoldedChannel, row.Creator).
		Exec(ctx)
	return wrap("rename transcript "+t.ID, err)
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
