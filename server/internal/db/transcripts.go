package db

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/internal/search"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/server/internal/wordindex"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Transcript is a stored transcript. The embedded Transcript has no Segments: the row
// stores them as the JSON of answers.
type Transcript struct {
	transcript.Transcript
	Owner string // the account for an upload; "" for a shared text
	// Edited says that the owner has corrected the text. Only the owner's library shows this copy.
	Edited bool
	// PromptSum distinguishes the prompts with which the text was recognized: see PromptSum.
	// It is only written.
	PromptSum string
	// Duration is the length of the media in seconds; 0 if not known.
	Duration float64
	// ChangedAt is UpdatedAt in microseconds, as it was read. Each text that a transcript
	// has had has a different one.
	ChangedAt time.Time
	// SegmentsJSON is the rendered array. It is stored compressed.
	SegmentsJSON *packed.Bytes
	// WordsJSON is the rendered array of the words of each segment, or nil. Only Timed reads it.
	WordsJSON *packed.Bytes

	prepared preparedText
}

// Size is the number of bytes of the unpacked text, which decides how long storing takes
// (see Sized).
func (t *Transcript) Size() int { return t.SegmentsJSON.Len() + t.WordsJSON.Len() }

// Whole is the transcript with its segments.
func (t *Transcript) Whole() (*transcript.Transcript, error) {
	whole := t.Transcript
	segments, err := t.SegmentsJSON.Plain()
	if err == nil {
		err = json.Unmarshal(segments, &whole.Segments)
	}
	if err != nil {
		return nil, fmt.Errorf("store: segments of transcript %s: %w", t.ID, err)
	}
	return &whole, nil
}

// Transcripts reads transcripts.
type Transcripts struct{ *source }

// TranscriptsTx reads and changes transcripts.
type TranscriptsTx struct {
	Transcripts
	tx *Tx
}

// ByID returns a transcript by id, without its words, or ErrNotFound.
func (r Transcripts) ByID(ctx context.Context, id string) (*Transcript, error) {
	return r.read(ctx, id, "t.*, x.segments")
}

// ChangedAt is ByID for a transcript whose last change the database has just returned. If
// the transcript with this change was read recently, ChangedAt does not read it again. If
// the transcript has changed since, ChangedAt returns the newer transcript.
func (r Transcripts) ChangedAt(ctx context.Context, id string, changed time.Time) (*Transcript, error) {
	if t, ok := r.kept.recall(id, changed); ok {
		return t, nil
	}
	t, err := r.ByID(ctx, id)
	if err == nil {
		r.kept.remember(t)
	}
	return t, err
}

// Timed returns a transcript by id with its words, or ErrNotFound.
func (r Transcripts) Timed(ctx context.Context, id string) (*Transcript, error) {
	return r.read(ctx, id, "t.*, x.segments, x.words")
}

func (r Transcripts) read(ctx context.Context, id, columns string) (*Transcript, error) {
	var row struct {
		transcriptRow   `bun:",extend"`
		Segments, Words []byte
	}
	err := r.db.NewSelect().Model(&row).ColumnExpr(columns).
		Join("JOIN texts AS x ON x.transcript_id = t.id").
		Where("t.id = ?", id).
		Scan(ctx)
	if err != nil {
		return nil, one("transcript "+id, err)
	}
	t := row.transcript()
	if t.SegmentsJSON, err = packed.Stored(row.Segments); err != nil {
		return nil, wrap("transcript "+id, err)
	}
	t.WordsJSON, err = packed.Stored(row.Words)
	return t, wrap("transcript "+id, err)
}

// Sound returns what was heard in the recording of a text.
func (r Transcripts) Sound(ctx context.Context, id string) (transcript.Sound, error) {
	row, err := r.head(ctx, id)
	if err != nil {
		return transcript.Sound{}, err
	}
	return row.transcript().Sound, nil
}

