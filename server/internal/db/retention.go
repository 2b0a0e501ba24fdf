package db

import (
	"context"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/blobs"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

const (
	// portion is how many rows are removed in one transaction.
	portion = 200
	// litterAge is how old a blob must be to be taken for left over.
	litterAge = 24 * time.Hour
	// lookupAge is how old a question to a platform must be for its answer to have
	// been read: readers wait for seconds.
	lookupAge = time.Hour
	// contentAge is the age at which the answer of a platform without a text is
	// forgotten: under most plans, the platform would be asked again anyway.
	contentAge = 30 * 24 * time.Hour
)

// The beginnings of keys of blobs: of uploads, of the audio of jobs, and of the copies of recordings
// for playing.
const (
	UploadPrefix  = "uploads/"
	AudioPrefix   = "audio/"
	PlayingPrefix = "playing/"
)

// Sweep removes old rows: jobs, events, chunks and extractions that ended before
// jobsBefore, idempotency keys taken longer than keyAge ago, lookups older than an
// hour, links to texts that have ended, and past windows of requests. Sweep also removes
// answers of platforms that are older than 30 days if the content has no text, uploads
// without a request for UploadAge, recordings whose time is over, and blobs under "uploads/",
// "audio/" and "playing/" that are older than 24 h if no running extraction and no unfinished
// upload needs them, no account keeps them, and no backup holds them. Sweep works in portions that do not hold up
// other writers, and notes how many bytes of blobs are left: see Status.
func (s *Store) Sweep(ctx context.Context, jobsBefore time.Time, keyAge time.Duration) error {
	ctx = Unhurried(ctx)
	if err := s.sweepJobs(ctx, jobsBefore); err != nil {
		return err
	}
	if err := s.Queue.Sweep(ctx, jobsBefore, string(JobHook), string(BatchHook)); err != nil {
		return err
	}
	// PostgreSQL uses an index only for a time that it asks for once, in a SELECT of its own.
	err := s.sweepTable(ctx, "idempotency_keys", "account, method, route, key", "taken_at < (SELECT ?0)", s.sql.Ago(keyAge))
	if err != nil {
		return err
	}
	if err := s.sweepTable(ctx, "shares", "id", "expires_at < (SELECT ?0)", s.sql.Ago(0)); err != nil {
		return err
	}
	if err := s.sweepTable(ctx, "lookups", "id", "asked_at < (SELECT ?0)", s.sql.Ago(lookupAge)); err != nil {
		return err
	}
	err = s.sweepTable(ctx, "contents", "platform, external_id", `asked_at < (SELECT ?0) AND NOT EXISTS (SELECT 1 FROM transcripts AS t
		WHERE t.owner = '' AND t.platform = contents.platform AND t.external_id = contents.external_id)`, s.sql.Ago(contentAge))
	if err != nil {
		return err
	}
	if err := s.sweepTable(ctx, "blob_holds", "id", "until < (SELECT ?0)", s.sql.Ago(0)); err != nil {
		return err
	}
	if err := s.sweepTable(ctx, "uploads", "id", "seen_at < (SELECT ?0)", s.sql.Ago(UploadAge)); err != nil {
		return err
	}
	if err := s.sweepWindows(ctx); err != nil {
		return err
	}
	now, err := s.Now(ctx)
	if err == nil {
		err = s.sweepRecordings(ctx, now)
	}
	if err != nil {
		return err
	}
	for _, prefix := range []string{UploadPrefix, AudioPrefix, PlayingPrefix} {
		if err := s.sweepBlobs(ctx, prefix, time.Now().Add(-litterAge)); err != nil {
			return err
		}
	}
	return nil
}

// sweepJobs removes jobs that ended before a time, with their texts if no library has them. Events go with their job, chunks with their extraction.
func (s *Store) sweepJobs(ctx context.Context, before time.Time) error {
	for _, step := range []struct{ table, key, old string }{
		{"transcripts", "id", `owner <> '' AND source <> 'manual' AND id IN (SELECT transcript_id FROM jobs WHERE ended_at < ?0)` + inNoLibrary},
		{"jobs", "id", "ended_at < ?0"},
		{"extractions", "id", `status NOT IN ('pending', 'processing') AND updated_at < ?0 AND audio_ended_at IS NULL
			AND NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.extraction_id = extractions.id)`},
	} {
		if err := s.sweepTable(ctx, step.table, step.key, step.old, sqldb.Moment(before)); err != nil {
			return err
		}
	}
	return nil
}

// inNoLibrary ends the condition of a text that goes with its job. If an account removed an upload's
// row while the upload was in work, the text stays as long as its job. A text stays as long as its
// owner has a corrected copy.
const inNoLibrary = `
	AND NOT EXISTS (SELECT 1 FROM library_rows AS l WHERE l.transcript_id = transcripts.id)
	AND NOT EXISTS (SELECT 1 FROM library_rows AS l WHERE l.kind = 'transcript' AND l.edited AND l.account = transcripts.owner
		AND l.platform = transcripts.platform AND l.external_id = transcripts.external_id AND l.lang = transcripts.lang)`

// sweepTable removes the old rows of a table. In the condition old, ?0 is before, and ?4 and higher
// numbers are more.
func (s *Store) sweepTable(ctx context.Context, table, key, old string, before any, more ...any) error {
	for {
		var n int64
		err := s.InTx(ctx, func(ctx context.Context, tx *Tx) error {
			tx.sql.AtEnd(func() { tx.facts.shelves.AllChanged(); tx.facts.saved.AllChanged() })
			// Asked twice: a row that another changes meanwhile may not be old any more.
			res, err := tx.db.NewRaw(`DELETE FROM ?1 WHERE (?2) IN (SELECT ?2 FROM ?1 WHERE `+old+` LIMIT ?3) AND (`+old+`)`,
				append([]any{before, bun.Ident(table), bun.Safe(key), portion}, more...)...).Exec(ctx)
			n, err = affected(res, err)
			return err
		})
		if err != nil {
			return wrap("sweep "+table, err)
		}
		if n < portion {
			return nil
		}
	}
}

// sweepBlobs measures what it leaves.
func (s *Store) sweepBlobs(ctx context.Context, prefix string, before time.Time) error {
	var left int64 // bytes
	err := s.Blobs.Each(ctx, prefix, func(b blobs.Listed) error {
		swept, err := s.sweepBlob(ctx, b, before)
		if err == nil && !swept {
			left += b.Size
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.measure(ctx, strings.TrimSuffix(prefix, "/"), left)
}

// sweepBlob removes a blob that is left over.
func (s *Store) sweepBlob(ctx context.Context, b blobs.Listed, before time.Time) (swept bool, err error) {
	if !b.ChangedAt.Before(before) {
		return false, nil
	}
	if used, err := s.Extractions.NeedMedia(ctx, b.Key); err != nil || used {
		return false, err
	}
	if held, err := s.BlobsHeld(ctx); err != nil || held {
		return false, err
	}
	return true, s.Blobs.Delete(ctx, b.Key)
}

// NeedMedia reports whether an extraction with audio or an upload still needs the blob, or an account
// keeps it. The blob may be a part of a file.
func (r Extractions) NeedMedia(ctx context.Context, key string) (bool, error) {
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

// cutFor is the id of the extraction that has cut the audio in a blob. Another blob has none.
func cutFor(key string) string {
	const id = len("01234567-89ab-cdef-0123-456789abcdef")
	name, _ := strings.CutPrefix(key, AudioPrefix)
	return name[:min(len(name), id)]
}
