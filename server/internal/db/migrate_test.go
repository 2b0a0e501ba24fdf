package db_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/search"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// What an earlier version has left in the middle of its work comes through.
func TestMigrationKeepsRows(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s, err := db.Open(t.Context(), o)
		require.NoError(t, err)
		require.NoError(t, s.Close())
		old := open(t, o)
		goBack(t, old, o, 1)
		for _, row := range []string{
			`INSERT INTO extractions (id, owner, platform, external_id, languages, status, stage, attempt, title, media_key, duration, created_at, updated_at)
				VALUES ('e1', 'acme', 'upload', 'x', 'en', 'processing', 'asr_running', 2, 'It''s \ a "talk"', 'uploads/x', 61.5, '2026-01-02 03:04:05', '2026-01-02 03:04:05')`,
			`INSERT INTO extractions (id, owner, platform, external_id, languages, status, stage, attempt, title, media_key, duration, created_at, updated_at)
				VALUES ('e2', 'acme', 'upload', 'y', '', 'pending', 'queued', 1, '', 'uploads/y', 0, '2026-01-02 03:04:05', '2026-01-02 03:04:05')`,
			`INSERT INTO jobs (id, account, extraction_id, status, stage, sequence, attempt, metadata_status, transcript_id, format, omit_timestamp, send_metadata, created_at, updated_at)
				VALUES ('j1', 'acme', 'e1', 'processing', 'asr_running', 4, 2, 'partial', '', 'json', false, true, '2026-01-02 03:04:05', '2026-01-02 03:04:05')`,
			`INSERT INTO idempotency_keys (account, method, route, key, done, status, job_id, transcript_id, taken_at, beat_at)
				VALUES ('acme', 'POST', '/v1/transcript', 'k', true, 202, 'j1', '', '` + time.Now().UTC().Format(time.DateTime) + `', '2026-01-02 03:04:05')`,
		} {
			old.exec(t, row)
		}

		s = dbtest.Open(t, o)
		e, err := s.Extractions.ByID(t.Context(), "e1")
		require.NoError(t, err)
		at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		require.Equal(t, &db.Extraction{
			ID: "e1", Owner: "acme", Platform: transcript.Upload, ExternalID: "x", Languages: "en", State: asrRunning, Attempt: 2,
			Metadata: transcript.Metadata{Title: `It's \ a "talk"`}, Tried: []db.Tried{},
			MediaKey: "uploads/x", Duration: 61.5, CreatedAt: at, UpdatedAt: at, MovedAt: &at,
		}, e)
		e, err = s.Extractions.ByID(t.Context(), "e2")
		require.NoError(t, err)
		require.Zero(t, e.Metadata)
		j, err := s.Jobs.Owned(t.Context(), "acme", "j1")
		require.NoError(t, err)
		require.True(t, j.Limits.ASR, "an upload is recognized")
		require.False(t, j.Cached)
		require.False(t, j.Stale)
		require.Equal(t, 4, j.Sequence)
		key := db.IdempotencyKey{Account: "acme", Method: "POST", Route: "/v1/transcript", Key: "k"}
		held, err := s.Idempotency.Take(t.Context(), key, nil)
		require.NoError(t, err)
		require.Equal(t, &db.Answer{Kind: db.JobAnswer, ID: "j1"}, held.Answer)

		// And back, should the new version not please.
		goBack(t, old, o, 1)
		var title string
		require.NoError(t, old.QueryRowContext(t.Context(), "SELECT title FROM extractions WHERE id = 'e1'").Scan(&title))
		require.Equal(t, `It's \ a "talk"`, title)
	})
}

// What the version before has stored is brought up to the last migration that
// there is, ours and the queue's, and nothing of it is lost: each table has rows,
// and each column of theirs is there afterwards as it was, or named in moved.
func TestMigrationFromTheVersionBefore(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s, err := db.Open(t.Context(), o)
		require.NoError(t, err)
		inTx(t, s, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Enqueue(ctx, greet{})) })
		require.NoError(t, s.Close())

		old := open(t, o)
		ours, rivers := allMigrations(t, o)
		requireVersions(t, old, ours, rivers)
		goBack(t, old, o, versionBefore)
		queueGoesBack(t, old, o)
		requireVersions(t, old, versionBefore, rivers-1)
		for _, row := range rowsBefore() {
			old.insert(t, o, row.table, row.columns)
		}
		before := old.dump(t, o)
		for table, rows := range before {
			require.NotEmpty(t, rows, "the test has no row for %s", table)
		}

		s = dbtest.Open(t, o)
		requireVersions(t, old, ours, rivers)
		require.NoError(t, s.Ping(t.Context()))
		old = open(t, o) // without the plans of the tables before
		after := old.dump(t, o)
		after["library_rows"] = slices.DeleteFunc(after["library_rows"], func(row columns) bool { return row["kind"] != "transcript" }) // that of work is new
		for table, rows := range before {
			now := cmp.Or(moved[table], table)
			requireSame(t, now, unmoved(table, rows), after[now])
		}
		requireFilled(t, s, old)
		require.Equal(t, 1, old.count(t, "river_job WHERE state = 'available'"))

		// And back, should the new version not please.
		goBack(t, old, o, versionBefore)
		again := open(t, o).dump(t, o)
		for table, rows := range before {
			requireSame(t, table, unmoved(table, rows), again[table])
		}
	})
}

