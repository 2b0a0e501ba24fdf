package corrections

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/internal/pasttext"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// revision is an earlier text of a row in a library.
type revision struct {
	bun.BaseModel `bun:"table:revisions,alias:r"`

	RowID    string `bun:",pk"`
	Number   int    `bun:",pk"`
	Kind     library.RevisionKind
	Source   transcript.Origin
	Lines    int
	Changed  int
	Segments []byte
	Words    []byte
	MadeAt   time.Time
}

// record stores a text of a row as a revision, and drops surplus revisions.
func record(ctx context.Context, tx *db.Tx, row *db.LibraryRow, number int, r *revised) error {
	what := "keep a revision of library row " + row.ID
	kept := &revision{
		RowID: row.ID, Number: number, Kind: r.kind, Source: r.text.Source, Lines: r.lines, Changed: r.changed,
		Segments: r.text.SegmentsJSON.Gzip(), Words: r.text.WordsJSON.Gzip(), MadeAt: sqldb.Moment(r.text.ChangedAt),
	}
	if _, err := tx.SQL().NewInsert().Model(kept).Exec(ctx); err != nil {
		return sqldb.Wrap(what, err)
	}
	var all []size
	err := tx.SQL().NewRaw(`SELECT number, length(segments) + coalesce(length(words), 0) AS bytes FROM revisions
		WHERE row_id = ? ORDER BY number DESC`, row.ID).Scan(ctx, &all)
	if old := surplus(all); err == nil && len(old) > 0 {
		_, err = tx.SQL().NewRaw("DELETE FROM revisions WHERE row_id = ? AND number IN (?)", row.ID, bun.List(old)).Exec(ctx)
	}
	return sqldb.Wrap(what, err)
}

// The history of a row has the first revision and the latest ones: at most MaxRevisions of
// them, and only as many as have maxHistory bytes together, but at least two.
const (
	MaxRevisions = 50
	maxHistory   = 16 << 20
)

// size is the stored size of a revision.
type size struct{ Number, Bytes int }

// surplus returns the numbers of the revisions to drop, from all revisions of a row, newest first.
func surplus(all []size) (numbers []int) {
	bytes := 0
	for i, one := range all {
		bytes += one.Bytes
		if i >= MaxRevisions || i >= 2 && bytes > maxHistory {
			numbers = append(numbers, one.Number)
		}
	}
	if n := len(numbers); n > 0 { // the first stays
		numbers = numbers[:n-1]
	}
	return numbers
}

// Revisions returns the revisions of the newest text that a key names, newest first: at most
// MaxRevisions and the first one. A text that was never corrected has one revision. The
// error is NO_TRANSCRIPT if the library has no such text.
func (t *Texts) Revisions(ctx context.Context, account string, key library.Key) ([]library.Revision, error) {
	row, present, err := t.read(ctx, account, key)
	if err != nil {
		return nil, err
	}
	if !row.Edited {
		lines, err := linesOf(present.Transcript)
		first := &revision{Number: present.Revision, Kind: library.RevisionOriginal, Source: present.Source, Lines: len(lines), MadeAt: present.ChangedAt}
		return []library.Revision{first.shown()}, err
	}
	var kept []revision
	err = t.store.SQL().Reader().NewSelect().Model(&kept).ExcludeColumn("segments", "words").
		Join("JOIN library_rows AS l ON l.id = r.row_id").
		Where("r.row_id = ? AND l.account = ?", row.ID, account).Order("r.number DESC").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("corrections: %w", sqldb.Wrap("read revisions of library row "+row.ID, err))
	}
	if len(kept) == 0 { // the row has just been removed
		return nil, subject.NotSaved()
	}
	all := make([]library.Revision, len(kept))
	for i := range kept {
		all[i] = kept[i].shown()
	}
	return all, nil
}

func (r *revision) shown() library.Revision {
	return library.Revision{
		Number: r.Number, Kind: r.Kind, CreatedAt: transcript.At(r.MadeAt), Source: r.Source, Lines: r.Lines, Changed: r.Changed,
	}
}

// Revision returns the text of a revision. The error is NOT_FOUND if the revision does not
// exist or was dropped, and NO_TRANSCRIPT if the library has no such text.
func (t *Texts) Revision(ctx context.Context, account string, key library.Key, number int) (*Text, error) {
	_, present, err := t.read(ctx, account, key)
	if err != nil {
		return nil, err
	}
	return t.revision(ctx, account, present, number)
}

// revision returns the text of a revision of the row whose current text was read.
func (t *Texts) revision(ctx context.Context, account string, present *Text, number int) (*Text, error) {
	if number == present.Revision {
		return present, nil
	}
	kept := new(revision)
	reader := t.store.SQL().Reader()
	err := reader.NewSelect().Model(kept).ExcludeColumn("segments", "words").
		Join("JOIN library_rows AS l ON l.id = r.row_id").
		Where("r.row_id = ? AND r.number = ? AND l.account = ?", present.row, number, account).Scan(ctx)
	var old pasttext.Text
	if err == nil {
		old, err = pasttext.Read(ctx, reader, present.row, number)
	}
	if errors.Is(err, sql.ErrNoRows) {
		return nil, transcript.Errorf(transcript.NotFound, "The text has no revision %d, or no more: the list of revisions names those that are kept.", number)
	}
	if err != nil {
		return nil, fmt.Errorf("corrections: %w", sqldb.Wrap("read a revision of library row "+present.row, err))
	}
	text := *present.Transcript
	text.Source, text.ChangedAt, text.UpdatedAt = kept.Source, kept.MadeAt, transcript.At(kept.MadeAt)
	if text.SegmentsJSON, err = gzipped(old.Segments); err != nil {
		return nil, err
	}
	text.WordsJSON, err = gzipped(old.Words)
	return &Text{&text, number, present.row}, err
}

// gzipped is a text as it is stored and sent.
func gzipped(b *packed.Bytes) (*packed.Bytes, error) {
	if b == nil || b.Packed() {
		return b, nil
	}
	plain, err := b.Plain()
	return packed.Pack(plain), err
}

// textOf returns the form in which the history stores a text.
func textOf(t *db.Transcript) pasttext.Text {
	return pasttext.Text{Segments: t.SegmentsJSON, Words: t.WordsJSON}
}

// Restore makes the text of a revision the current text again, as a new revision. The errors are
// those of Edit and Revision.
func (t *Texts) Restore(ctx context.Context, owner account.Principal, key library.Key, expected Expected, number int) (*Text, error) {
	return t.change(ctx, owner, key, expected, 0, func(present *Text) (*revised, error) {
		old, err := t.revision(ctx, owner.Account, present, number)
		if err != nil {
			return nil, err
		}
		lines, err := linesOf(old.Transcript)
		if err != nil {
			return nil, err
		}
		next := copyOf(present.Transcript, owner.Account)
		next.Source, next.SegmentsJSON, next.WordsJSON = old.Source, old.SegmentsJSON, old.WordsJSON
		return compared(present, next, lines, library.RevisionRestore)
	})
}
