package db_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// TestLibraryStatementsReadOneContent lets an account with many rows save, star, remove
// and fail, and asks the database how it does each statement that names a content. None
// may read the rows of other contents.
func TestLibraryStatementsReadOneContent(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		faults, ctx, behind := dbtest.Faulty(t, store.Options(o))
		s, err := db.Open(ctx, db.Options(behind))
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		raw := open(t, o)
		fillLibrary(t, raw)

		faults.Arm(0, dbtest.NoFault)
		touchLibrary(t, s)
		seen := map[string]bool{}
		for _, statement := range faults.Disarm() {
			if !oneContent.MatchString(statement) || strings.HasPrefix(statement, "INSERT") || seen[statement] {
				continue
			}
			seen[statement] = true
			for _, line := range raw.plan(t, strings.HasPrefix(o.Database, "sqlite:"), statement) {
				assert.False(t, manyRows.MatchString(line), "%s\nis done by\n%s", statement, line)
			}
		}
		assert.GreaterOrEqual(t, len(seen), 10, "statements")
	})
}

// oneContent matches statements on what an account has of one content.
var oneContent = regexp.MustCompile(`(?s)library_rows.*external_id"? =`)

// manyRows matches what a plan says of a step that reads more rows of the library than
// those of a content, a text or an id. PostgreSQL marks by "Filter" what no index holds.
var manyRows = regexp.MustCompile(`(?i)SCAN (library_rows|w|l|t|kept)\b|SEARCH (library_rows|w|l) USING .*\(account=\?\)|Seq Scan on library_rows|Index Cond: \(account = ('[a-z]+'::text|\$\d+)\)$`)

// plan is how the database does a statement, line by line.
func (d database) plan(t *testing.T, sqlite bool, statement string) (lines []string) {
	t.Helper()
	ask, columns := "EXPLAIN "+statement, 1
	values := make([]any, strings.Count(statement, "?")) // of a prepared statement
	if sqlite {
		ask, columns = "EXPLAIN QUERY PLAN "+statement, 4
	}
	conn, err := d.Conn(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close()) }()
	if n := numbered(statement); n > 0 { // PostgreSQL plans a prepared statement without the values, if told so
		_, err := conn.ExecContext(t.Context(), "SET plan_cache_mode = force_generic_plan; PREPARE asked AS "+statement)
		require.NoError(t, err, statement)
		defer func() {
			_, err := conn.ExecContext(context.WithoutCancel(t.Context()), "DEALLOCATE asked")
			require.NoError(t, err)
		}()
		ask, values = "EXPLAIN EXECUTE asked ("+strings.TrimSuffix(strings.Repeat("NULL, ", n), ", ")+")", nil
	}
	rows, err := conn.QueryContext(t.Context(), ask, values...)
	require.NoError(t, err, statement)
	defer rows.Close()
	for rows.Next() {
		var line string
		into := []any{new(any), new(any), new(any), &line}
		require.NoError(t, rows.Scan(into[4-columns:]...))
		lines = append(lines, line)
	}
	require.NoError(t, rows.Err())
	return lines
}

// numbered is how many arguments a statement has that a driver for PostgreSQL has prepared.
func numbered(statement string) (n int) {
	for strings.Contains(statement, fmt.Sprintf("$%d", n+1)) {
		n++
	}
	return n
}

// fillLibrary gives an account rows of failed work, and of batches.
func fillLibrary(t *testing.T, raw database) {
	t.Helper()
	for kind, code := range map[string]string{"failed": "'NO_TRANSCRIPT'", "batch": "NULL"} {
		raw.exec(t, fmt.Sprintf(`INSERT INTO library_rows (id, account, kind, platform, external_id, lang, error_code, starred, created_at, updated_at)
			WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 2000)
			SELECT '%[1]s-' || CAST(n AS text), 'acme', '%[1]s', 'video_site', '%[1]s-' || CAST(n AS text), 'en', %[2]s, false, '2026-01-02', '2026-01-02' FROM n`,
			kind, code))
	}
	raw.exec(t, "ANALYZE library_rows")
}

// touchLibrary does what has to do with one content in a library.
func touchLibrary(t *testing.T, s *db.Store) {
	t.Helper()
	id := put(t, s, &db.Transcript{Transcript: transcript.Transcript{
		Platform: transcript.VideoSite, ExternalID: "v1", Lang: "en", Source: transcript.OriginASR, Status: transcript.Ready,
	}, SegmentsJSON: packed.Pack([]byte("[]"))})
	for _, end := range []db.End{
		{Status: transcript.JobSuccess, TranscriptID: id},
		{Status: transcript.JobFailed, Error: transcript.Errorf(transcript.NoTranscript, "None.")},
		{Status: transcript.JobCancelled},
	} {
		e, jobs := extraction(t, s, "acme")
		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.Library.ShowJob(ctx, e, jobs[0]))
			require.NoError(t, tx.Library.DescribeJobs(ctx, e, transcript.Metadata{Title: "T"}))
			require.NoError(t, tx.Library.EndJobs(ctx, e, []db.Job{*jobs[0]}, end))
			claims, err := tx.Jobs.LockRunning(ctx, e.ID)
			require.NoError(t, err)
			_, err = tx.Extractions.End(ctx, e, claims, db.End{Status: transcript.JobCancelled})
			require.NoError(t, err)
		})
	}
	key := library.Key{Platform: transcript.VideoSite, ExternalID: "v1", Language: "en"}
	inTx(t, s, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Library.Save(ctx, id, "acme", "")) })
	_, err := s.Library.Saved(t.Context(), "acme", key)
	require.NoError(t, err)
	_, err = s.Library.Row(t.Context(), "acme", key)
	require.NoError(t, err)
	_, err = s.Library.Page(t.Context(), "acme", library.Query{View: library.History, Sort: library.Recent, Platform: "video_site", ExternalID: "v1", Page: 1, PageSize: 10})
	require.NoError(t, err)
	inTx(t, s, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Library.Star(ctx, "acme", key, true))
		require.NoError(t, tx.Library.Remove(ctx, "acme", key))
		b := &db.Batch{Account: "acme", Mode: batch.Playlist, Status: batch.Pending, Title: "T"}
		require.NoError(t, tx.Batches.Insert(ctx, b))
		require.NoError(t, tx.Library.ShowBatch(ctx, b, transcript.VideoSite))
		require.NoError(t, tx.Library.RetitleBatch(ctx, b))
		require.NoError(t, tx.Library.HideBatch(ctx, "acme", b.ID))
	})
}