// head returns a transcript without its text, or ErrNotFound.
func (r Transcripts) head(ctx context.Context, id string) (*transcriptRow, error) {
	row := new(transcriptRow)
	if err := r.db.NewSelect().Model(row).Where("id = ?", id).Scan(ctx); err != nil {
		return nil, one("transcript "+id, err)
	}
	return row, nil
}

// Put stores t and returns its id. If the owner already has a transcript with the same platform,
// external id, language, source and Edited, t replaces it and keeps its id and its time of
// creation. The time of change grows, because it distinguishes the texts. Zero times become the
// current time.
func (w TranscriptsTx) Put(ctx context.Context, t *Transcript) (id string, err error) {
	what := "put transcript of " + t.ExternalID
	row := rowOf(t)
	if err := sqldb.NewID(&row.ID); err != nil {
		return "", err
	}
	sqldb.Stamp(&row.CreatedAt, &row.UpdatedAt)
	prepared, err := t.preparation()
	if err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	row.WordCount = prepared.words
	if err := w.tx.Library.LockTexts(ctx, row.Platform, row.ExternalID); err != nil {
		return "", err
	}
	w.tx.put = row
	first, err := affected(w.db.NewInsert().Model(row).On("CONFLICT DO NOTHING").Exec(ctx))
	if err != nil {
		return "", wrap(what, err)
	}
	text := &textRow{TranscriptID: row.ID, Segments: t.SegmentsJSON.Gzip(), Words: t.WordsJSON.Gzip()}
	if first == 0 {
		err = w.replace(ctx, row, text, prepared.blocks)
		return row.ID, err
	}
	w.tx.indexed = row.ID
	if _, err = w.db.NewInsert().Model(text).Exec(ctx); err == nil {
		err = wordindex.WriteFirst(ctx, w.tx.sql, row.ID, prepared.blocks)
	}
	return row.ID, wrap(what, err)
}

// replace replaces an existing text, and increases its time of change. The transaction locks the
// texts of the content.
func (w TranscriptsTx) replace(ctx context.Context, row *transcriptRow, text *textRow, index []search.Block) error {
	what := "replace transcript of " + row.ExternalID
	var before time.Time
	err := w.db.NewSelect().Model((*transcriptRow)(nil)).Column("id", "updated_at").
		Where("owner = ? AND platform = ? AND external_id = ? AND lang = ? AND source = ? AND edited = ?",
			row.Owner, row.Platform, row.ExternalID, row.Lang, row.Source, row.Edited).
		Scan(ctx, &row.ID, &before)
	if err != nil {
		return wrap(what, err)
	}
	if !row.UpdatedAt.After(before) { // the clock may have stepped back
		row.UpdatedAt = before.Add(time.Microsecond)
	}
	_, err = w.db.NewUpdate().Model(row).ExcludeColumn("id", "created_at").WherePK().Exec(ctx)
	if err != nil {
		return wrap(what, err)
	}
	text.TranscriptID = row.ID
	known, err := w.db.NewSelect().Model(text).Where("transcript_id = ? AND segments = ?", row.ID, text.Segments).Exists(ctx)
	if err == nil && !known {
		err = w.tx.Library.unindex(ctx, func(q *bun.SelectQuery) *bun.SelectQuery {
			return q.Where("transcript_id = ?", row.ID)
		})
	}
	if err == nil && !known {
		_, err = w.db.NewRaw("UPDATE library_rows SET revision = revision + 1 WHERE transcript_id = ?", row.ID).Exec(ctx)
	}
	if err == nil {
		_, err = w.db.NewInsert().Model(text).On("CONFLICT (transcript_id) DO UPDATE").
			Set("segments = excluded.segments, words = excluded.words").Exec(ctx)
	}
	if err == nil && !known {
		err = wordindex.Write(ctx, w.tx.sql, row.ID, index)
	}
	if err != nil {
		return wrap(what, err)
	}
	return w.tx.Library.rename(ctx, row)
}
