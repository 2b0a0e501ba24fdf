package db_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
)

// fillTables fills all tables of the first migration. Those that grow with accounts have 100,000
// rows, of which "acme" has 10,000, or fewer rows if the rows go when work ends. No table has more
// rows than most. Row n of a table belongs to row n of the other tables.
func fillTables(t *testing.T, raw database, o db.Options, most int) {
	t.Helper()
	words := map[string]string{
		"@rows(": "generate_series(0, -1 + ", "@at": "(timestamptz '2026-01-01' + n * interval '1 second')",
		"@blob": "CAST('' AS bytea)", "@text": fmt.Sprintf(`CAST('\x%x' AS bytea)`, packed.Pack([]byte("[]")).Gzip()), "@args": "jsonb_build_object('extraction', @id)", "@by": "ARRAY['gone']",
	}
	if dialect(o) == goose.DialectSQLite3 {
		words = map[string]string{
			"@rows(": "(WITH RECURSIVE s (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s LIMIT ", "@at": "(datetime('2026-01-01', n || ' seconds') || '+00:00')",
			"@blob": "x''", "@text": fmt.Sprintf("x'%x'", packed.Pack([]byte("[]")).Gzip()), "@args": "jsonb(json_object('extraction', @id))", "@by": "jsonb('[\"gone\"]')",
		}
	}
	statements := fill
	if slices.Contains(raw.tables(t, o), "webhook_rates") { // the tables may be those of the first migration
		statements = fillRates + fill + fillNewer
	}
	if dialect(o) == goose.DialectSQLite3 {
		statements = "BEGIN;" + statements + "; COMMIT"
	} else {
		statements = "SET session_replication_role = replica;" + statements + fillPostgres // without a look at each foreign key
	}
	statements = regexp.MustCompile(`@rows\((\d+)\)`).ReplaceAllStringFunc(statements, func(all string) string {
		n, err := strconv.Atoi(strings.Trim(all, "@rows()"))
		require.NoError(t, err)
		return fmt.Sprintf("@rows(%d)", min(n, most))
	})
	for word, means := range words {
		statements = strings.ReplaceAll(statements, word, means)
	}
	if dialect(o) == goose.DialectSQLite3 {
		statements = regexp.MustCompile(`LIMIT (\d+)\)`).ReplaceAllString(statements, "LIMIT ($1 + 9) / 10) SELECT n FROM s)")
	} else {
		statements = regexp.MustCompile(`(generate_series\(0, -1 \+ \d+\))`).ReplaceAllString(statements, "$1 AS n")
	}
	for _, word := range [][2]string{
		{"@id", "(CAST(10000000 + n AS text) || '-0000-7000-8000-000000000000')"},
		{"@batch", "(CAST(10000000 + n / 10 AS text) || '-0000-7000-8000-000000000000')"},
		{"@account", "CASE WHEN n % 10 = 0 THEN 'acme' ELSE 'a' || (n % 1000) END"},
		{"@owner", "CASE WHEN n % 20 = 0 THEN 'acme' ELSE '' END"},
		{"@platform", "CASE WHEN n % 20 = 0 THEN 'upload' ELSE 'video_site' END"},
		{"@work", "CASE WHEN n < 1000 THEN 'processing' ELSE 'success' END"},
		{"@lang", "CASE WHEN n % 7 = 0 THEN 'de' ELSE 'en' END"},
	} {
		statements = strings.ReplaceAll(statements, word[0], word[1])
	}
	conn, err := raw.Conn(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close()) }()
	for statement := range strings.SplitSeq(statements, ";") {
		_, err := conn.ExecContext(t.Context(), statement)
		require.NoError(t, err, statement)
	}
}

// rowID is the id of row n.
func rowID(n int) string { return fmt.Sprintf("%d-0000-7000-8000-000000000000", 10_000_000+n) }

