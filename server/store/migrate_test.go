package store_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/server/store/storetest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// What an earlier version has left in the middle of its work comes through.
func TestMigrationKeepsRows(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, o store.Options) {
		s, err := store.Open(t.Context(), o)
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

		s = storetest.Open(t, o)
		e, err := s.RunningExtraction(t.Context(), "acme", transcript.Upload, "x", "en")
		require.NoError(t, err)
		at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		require.Equal(t, &store.Extraction{
			ID: "e1", Owner: "acme", Platform: transcript.Upload, ExternalID: "x", Languages: "en", State: asrRunning, Attempt: 2,
			Metadata: transcript.Metadata{Title: `It's \ a "talk"`}, Tried: []store.Tried{},
			MediaKey: "uploads/x", Duration: 61.5, CreatedAt: at, UpdatedAt: at,
		}, e)
		e, err = s.Extraction(t.Context(), "e2")
		require.NoError(t, err)
		require.Zero(t, e.Metadata)
		j, err := s.Job(t.Context(), "acme", "j1")
		require.NoError(t, err)
		require.True(t, j.ASR, "an upload is recognised")
		require.False(t, j.Cached)
		require.False(t, j.Stale)
		require.Equal(t, 4, j.Sequence)
		key := store.IdempotencyKey{Account: "acme", Method: "POST", Route: "/v1/transcript", Key: "k"}
		held, err := s.TakeKey(t.Context(), key, nil, at.Add(time.Minute))
		require.NoError(t, err)
		require.Equal(t, &store.Answer{Status: 202, JobID: "j1"}, held.Answer)

		// And back, should the new version not please.
		goBack(t, old, o, 1)
		var title string
		require.NoError(t, old.QueryRowContext(t.Context(), "SELECT title FROM extractions WHERE id = 'e1'").Scan(&title))
		require.Equal(t, `It's \ a "talk"`, title)
	})
}

// goBack undoes our migrations down to a version.
func goBack(t *testing.T, db database, o store.Options, version int64) {
	t.Helper()
	dialect := goose.DialectPostgres
	if strings.HasPrefix(o.Database, "sqlite:") {
		dialect = goose.DialectSQLite3
	}
	p, err := goose.NewProvider(dialect, db.DB, os.DirFS("migrations/"+string(dialect)), goose.WithDisableGlobalRegistry(true))
	require.NoError(t, err)
	_, err = p.DownTo(t.Context(), version)
	require.NoError(t, err)
}
