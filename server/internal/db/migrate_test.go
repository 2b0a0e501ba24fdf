package db_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
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
				VALUES ('acme', 'POST', '/v1/transcript', 'k', true, 202, 'j1', '', '2026-01-02 03:04:05', '2026-01-02 03:04:05')`,
		} {
			old.exec(t, row)
		}

		s = dbtest.Open(t, o)
		e, err := s.Extraction(t.Context(), "e1")
		require.NoError(t, err)
		at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		require.Equal(t, &db.Extraction{
			ID: "e1", Owner: "acme", Platform: transcript.Upload, ExternalID: "x", Languages: "en", State: asrRunning, Attempt: 2,
			Metadata: transcript.Metadata{Title: `It's \ a "talk"`}, Tried: []db.Tried{},
			MediaKey: "uploads/x", Duration: 61.5, CreatedAt: at, UpdatedAt: at,
		}, e)
		e, err = s.Extraction(t.Context(), "e2")
		require.NoError(t, err)
		require.Zero(t, e.Metadata)
		j, err := s.Job(t.Context(), "acme", "j1")
		require.NoError(t, err)
		require.True(t, j.Limits.ASR, "an upload is recognized")
		require.False(t, j.Cached)
		require.False(t, j.Stale)
		require.Equal(t, 4, j.Sequence)
		key := db.IdempotencyKey{Account: "acme", Method: "POST", Route: "/v1/transcript", Key: "k"}
		held, err := s.TakeKey(t.Context(), key, nil, at.Add(time.Minute))
		require.NoError(t, err)
		require.Equal(t, &db.Answer{Status: 202, JobID: "j1"}, held.Answer)

		// And back, should the new version not please.
		goBack(t, old, o, 1)
		var title string
		require.NoError(t, old.QueryRowContext(t.Context(), "SELECT title FROM extractions WHERE id = 'e1'").Scan(&title))
		require.Equal(t, `It's \ a "talk"`, title)
	})
}

// What the program before this one has left is brought up to the last migration
// that there is, ours and the queue's, with what it has stored.
func TestMigrationFromTheVersionBefore(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s, err := db.Open(t.Context(), o)
		require.NoError(t, err)
		files, rivers := allMigrations(t, o)
		before, ours := files[len(files)-2], files[len(files)-1]
		require.NoError(t, s.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
			if err := tx.PutAccount(ctx, db.Account{ID: "acme"}); err != nil {
				return err
			}
			return tx.Enqueue(ctx, greet{})
		}))
		require.NoError(t, s.Close())

		old := open(t, o)
		requireVersions(t, old, ours, rivers)
		goBack(t, old, o, before)
		queueGoesBack(t, old, o)
		requireVersions(t, old, before, rivers-1)

		s = dbtest.Open(t, o)
		requireVersions(t, old, ours, rivers)
		require.NoError(t, s.Ping(t.Context()))
		_, err = s.Account(t.Context(), "acme")
		require.NoError(t, err)
		var waiting int
		require.NoError(t, old.QueryRowContext(t.Context(), "SELECT count(*) FROM river_job WHERE state = 'available'").Scan(&waiting))
		require.Equal(t, 1, waiting)
	})
}

// While processes are upgraded one after the other, the old ones go on with the
// new one's tables.
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

// allMigrations are the versions of the files, and how many River has.
func allMigrations(t *testing.T, o db.Options) (ours []int64, rivers int64) {
	t.Helper()
	files, err := os.ReadDir("migrations/" + string(dialect(o)))
	require.NoError(t, err)
	for _, f := range files {
		n, err := goose.NumericComponent(f.Name())
		require.NoError(t, err)
		ours = append(ours, n)
	}
	all, err := rivermigrate.New(riversqlite.New(nil), nil)
	require.NoError(t, err)
	return ours, int64(len(all.AllVersions()))
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
func goBack(t *testing.T, db database, o db.Options, version int64) {
	t.Helper()
	d := dialect(o)
	p, err := goose.NewProvider(d, db.DB, os.DirFS("migrations/"+string(d)), goose.WithDisableGlobalRegistry(true))
	require.NoError(t, err)
	_, err = p.DownTo(t.Context(), version)
	require.NoError(t, err)
}