const fillRates = `INSERT INTO webhook_rates (account, host, before_at, last_at, line_at) SELECT 'a' || (n % 1000), 'h' || n, @at, @at, @at FROM @rows(20000);
`

const fillNewer = `;
INSERT INTO labels (account, platform, external_id, title, folded_title, tags)
	SELECT @account, @platform, 'v' || n, CASE WHEN n % 2 = 0 THEN 'Talk' ELSE '' END, 'talk ' || n, '["a"]' FROM @rows(50000);
INSERT INTO library_sizes (account, bytes) SELECT 'b' || n, n FROM @rows(10000);
INSERT INTO follow_looks (source_id, account, host, slow, due_at) SELECT @id, 'a' || (n % 1000), 'a.example', n % 2 = 0, CASE WHEN n < 100 THEN @at END FROM @rows(20000);
INSERT INTO follow_lines (account, slow) SELECT 'a' || n, false FROM @rows(10000)`

const fill = `
INSERT INTO accounts (id, plan, suspended, created_at, updated_at) SELECT CASE WHEN n = 0 THEN 'acme' ELSE 'a' || n END, 'free', false, @at, @at FROM @rows(1000);
INSERT INTO keys (id, account, prefix, hash, name, scopes, created_at) SELECT @id, 'a' || (1 + n % 999), 'tr_' || n, @blob, '', '[]', @at FROM @rows(20000);
INSERT INTO transcripts (id, owner, platform, external_id, lang, source, status, title, duration, created_at, updated_at)
	SELECT @id, @owner, @platform, 'v' || n, @lang, 'asr', 'ready', 'Talk', 0, @at, @at FROM @rows(100000);
INSERT INTO texts (transcript_id, segments) SELECT @id, @text FROM @rows(100000);
INSERT INTO search_blocks (transcript_id, first_word, words, places) SELECT @id, '', @blob, @blob FROM @rows(100000);
INSERT INTO extractions (id, owner, platform, external_id, languages, status, stage, attempt, media_key, duration, created_at, updated_at)
	SELECT @id, @owner, @platform, 'v' || n, 'en', @work, 'asr_running', 1, '', 0, @at, @at FROM @rows(100000);
INSERT INTO jobs (id, account, extraction_id, status, stage, sequence, attempt, metadata_status, transcript_id, format, omit_timestamp, send_metadata,
		created_at, updated_at, ended_at)
	SELECT @id, @account, @id, @work, 'asr_running', 2, 1, 'complete', CASE WHEN n < 1000 THEN '' ELSE @id END, 'json', false, false,
		@at, @at, CASE WHEN n < 1000 THEN NULL ELSE @at END FROM @rows(100000);
INSERT INTO job_events (job_id, sequence, status, stage, attempt, metadata_status, at) SELECT @id, 1, 'pending', 'queued', 1, 'complete', @at FROM @rows(100000);
INSERT INTO chunks (extraction_id, n, start, duration, silent, done, media_key) SELECT @batch, n % 10, 0, 30, false, n % 2 = 0, 'audio/' || n FROM @rows(10000);
INSERT INTO asr_places (extraction_id, state, job_id, account) SELECT @id, 'running', @id, @account FROM @rows(300);
INSERT INTO speakers (extraction_id, name, spoken) SELECT @id, 'A', 1 FROM @rows(1000);
INSERT INTO idempotency_keys (account, method, route, key, done, taken_at, beat_at, answer_kind, answer_id)
	SELECT @account, 'POST', '/v1/transcripts', 'k' || n, true, @at, @at, 'transcript', @id FROM @rows(100000);
INSERT INTO idempotency_keys (account, method, route, key, done, taken_at, beat_at, answer_kind, answer_id)
	SELECT 'acme', 'POST', '/v1/transcripts', 'dead', false, CURRENT_TIMESTAMP, @at, 'transcript', @id FROM @rows(1);
INSERT INTO uploads (id, account, received, sum, turn, complete, wishes, name, answer_kind, created_at, seen_at)
	SELECT @id, @account, 1, @blob, 1, false, '', '', CASE WHEN n < 1000 THEN '' ELSE 'job' END, @at, CURRENT_TIMESTAMP FROM @rows(50000);
INSERT INTO contents (platform, external_id, metadata, tracks, asked_at) SELECT @platform, 'v' || n, '{}', '[]', @at FROM @rows(100000);
INSERT INTO lookups (id, platform, external_id, languages, source_url, asked_at, ended_at) SELECT @id, 'video_site', 'v' || n, 'en', '', @at, CASE WHEN n < 100 THEN NULL ELSE @at END FROM @rows(10000);
INSERT INTO library_rows (id, account, kind, platform, external_id, lang, languages, job_id, transcript_id, error_code,
		folded_title, folded_channel, creator, starred, created_at, updated_at, volume)
	SELECT @id, account, kind, platform, CASE kind WHEN 'batch' THEN @batch ELSE 'v' || n END, lang, CASE kind WHEN 'transcript' THEN '' ELSE 'en' END,
		CASE kind WHEN 'pending' THEN @id WHEN 'failed' THEN @id END, CASE kind WHEN 'transcript' THEN @id END, CASE kind WHEN 'failed' THEN 'UNAVAILABLE' END,
		'talk ' || n, 'channel ' || (n / 10 % 50), '@c' || (n / 10 % 50), n / 10 % 10 = 4, @at, @at,
		CASE WHEN kind = 'transcript' AND n / 10 % 100 <> 3 THEN 1 + n % 1000 END
	FROM (SELECT n, @account AS account, @platform AS platform, @lang AS lang,
		CASE WHEN n < 1000 THEN 'pending' WHEN n / 10 % 10 = 1 THEN 'failed' WHEN n / 10 % 100 = 2 THEN 'batch' ELSE 'transcript' END AS kind
		FROM @rows(100000)) AS r;
INSERT INTO revisions (row_id, number, kind, source, lines, changed, segments, made_at)
	SELECT @id, 1, 'edit', 'asr', 1, 1, @text, @at FROM @rows(50000);
INSERT INTO recordings (account, external_id, media_key, content_type, title, bytes, copy_key, until, created_at)
	SELECT @account, 'v' || n, 'uploads/' || n, 'audio/mpeg', '', 1, CASE WHEN n % 2 = 0 THEN 'playing/' || n ELSE '' END, CASE WHEN n < 100 THEN @at ELSE '2100-01-01 00:00:00+00' END, @at
	FROM @rows(50000);
INSERT INTO shares (id, account, row_id, hash, created_at, expires_at)
	SELECT @id, CASE WHEN n < 9000 THEN @account ELSE 'a' || (n % 1000) END, @id, 'h' || n, @at, CASE WHEN n < 100 THEN @at ELSE '2100-01-01 00:00:00+00' END FROM @rows(50000);
INSERT INTO text_feeds (account, id, hash, created_at) SELECT 'a' || n, @id, 'h' || n, @at FROM @rows(10000);
INSERT INTO follow_accounts (account, plan, follows) SELECT 'a' || n, '{}', 1 FROM @rows(10000);
INSERT INTO follow_sources (id, kind, platform, list_id, url, feed_url, last_entry, next_look_at, looking_until, looked_at, created_at)
	SELECT @id, 'feed', '', '', 'https://a.example/' || n, 'https://a.example/' || n, 10, '2100-01-01 00:00:00+00', NULL, @at, @at FROM @rows(20000);
INSERT INTO follow_entries (source_id, position, guid, platform, external_id, url, title, below, found_at)
	SELECT @batch, n % 10 + 1, 'g' || n, 'video_site', 'v' || n, '', '', false, @at FROM @rows(100000);
INSERT INTO follows (id, account, source_id, languages, max_items, begun, position, next_take_at, created_at, updated_at)
	SELECT @id, @account, @id, 'en', 0, true, 10, NULL, @at, @at FROM @rows(20000);
INSERT INTO follow_items (follow_id, position, status, job_id) SELECT @batch, n % 10 + 1, 'submitted', @id FROM @rows(100000);
INSERT INTO webhook_endpoints (id, account, url, events, description, status, disabled_reason, signing_key, failures, slow, step, step_at, created_at, updated_at)
	SELECT @id, 'a' || n, 'https://a.example/', '[]', '', 'active', '', @blob, 0, false, 1, CASE WHEN n < 10 THEN @at END, @at, @at FROM @rows(10000);
INSERT INTO webhook_deliveries (id, endpoint_id, type, body, status, attempts, next_at, ended_at, created_at)
	SELECT @id, @batch, 'test', '{}', CASE WHEN n < 1000 THEN 'pending' ELSE 'delivered' END, 1, CASE WHEN n < 1000 THEN @at END, CASE WHEN n >= 1000 THEN @at END, @at FROM @rows(100000);
INSERT INTO usage (account, period) SELECT 'a' || n, '2026-01-01' FROM @rows(10000);
INSERT INTO batches (id, account, mode, languages, max_items, item_limit, limits, cache_ttl, status, listed, feeding, created_at, updated_at)
	SELECT @id, @account, 'batch', 'en', 0, 100, '{}', 0, CASE WHEN n < 100 THEN 'processing' ELSE 'completed' END, true, false, @at, @at FROM @rows(10000);
INSERT INTO batch_items (id, batch_id, position, platform, external_id, status, job_id, transcript_id, updated_at)
	SELECT @id, @batch, n % 10 + 1, 'video_site', 'v' || n, CASE WHEN n < 1000 THEN 'pending' ELSE 'success' END, @id,
		CASE WHEN n < 1000 THEN '' ELSE @id END, @at FROM @rows(100000);
INSERT INTO search_volumes (account, state, level, texts, size, written_at) SELECT @account, 'searched', 1, 100, 0, @at FROM @rows(1000);
INSERT INTO search_volume_texts (volume, entries) SELECT n + 1, @blob FROM @rows(1000);
INSERT INTO search_volume_blocks (volume, first_word, words, places) SELECT 1 + n / 100, 'w' || (n % 100), @blob, @blob FROM @rows(20000);
INSERT INTO fair_shares (queue, priority, turn, finish) SELECT 'default', 1, 'a' || n, n FROM @rows(10000);
INSERT INTO processes (id, beat_at) SELECT 'p' || n, @at FROM @rows(3);
INSERT INTO hooks (name, set_at) SELECT 'hook' || n, @at FROM @rows(2);
INSERT INTO measures (name, value, measured_at) SELECT 'm' || n, 1, @at FROM @rows(2);
INSERT INTO river_job (args, kind, max_attempts, priority, queue, scheduled_at) SELECT @args, 'step', 9, 1 + n % 2, 'default', '1970-01-02 00:00:00+00' FROM @rows(10000);
INSERT INTO river_job (args, kind, max_attempts, priority, queue, scheduled_at) SELECT @args, 'step', 9, 1, 'default', @at FROM @rows(50);
INSERT INTO river_job (args, kind, max_attempts, priority, queue, state, attempt, attempted_at, attempted_by, scheduled_at)
	SELECT @args, 'step', 9, 1, 'default', 'running', 1, @at, @by, CASE WHEN n % 2 = 0 THEN '1970-01-02 00:00:00+00' ELSE @at END FROM @rows(100);
INSERT INTO river_job (args, kind, max_attempts, priority, queue, state, finalized_at) SELECT @args, 'step', 9, 1, 'default', 'completed', @at FROM @rows(20000)`

const fillPostgres = `;
INSERT INTO rate_windows (account, class, seconds, began, requests) SELECT 'a' || n, 'main', 60, 0, 1 FROM @rows(10000);
ANALYZE`
