package db

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Terms are the times before which the plan of an account keeps nothing.
type Terms struct {
	Entries time.Time // when an entry came into the library; the zero value: all entries stay
	Jobs    time.Time // when a job ended
}

// Expired finds and removes what the plans of accounts keep no longer. Each statement names the
// account.
type Expired struct{ *source }

// ExpiredTx removes what the plans of accounts keep no longer.
type ExpiredTx struct {
	Expired
	tx *Tx
}

// ExpiredEntry is an entry of a library that goes.
type ExpiredEntry struct {
	bun.BaseModel `bun:"table:library_rows,alias:l"`

	ID         string
	Kind       library.Kind
	Platform   transcript.Platform
	ExternalID string
}

// expiredRows is the condition of the entries that go: the account, and a time. Work that runs, and
// batches that run, stay.
const expiredRows = `account = ?0 AND created_at < ?1 AND kind <> 'pending'
	AND NOT (kind = 'batch' AND EXISTS (SELECT 1 FROM batches AS b WHERE b.id = external_id AND b.` + running + `))`

// Entries returns entries of the library of an account that go, the oldest first, at most 200.
func (r Expired) Entries(ctx context.Context, account string, t Terms) (entries []ExpiredEntry, err error) {
	err = r.db.NewSelect().Model(&entries).Where(expiredRows, account, sqldb.Moment(t.Entries)).Order("created_at", "id").Limit(portion).Scan(ctx)
	return entries, wrap("expired entries of "+account, err)
}

// Remove removes an entry from the library of an account, with the text if no other entry needs it.
// A batch goes with its items. ErrNotFound: the entry has gone, or the batch runs again.
func (w ExpiredTx) Remove(ctx context.Context, account string, entry ExpiredEntry) error {
	lib := LibraryTx{Library{w.source}, w.tx}
	if entry.Kind != library.KindBatch {
		return lib.Remove(ctx, account, library.Key{Platform: entry.Platform, ExternalID: entry.ExternalID, Row: entry.ID})
	}
	b, err := w.tx.Batches.LockOwned(ctx, account, entry.ExternalID)
	if err == nil && !b.Status.Terminal() {
		err = fmt.Errorf("ended batch %s: %w", b.ID, ErrNotFound)
	}
	if err == nil {
		err = lib.HideBatch(ctx, account, b.ID)
	}
	if err == nil {
		err = w.tx.Batches.Delete(ctx, b.ID)
	}
	return err
}

// SweepJobsOf removes jobs of an account that ended before a time, with their texts if
// no library has them, as Sweep does for all accounts.
func (s *Store) SweepJobsOf(ctx context.Context, account string, before time.Time) error {
	ctx = Unhurried(ctx)
	for _, step := range []struct{ table, old string }{
		{"transcripts", textsOfJobs("?4", "?0")},
		{"jobs", "account = ?4 AND ended_at < ?0"},
		{"extractions", `owner = ?4 AND owner <> '' AND status NOT IN ('pending', 'processing') AND updated_at < ?0
			AND NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.extraction_id = extractions.id)`},
	} {
		if err := s.sweepTable(ctx, step.table, "id", step.old, sqldb.Moment(before), account); err != nil {
			return err
		}
	}
	return nil
}

// textsOfEntries is the condition of the texts t that go with expired entries, as LibraryTx.Remove goes
// by it: those of the account alone, also what a corrected copy was made from.
const textsOfEntries = `t.owner = ?0 AND t.owner <> ''
	AND EXISTS (SELECT 1 FROM library_rows AS l WHERE l.account = ?0 AND l.platform = t.platform AND l.external_id = t.external_id
		AND l.created_at < ?1 AND l.kind NOT IN ('pending', 'batch'))
	AND NOT EXISTS (SELECT 1 FROM library_rows AS kept WHERE kept.account = ?0 AND kept.platform = t.platform AND kept.external_id = t.external_id
		AND kept.created_at >= ?1 AND kept.kind = 'transcript' AND kept.lang = t.lang AND (kept.edited AND NOT t.edited OR kept.transcript_id = t.id))`

// textsOfJobs is the condition of the texts that go with the jobs of an account: account and before are
// the places of the arguments.
func textsOfJobs(account, before string) string {
	return `owner = ` + account + ` AND owner <> '' AND source <> 'manual' AND id IN (SELECT transcript_id FROM jobs WHERE account = ` + account +
		` AND ended_at < ` + before + `)` + inNoLibrary
}

// ExpiredCount is how much of an account goes with the next sweep.
type ExpiredCount struct {
	Entries               int64 // of the library
	Texts, TextBytes      int64 // that the account alone has, of Entries and of Jobs, and their stored bytes
	Recordings, FileBytes int64 // with the copies for playing
	Jobs                  int64
}

// Count counts what goes of an account, and changes nothing.
func (r Expired) Count(ctx context.Context, account string, t Terms) (n ExpiredCount, err error) {
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
		if err := r.db.NewRaw(q.query, account, entries, jobs).Scan(ctx, q.into...); err != nil {
			return n, wrap("count what expires of "+account, err)
		}
	}
	return n, nil
}

// rowsOfRecording is the condition of the rows l whose text is that of the recording r.
const rowsOfRecording = `l.account = r.account AND l.platform = 'upload' AND l.external_id = r.external_id AND l.kind = 'transcript'`
