package db

import (
	"context"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/blobs"
	"github.com/transcriptkit/transcriptkit/server/internal/tables"
)

// portion is how many rows one transaction reads.
const portion = tables.Some

// contentAge is the age at which a platform's answer without a text is deleted: under most plans,
// the service would ask the platform again anyway.
const contentAge = 30 * 24 * time.Hour

// The prefixes of keys of blobs: for uploads, for the audio of jobs, and for the copies of
// recordings for playing.
const (
	UploadPrefix  = "uploads/"
	AudioPrefix   = "audio/"
	PlayingPrefix = "playing/"
)

// SweepTable deletes all rows of a table that a condition selects, in portions that do not block
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

// forgetFacts removes, at the end of the transaction, the facts about libraries from memory.
func (tx *Tx) forgetFacts() {
	tx.sql.AtEnd(func() { tx.facts.shelves.AllChanged(); tx.facts.saved.AllChanged() })
}

// InNoLibrary is the end of the SQL condition for a text in the table transcripts that is deleted
// with its job. If an account has removed an upload's row while the upload was being processed,
// the text stays as long as its job. A text stays as long as its owner has a corrected copy.
const InNoLibrary = `
	AND NOT EXISTS (SELECT 1 FROM library_rows AS l WHERE l.transcript_id = transcripts.id)
	AND NOT EXISTS (SELECT 1 FROM library_rows AS l WHERE l.kind = 'transcript' AND l.edited AND l.account = transcripts.owner
		AND l.platform = transcripts.platform AND l.external_id = transcripts.external_id AND l.lang = transcripts.lang)`

// NeedMedia reports whether a piece of work with audio, or an upload, still needs the blob, or
// whether an account keeps it. The blob may be a part of a file.
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

// cutFor returns the id of the work whose audio was cut into a blob. For any other blob
// it returns none.
func cutFor(key string) string {
	const id = len("01234567-89ab-cdef-0123-456789abcdef")
	name, _ := strings.CutPrefix(key, AudioPrefix)
	return name[:min(len(name), id)]
}