// requireSame compares the columns of want, which may be fewer.
func requireSame(t *testing.T, table string, want, got []columns) {
	t.Helper()
	require.Len(t, got, len(want), table)
	same := make([]columns, len(got))
	for i, row := range got {
		same[i] = columns{}
		for name := range want[0] {
			require.Contains(t, row, name, "a column of %s is gone that is not named in moved", table)
			same[i][name] = row[name]
		}
	}
	require.ElementsMatch(t, want, same, table)
}

// unmoved are the rows without the columns that moved names.
func unmoved(table string, rows []columns) []columns {
	rest := make([]columns, len(rows))
	for i, row := range rows {
		rest[i] = maps.Clone(row)
		maps.DeleteFunc(rest[i], func(name string, _ any) bool {
			_, ok := moved[table+"."+name]
			return ok
		})
	}
	return rest
}

// requireFilled looks at the columns that were not there before.
func requireFilled(t *testing.T, s *db.Store, old database) {
	t.Helper()
	text, err := s.Transcripts.ByID(t.Context(), "t1")
	require.NoError(t, err)
	require.JSONEq(t, segmentsBefore, string(plain(t, text.SegmentsJSON)))
	text, err = s.Transcripts.Timed(t.Context(), "t1")
	require.NoError(t, err)
	require.JSONEq(t, wordsBefore, string(plain(t, text.WordsJSON)))
	text, err = s.Transcripts.Timed(t.Context(), "t2")
	require.NoError(t, err)
	require.Nil(t, text.WordsJSON)
	require.Equal(t, 2, old.count(t, "texts"))
	require.Equal(t, 1, old.count(t, "transcripts WHERE id = 't1' AND word_count = 5"))
	require.Equal(t, 1, old.count(t, "transcripts WHERE id = 't2' AND word_count = 0"))

	require.Equal(t, 2, old.count(t, "transcripts WHERE prompt_sum = ''"))
	require.Equal(t, 1, old.count(t, "accounts WHERE prompt = ''"))
	require.Equal(t, 1, old.count(t, "extractions WHERE prompt = ''"))

	runs, err := s.Jobs.Owned(t.Context(), "acme", "j1")
	require.NoError(t, err)
	period := runs.Limits.Period
	require.WithinDuration(t, time.Now(), period, 32*24*time.Hour)
	require.Equal(t, db.Limits{
		ASR: true, MaxDuration: -1, Period: time.Date(period.Year(), period.Month(), 1, 0, 0, 0, 0, time.UTC),
		Transcripts: -1, ASRMinutes: -1, ASRConcurrency: -1, ASRWaiting: -1,
	}, runs.Limits, "what was accepted without limits has none")
	require.Equal(t, db.Allowance{Transcripts: 1}, runs.Reserved)
	require.True(t, runs.Asked, "there were no batches")
	require.False(t, runs.Batched)
	requireUsage(t, s, "acme", period, db.Usage{Reserved: runs.Reserved})
	ended, err := s.Jobs.Owned(t.Context(), "beta", "j2")
	require.NoError(t, err)
	require.Zero(t, ended.Limits)
	require.Zero(t, ended.Reserved)
	require.Equal(t, 1, old.count(t, "usage"))

	place, err := s.Places.ByExtraction(t.Context(), "e1")
	require.NoError(t, err)
	require.Equal(t, db.Place{ExtractionID: "e1", State: db.Running, JobID: "j1", Account: "acme"}, place)

	for key, answer := range map[string]db.Answer{
		"k1": {Kind: db.JobAnswer, ID: "j1"}, "k2": {Kind: db.OutcomeAnswer, ID: "j2"}, "k3": {Kind: db.TranscriptAnswer, ID: "t1"}, "k4": {},
	} {
		require.Equal(t, 1, old.count(t, fmt.Sprintf("idempotency_keys WHERE key = '%s' AND answer_kind = '%s' AND answer_id = '%s'",
			key, answer.Kind, answer.ID)))
	}
	saved, err := s.Library.All(t.Context(), "acme")
	require.NoError(t, err)
	require.Len(t, saved, 3)
	byID := map[string]db.LibraryRow{}
	for _, row := range saved {
		byID[row.ID] = row
	}
	require.Equal(t, []string{"uber cafes", "strasse", "@c"}, []string{byID["l1"].FoldedTitle, byID["l1"].FoldedChannel, byID["l1"].Creator})
	require.Equal(t, []string{"", "", ""}, []string{byID["l2"].FoldedTitle, byID["l2"].FoldedChannel, byID["l2"].Creator})
	require.Equal(t, 2, old.count(t, "library_rows WHERE kind = 'transcript' AND languages = '' AND job_id IS NULL AND error_code IS NULL"))
	work := byID["j1"]
	require.Equal(t, "j1", work.JobID)
	require.Equal(t, library.KindPending, work.Kind)
	require.Equal(t, []string{"upload", "u2", "en", "en,asr"}, []string{string(work.Platform), work.ExternalID, work.Lang, work.Languages})
	require.Equal(t, transcript.Metadata{Title: "T"}, work.Metadata)
	for q, hits := range map[string]int{`"o'clock, déjà"`: 1, "VU": 1, "uber": 0} {
		found, err := s.Library.Search(t.Context(), db.Search{Account: "acme", Query: search.Parse(q), N: 10})
		require.NoError(t, err)
		require.Len(t, found, hits, q)
	}
	require.Equal(t, 1, old.count(t, "search_blocks WHERE transcript_id = 't2'"), "of a text without words too")
}

