package db

import (
	"context"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/blobs"
	"github.com/transcriptkit/transcriptkit/server/internal/tables"
)

// portion is how many rows are looked at in one transaction.
const portion = tables.Some

// contentAge is the age at which the answer of a platform without a text is forgotten: under most
// plans, the platform would be asked again anyway.
const contentAge = 30 * 24 * time.Hour

// The beginnings of keys of blobs: of uploads, of the audio of jobs, and of the copies of recordings
// for playing.
const (
	UploadPrefix  = "uploads/"
	AudioPrefix   = "audio/"
	PlayingPrefix = "playing/"
)

// SweepTable deletes all rows of a table that a condition selects, in portions that do not hold up
// other writers.
func (s *Store) SweepTable(ctx context.Context, t tables.Table, rows string, args ...any) error {
	if t.OnPostgres && !s.Shared() {
		return nil
	}
	for {
		var n int64
		err := s.InTx(ctx, func(ctx context.Context, tx *Tx) (err error) {
			tx.forgetFacts()
			n, err = t.Delete(ctx, tx.db, rows, args...)
			return err
		})
		if err != nil || n < tables.Some {
			return err
		}
	}
}

// forgetFacts lets go, at the end of the transaction, of what is kept in memory of libraries.
func (tx *Tx) forgetFacts() {
	tx.sql.AtEnd(func() { tx.facts.shelves.AllChanged(); tx.facts.saved.AllChanged() })
}

// InNoLibrary ends the condition, in SQL, of a text in the table transcripts that goes with its job. If an account removed an upload's
// row while the upload was in work, the text stays as long as its job. A text stays as long as its
// owner has a corrected copy.
const InNoLibrary = `
	AND NOT EXISTS (SELECT 1 FROM library_rows AS l WHERE l.transcript_id = transcripts.id)
	AND NOT EXISTS (SELECT 1 FROM library_rows AS l WHERE l.kind = 'transcript' AND l.edited AND l.account = transcripts.owner
		AND l.platform = transcripts.platform AND l.external_id = transcripts.external_id AND l.lang = transcripts.lang)`

// NeedMedia reports whether a piece of work with audio or an upload still needs the blob, or an account
// keeps it. The blob may be a part of a file.
func (r Works) NeedMedia(ctx context.Context, key string) (bool, error) {
	var used bool
	if prefix, inParts := blobs.PartsPrefix(key); inParts {
		upload := strings.TrimSuffix(strings.TrimPrefix(prefix, UploadPrefix), "+")
		err := r.db.NewRaw(`SELECT EXISTS (SELECT 1 FROM uploads WHERE id = ? AND answer_kind = '')
			OR EXISTS (SELECT 1 FROM extractions AS e WHERE `+withAudio+` AND e.media_key LIKE ?)
			OR EXISTS (SELECT 1 FROM recordings WHERE media_key >= ? AND media_key < ?)`, upload, prefix+"%", prefix, prefix+":").Scan(ctx, &used)
		return used, wrap("media in use", err)
	}
	err := r.db.NewRaw(`SELECT EXISTS (SELECT 1 FROM extractions AS e WHERE `+withAudio+`
		AND (e.media_key = ?0 OR EXISTS (
			SELECT 1 FROM chunks AS c WHERE c.extraction_id = e.id AND c.media_key = ?0)))
		OR EXISTS (SELECT 1 FROM extractions WHERE id = ?1 AND audio_ended_at IS NOT NULL)
		OR EXISTS (SELECT 1 FROM recordings WHERE media_key = ?0)
		OR EXISTS (SELECT 1 FROM recordings WHERE copy_key = ?0 AND copy_key <> '')`, key, cutFor(key)).
		Scan(ctx, &used)
	return used, wrap("media in use", err)
}

// cutFor is the id of the work that has cut the audio in a blob. Another blob has none.
func cutFor(key string) string {
	const id = len("01234567-89ab-cdef-0123-456789abcdef")
	name, _ := strings.CutPrefix(key, AudioPrefix)
	return name[:min(len(name), id)]
}
