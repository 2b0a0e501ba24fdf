package db_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
)

// versionBefore is the last version that was in use before the present one, with
// whose tables rowsBefore fit. Whoever adds the first migration after a release
// raises it to that of the release.
const versionBefore = 7

// moved names the tables and columns of versionBefore that stand elsewhere now,
// or that are gone: what has become of them is what requireFilled looks at.
var moved = map[string]string{
	"library":              "library_rows",
	"transcripts.segments": "texts.segments",
	"transcripts.words":    "texts.words",
	"jobs.asr":             "jobs.limits",

	"idempotency_keys.status":        "idempotency_keys.answer_kind",
	"idempotency_keys.job_id":        "idempotency_keys.answer_id",
	"idempotency_keys.transcript_id": "idempotency_keys.answer_id",
}

// columns are those of a row, by name.
type columns map[string]any

const (
	segmentsBefore = `[{"text":"It's 5 o'clock,","start":0,"duration":1.5},{"text":"déjà vu!","start":1.5,"duration":2}]`
	wordsBefore    = `[[{"text":"It's","start":0,"duration":0.5}],null]`
)

// rowsBefore are rows for each table of versionBefore, in an order that keeps
// what refers to others after them.
func rowsBefore() []struct {
	table   string
	columns columns
} {
	const at, later = "2026-01-02 03:04:05", "2026-02-03 04:05:06"
	return []struct {
		table   string
		columns columns
	}{
		{"accounts", columns{"id": "acme", "plan": "pro", "suspended": true, "created_at": at, "updated_at": later}},
		{"keys", columns{
			"id": "k1", "account": "acme", "prefix": "tr_12345678", "hash": []byte{0, 1, 255}, "name": "ci", "scopes": `["transcripts"]`,
			"created_at": at, "expires_at": later, "revoked_at": nil, "last_used_at": later,
		}},
		{"transcripts", columns{
			"id": "t1", "owner": "", "platform": "video_site", "external_id": "v1", "lang": "en", "source": "asr", "status": "ready",
			"source_url": "https://video.example/watch?v=v1", "title": "Über Cafés", "channel": "Straße", "creator_name": "C", "creator_handle": "@c",
			"creator_url": "https://video.example/@c", "thumbnail_url": "https://video.example/v1.jpg", "duration_sec": 4, "duration": 3.5,
			"published_at": at, "metadata": `{"engine":"e"}`, "segments": zipped(segmentsBefore), "words": zipped(wordsBefore),
			"created_at": at, "updated_at": later,
		}},
		{"transcripts", columns{
			"id": "t2", "owner": "acme", "platform": "upload", "external_id": "u1", "lang": "de", "source": "asr", "status": "ready",
			"duration": 0, "segments": zipped(`[]`), "created_at": at, "updated_at": at,
		}},
		{"contents", columns{"platform": "video_site", "external_id": "v1", "metadata": `{"title":"Über Cafés"}`, "tracks": `[]`, "asked_at": at}},
		{"library", columns{
			"id": "l1", "account": "acme", "platform": "video_site", "external_id": "v1", "lang": "en", "transcript_id": "t1",
			"starred": true, "created_at": at, "updated_at": later,
		}},
		{"library", columns{
			"id": "l2", "account": "acme", "platform": "upload", "external_id": "u1", "lang": "de", "transcript_id": "t2",
			"starred": false, "created_at": later, "updated_at": later,
		}},
		{"extractions", columns{
			"id": "e1", "owner": "acme", "platform": "upload", "external_id": "u2", "languages": "en,asr", "status": "processing", "stage": "asr_running",
			"attempt": 2, "media_key": "uploads/u2", "duration": 61.5, "source_url": "", "metadata": `{"title":"T"}`, "waiting_since": later,
			"tried": `[{"source":"s","code":"IP_BLOCKED","reason":"r"}]`, "created_at": at, "updated_at": later,
		}},
		{"jobs", columns{
			"id": "j1", "account": "acme", "extraction_id": "e1", "status": "processing", "stage": "asr_running", "sequence": 4, "attempt": 2,
			"progress": `{"fraction":0.5,"processedSec":30,"totalSec":61.5}`, "metadata_status": "partial", "transcript_id": "",
			"format": "text", "omit_timestamp": true, "send_metadata": true, "asr": true, "cached": false, "stale": false, "created_at": at, "updated_at": later,
		}},
		{"jobs", columns{
			"id": "j2", "account": "beta", "extraction_id": "e1", "status": "failed", "stage": "duration_check", "sequence": 3, "attempt": 1,
			"metadata_status": "unavailable", "error": `{"code":"VIDEO_TOO_LONG","message":"m"}`, "transcript_id": "", "format": "json",
			"omit_timestamp": false, "send_metadata": false, "asr": false, "cached": true, "stale": true, "created_at": at, "updated_at": at, "ended_at": later,
		}},
		{"job_events", columns{
			"job_id": "j1", "sequence": 4, "status": "processing", "stage": "asr_running", "attempt": 2, "metadata_status": "partial", "at": later,
		}},
		{"chunks", columns{
			"extraction_id": "e1", "n": 0, "start": 0, "duration": 30.5, "silent": false, "done": true, "media_key": "audio/e1/0",
			"result": zipped(`{}`), "media_sha256": []byte{1, 2, 3}, "recognizer": `{"engine":"e","languageDetected":false}`,
		}},
		{"idempotency_keys", keyBefore("k1", 202, "j1", "")},
		{"idempotency_keys", keyBefore("k2", 200, "j2", "t1")},
		{"idempotency_keys", keyBefore("k3", 200, "", "t1")},
		{"idempotency_keys", keyBefore("k4", 0, "", "")},
		{"processes", columns{"id": "p1", "beat_at": at, "beats": 7}},
	}
}

