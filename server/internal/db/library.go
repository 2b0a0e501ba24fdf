package db

import (
	"cmp"
	"context"
	"database/sql"
	"time"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/internal/labels"
	"github.com/transcriptkit/transcriptkit/server/internal/search"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// LibraryRow is an entry of an account's library: a saved text, running work, failed work, or a
// batch. The row of a text points to the text, because other accounts may have saved the same text.
//
// A transaction must lock a piece of work before it makes or changes the rows of the
// work. A transaction that writes rows of texts, or removes rows of any kind, locks the
// texts of the content (LockTexts): after pieces of work, jobs and places, and before
// batches and the usage of accounts.
type LibraryRow struct {
	ID         string `bun:",pk"` // UUIDv7, which stays the same when work becomes a text, and when the text is made again
	Account    string
	Kind       library.Kind
	Platform   transcript.Platform
	ExternalID string
	Lang       string // of the text; if there is no text, the first requested language

	TranscriptID string `bun:",nullzero"` // of a text

	// The following members belong to work: the list of languages, the job, why the work has
	// failed, and the known facts about the content.
	Languages string
	JobID     string          `bun:",nullzero"`
	ErrorCode transcript.Code `bun:",nullzero"`
	SourceURL string
	Metadata  transcript.Metadata

	// A search finds a row by these values; "" means that the row has none.
	FoldedTitle   string
	FoldedChannel string
	Creator       string // the creator's handle, otherwise the channel

	// Revision is the number of texts that the row has had. Edited says that the current
	// text is a copy that the account has corrected: only Correct replaces it.
	Revision int `bun:",nullzero,default:1"`
	Edited   bool

	Starred   bool
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Library reads and searches the libraries of accounts.
type Library struct{ *source }

// LibraryTx reads and changes the libraries of accounts.
type LibraryTx struct {
	Library
	tx *Tx
}

// maxCreator is the longest channel or creator by which a search finds a row, in characters,
// because an index limits the length of its values.
const maxCreator = 128

// findBy sets the values by which a search finds the row.
func (r *LibraryRow) findBy(title, channel, handle string) {
	r.FoldedTitle = labels.FoldTitle(title)
	r.FoldedChannel = search.First(search.Fold(channel), maxCreator)
	r.Creator = search.First(cmp.Or(handle, channel), maxCreator)
}

// All returns what an account has saved, newest first.
func (r Library) All(ctx context.Context, account string) ([]LibraryRow, error) {
	var rows []LibraryRow
	err := r.db.NewSelect().Model(&rows).Where("account = ?", account).Order("created_at DESC", "id DESC").Scan(ctx)
	return rows, wrap("library of "+account, err)
}

// Saved is the newest text of a content that an account has saved, in a language if the
// key names one.
type Saved struct {
	TranscriptID string    // "" while the work is running
	ChangedAt    time.Time // of the text
	JobID        string    // of the running work
	Revision     int       // of the row; 0 while there is no text
	labels.Label `bun:",extend"`
}

// Saved returns the saved text of a content, or the running work if the account has no
// text. The error is ErrNotFound if the account has neither.
func (r Library) Saved(ctx context.Context, account string, key library.Key) (*Saved, error) {
	of := contentID{key.Platform, key.ExternalID}
	saved, err := r.facts.saved.Read(ctx, of, question{of, "", account, key.Language}, r.readSaved)
	if err == nil && saved == nil {
		err = sql.ErrNoRows
	}
	return saved, one("saved transcript of "+key.ExternalID, err)
}

func (r Library) readSaved(ctx context.Context, questions []question) (map[question]*Saved, error) {
	var rows []struct {
		N     int
		Saved `bun:",extend"`
	}
	// Each half of the query has its own index. Times without a declared type: see readShelves.
	err := r.askAll(ctx, &rows, `SELECT n, transcript_id, changed_at, job_id, revision, title, tags FROM (
			SELECT a.n, l.transcript_id, coalesce(t.updated_at, NULL) AS changed_at, '' AS job_id, l.revision, b.title, b.tags, 1 AS is_text, l.updated_at, l.id
			FROM asked AS a
			JOIN library_rows AS l ON l.account = a.account AND l.platform = a.platform AND l.external_id = a.external_id
				AND l.kind = 'transcript' AND a.language IN ('', l.lang)
			JOIN transcripts AS t ON t.id = l.transcript_id
			LEFT JOIN labels AS b ON b.account = l.account AND b.platform = l.platform AND b.external_id = l.external_id
			UNION ALL
			SELECT a.n, '', coalesce(l.updated_at, NULL), l.job_id, 0, NULL, NULL, 0, l.updated_at, l.id
			FROM asked AS a
			JOIN library_rows AS l ON l.account = a.account AND l.platform = a.platform AND l.external_id = a.external_id
				AND l.kind <> 'transcript' AND l.kind = 'pending' AND a.language IN ('', l.lang)
		) AS saved
		ORDER BY is_text, updated_at, id`, questions)
	saved := make(map[question]*Saved, len(questions))
	for _, row := range rows {
		saved[questions[row.N]] = &row.Saved // the last row of a question counts
	}
	return saved, err
}