// While processes are upgraded one after the other, the old ones go on, and even
// start, though the database is ahead of them. That the newer tables still have the
// columns which they write is for the migrations to see to: CONTRIBUTING.md, a column.
func TestNewerTables(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s := dbtest.Open(t, o)
		open(t, o).exec(t, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (1000, true)`)
		requireThere(t, s)
		requireThere(t, dbtest.Open(t, o))
	})
}

type greet struct{}

func (greet) Kind() string  { return "greet" }
func (greet) Queue() string { return "default" }

// allMigrations are the last versions of our tables and of River's.
func allMigrations(t *testing.T, o db.Options) (ours, rivers int64) {
	t.Helper()
	all, err := db.Migrations(dialect(o), open(t, o).DB)
	require.NoError(t, err)
	for _, m := range all.ListSources() {
		ours = max(ours, m.Version)
	}
	queue, err := rivermigrate.New(riversqlite.New(nil), nil)
	require.NoError(t, err)
	return ours, int64(len(queue.AllVersions()))
}

func requireVersions(t *testing.T, db database, ours, rivers int64) {
	t.Helper()
	var haveOurs, haveRivers int64
	require.NoError(t, db.QueryRowContext(t.Context(), `SELECT (SELECT max(version_id) FROM goose_db_version),
		(SELECT max(version) FROM river_migration WHERE line = 'main')`).Scan(&haveOurs, &haveRivers))
	require.Equal(t, []int64{ours, rivers}, []int64{haveOurs, haveRivers})
}

// queueGoesBack undoes the last of River's migrations.
func queueGoesBack(t *testing.T, db database, o db.Options) {
	t.Helper()
	one := &rivermigrate.MigrateOpts{MaxSteps: 1}
	if dialect(o) == goose.DialectSQLite3 {
		m, err := rivermigrate.New(riversqlite.New(db.DB), nil)
		require.NoError(t, err)
		_, err = m.Migrate(t.Context(), rivermigrate.DirectionDown, one)
		require.NoError(t, err)
		return
	}
	pool, err := pgxpool.New(t.Context(), o.Database)
	require.NoError(t, err)
	defer pool.Close()
	m, err := rivermigrate.New(riverpgxv5.New(pool), nil)
	require.NoError(t, err)
	_, err = m.Migrate(t.Context(), rivermigrate.DirectionDown, one)
	require.NoError(t, err)
}

func dialect(o db.Options) goose.Dialect {
	if strings.HasPrefix(o.Database, "sqlite:") {
		return goose.DialectSQLite3
	}
	return goose.DialectPostgres
}

// goBack undoes our migrations down to a version.
func goBack(t *testing.T, old database, o db.Options, version int64) {
	t.Helper()
	all, err := db.Migrations(dialect(o), old.DB)
	require.NoError(t, err)
	_, err = all.DownTo(t.Context(), version)
	require.NoError(t, err)
}