func keyBefore(key string, status int, job, transcript string) columns {
	return columns{
		"account": "acme", "method": "POST", "route": "/v1/transcript", "key": key, "fingerprint": []byte{9}, "done": status != 0,
		"status": status, "job_id": job, "transcript_id": transcript,
		"taken_at": "2026-01-02 03:04:05", "beat_at": "2026-01-02 03:04:05", "token": "t",
	}
}

// zipped is gzip as versionBefore has made it.
func zipped(s string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(s)) // a buffer takes everything
	_ = w.Close()
	return b.Bytes()
}

func (d database) insert(t *testing.T, o db.Options, table string, row columns) {
	t.Helper()
	names := slices.Sorted(maps.Keys(row))
	args, marks := make([]any, len(names)), make([]string, len(names))
	for i, name := range names {
		args[i], marks[i] = row[name], "?"
		if dialect(o) == goose.DialectPostgres {
			marks[i] = fmt.Sprintf("$%d", i+1)
		}
	}
	statement := fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", table, strings.Join(names, ", "), strings.Join(marks, ", "))
	_, err := d.ExecContext(t.Context(), statement, args...)
	require.NoError(t, err, table)
}

// dump reads all tables but those of the queue and of the migrations.
func (d database) dump(t *testing.T, o db.Options) map[string][]columns {
	t.Helper()
	list := "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
	if dialect(o) == goose.DialectPostgres {
		list = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
	}
	tables := map[string][]columns{}
	for _, row := range d.query(t, list) {
		for _, name := range row {
			if table := fmt.Sprint(name); !strings.HasPrefix(table, "river_") && table != "goose_db_version" {
				tables[table] = d.query(t, "SELECT * FROM "+table)
			}
		}
	}
	return tables
}

func (d database) query(t *testing.T, statement string) (all []columns) {
	t.Helper()
	rows, err := d.QueryContext(t.Context(), statement)
	require.NoError(t, err)
	defer func() { require.NoError(t, rows.Close()) }()
	names, err := rows.Columns()
	require.NoError(t, err)
	for rows.Next() {
		values, into := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		require.NoError(t, rows.Scan(into...))
		row := columns{}
		for i, name := range names {
			row[name] = values[i]
		}
		all = append(all, row)
	}
	require.NoError(t, rows.Err())
	return all
}
