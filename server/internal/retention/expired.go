package retention

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/internal/batcher"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/server/internal/tables"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// terms are the times before which the plan of an account keeps nothing.
type terms struct {
	Entries time.Time // when an entry was added to the library; the zero value means that all entries stay
	Jobs    time.Time // when a job ended
}

// entry is an expired entry of a library.
type entry struct {
	bun.BaseModel `bun:"table:library_rows,alias:l"`

	ID         string
	Kind       library.Kind
	Platform   transcript.Platform
	ExternalID string
}

// expiredRows is the condition of expired entries: the account, and a time. Running work and
// running batches stay.
const expiredRows = `account = ?0 AND created_at < ?1 AND kind <> 'pending'
	AND NOT (kind = 'batch' AND EXISTS (SELECT 1 FROM batches AS b WHERE b.id = external_id AND b.status IN ('pending', 'processing')))`

// entries returns at most 200 expired entries of an account's library, oldest first.
func entries(ctx context.Context, s *db.Store, account string, t terms) (all []entry, err error) {
	err = s.DB().NewSelect().Model(&all).Where(expiredRows, account, sqldb.Moment(t.Entries)).Order("created_at", "id").Limit(tables.Some).Scan(ctx)
	return all, sqldb.Wrap("expired entries of "+account, err)
}

// remove removes an entry from the library of an account, with the text if no other entry needs it.
// A batch is removed with its items. The error is db.ErrNotFound if the entry was removed, or if
// the batch runs again.
func remove(ctx context.Context, tx *db.Tx, account string, entry entry) error {
	if entry.Kind == library.KindBatch {
		return batcher.RemoveEnded(ctx, tx, account, entry.ExternalID)
	}
	return tx.Library.Remove(ctx, account, library.Key{Platform: entry.Platform, ExternalID: entry.ExternalID, Row: entry.ID})
}

// sweepJobs removes jobs of an account that ended before a time, with their texts if no library has
// them, as the sweep does for all accounts.
func sweepJobs(ctx context.Context, s *db.Store, account string, before time.Time) error {
	ctx = db.Unhurried(ctx)
	for _, old := range []struct{ table, rows string }{
		{"transcripts", textsOfJobs("?1", "?0")},
		{"jobs", "account = ?1 AND ended_at < ?0"},
		{"extractions", `owner = ?1 AND owner <> '' AND status NOT IN ('pending', 'processing') AND updated_at < ?0
			AND NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.extraction_id = extractions.id)`},
	} {
		if err := s.SweepTable(ctx, tables.Table{Name: old.table, Key: []string{"id"}}, old.rows, sqldb.Moment(before), account); err != nil {
			return err
		}
	}
	return nil
}

// textsOfEntries is the condition of the texts t that are removed with expired entries, as
// db.LibraryTx.Remove does: texts that belong to the account alone, including the originals of
// corrected copies.
const textsOfEntries = `t.owner = ?0 AND t.owner <> ''
	AND EXISTS (SELECT 1 FROM library_rows AS l WHERE l.account = ?0 AND l.platform = t.platform AND l.external_id = t.external_id
		AND l.created_at < ?1 AND l.kind NOT IN ('pending', 'batch'))
	AND NOT EXISTS (SELECT 1 FROM library_rows AS kept WHERE kept.account = ?0 AND kept.platform = t.platform AND kept.external_id = t.external_id
		AND kept.created_at >= ?1 AND kept.kind = 'transcript' AND kept.lang = t.lang AND (kept.edited AND NOT t.edited OR kept.transcript_id = t.id))`

// textsOfJobs is the condition of the texts that are removed with the jobs of an account: account
// and before are the places of the arguments.
func textsOfJobs(account, before string) string {
	return `owner = ` + account + ` AND owner <> '' AND source <> 'manual' AND id IN (SELECT transcript_id FROM jobs WHERE account = ` + account +
		` AND ended_at < ` + before + `)` + db.InNoLibrary
}

// Count is how much data of an account the next sweep removes.
type Count struct {
	Entries               int64 // of the library
	Texts, TextBytes      int64 // that belong to the account alone, of Entries and of Jobs, and their stored bytes
	Recordings, FileBytes int64 // including the copies for playing
	Jobs                  int64
}

// count counts the expired data of an account, and changes nothing.
func count(ctx context.Context, s *db.Store, account string, t terms) (n Count, err error) {
	entries, jobs := sqldb.Moment(t.Entries), sqldb.Moment(t.Jobs)
	for _, q := range []struct {
		query string
		into  []any
	}{
		{`SELECT count(*) FROM library_rows WHERE ` + expiredRows, []any{&n.Entries}},
		{
			`SELECT count(*), coalesce(sum(length(x.segments) + coalesce(length(x.words), 0)), 0) FROM texts AS x
			WHERE x.transcript_id IN (SELECT t.id FROM transcripts AS t WHERE ` + textsOfEntries + `
				UNION SELECT id FROM transcripts WHERE ` + textsOfJobs("?0", "?2") + `)`, []any{&n.Texts, &n.TextBytes},
		},
		{
			`SELECT count(*), coalesce(sum(r.bytes + r.copy_bytes), 0) FROM recordings AS r WHERE r.account = ?0
			AND EXISTS (SELECT 1 FROM library_rows AS l WHERE ` + rowsOfRecording + `)
			AND NOT EXISTS (SELECT 1 FROM library_rows AS l WHERE ` + rowsOfRecording + ` AND l.created_at >= ?1)`, []any{&n.Recordings, &n.FileBytes},
		},
		{`SELECT count(*) FROM jobs WHERE account = ?0 AND ended_at < ?2`, []any{&n.Jobs}},
	} {
		if err := s.DB().NewRaw(q.query, account, entries, jobs).Scan(ctx, q.into...); err != nil {
			return n, sqldb.Wrap("count what expires of "+account, err)
		}
	}
	return n, nil
}

// rowsOfRecording is the condition of the rows l whose text belongs to the recording r.
const rowsOfRecording = `l.account = r.account AND l.platform = 'upload' AND l.external_id = r.external_id AND l.kind = 'transcript'`
