package server_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// exported writes the export of an account, and returns its files by name.
func (s *service) exported(t *testing.T, name string, o server.ExportOptions) (map[string]string, server.Exported) {
	t.Helper()
	var b bytes.Buffer
	n, err := s.ExportAccount(t.Context(), name, &b, o)
	require.NoError(t, err)
	archive, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	require.NoError(t, err)
	files := map[string]string{}
	for _, f := range archive.File {
		r, err := f.Open()
		require.NoError(t, err)
		content, err := io.ReadAll(r)
		require.NoError(t, err)
		require.NoError(t, r.Close())
		files[f.Name] = string(content)
	}
	return files, n
}

// rows are the lines of a file of the export.
func rows(t *testing.T, file string) (all []map[string]any) {
	t.Helper()
	for line := range strings.Lines(file) {
		var row map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &row), line)
		all = append(all, row)
	}
	return all
}

// notExported are the tables that name accounts and have nothing for the export of an account.
var notExported = map[string]string{
	"asr_places":      "the place of running work in the queue",
	"fair_shares":     "the turn of the account in a queue",
	"library_sizes":   "how many bytes the exported texts take",
	"follow_accounts": "a copy of the plan, and a count of follows",
	"follow_lines":    "whether looks of the account wait",
	"follow_looks":    "which followed address waits for a look in the turn of the account",
	"rate_windows":    "how many requests the account has made in the last minute",
	"removals":        "that the account is being removed",
	"webhook_rates":   "when hosts got the last events of the account",
	"search_volumes":  "an index of the words of the exported texts",
}

// TestExportHasEverything exports an account that has something in every table. A new table with a
// column for accounts fails the test until it is in the export, or has a reason not to be.
func TestExportHasEverything(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s, key, release := furnished(t, o)
		defer release()
		s.putRecording(t, servertest.Account, wav("of another account"))
		files, n := s.exported(t, leaver, server.ExportOptions{})
		for _, table := range storetest.Dump(t, o).Owned() {
			if _, there := files["rows/"+table+".jsonl"]; !there {
				assert.NotEmpty(t, notExported[table], "the export leaves %s out", table)
			}
		}
		for table := range notExported {
			assert.NotContains(t, files, "rows/"+table+".jsonl")
		}

		var lines int64
		whole := ""
		for name, content := range files {
			whole += content
			if strings.HasPrefix(name, "rows/") {
				lines += int64(len(rows(t, content)))
			}
		}
		assert.Equal(t, n.Rows, lines)
		assert.Contains(t, files["README.txt"], leaver)
		assert.Contains(t, files["rows/revisions.jsonl"], "Everybody says this.", "the text before the correction")
		for _, secret := range []string{key, key[11:], "of another account", "acme"} {
			assert.NotContains(t, whole, secret)
		}
		for _, hidden := range []string{"hash", "signing_key", "media_key", "fingerprint"} {
			assert.NotContains(t, whole, `"`+hidden+`"`)
		}

		texts := 0
		for _, row := range rows(t, files["rows/library_rows.jsonl"]) {
			if row["kind"] != "transcript" {
				continue
			}
			texts++
			id, _ := row["transcript_id"].(string)
			var text map[string]any
			require.NoError(t, json.Unmarshal([]byte(files["texts/"+id+".json"]), &text))
			assert.Equal(t, row["external_id"], text["externalId"])
			assert.NotEmpty(t, files["texts/"+id+".txt"])
		}
		assert.Positive(t, texts)
		assert.Contains(t, whole, "Only I say this.")

		var names []string
		for name := range files {
			if path.Dir(name) == "recordings" {
				names = append(names, name)
			}
		}
		recording := wav("a kept recording")
		assert.Equal(t, []string{"recordings/" + uploadOf(recording) + ".wav"}, names)
		assert.Equal(t, recording, files[names[0]])
		assert.EqualValues(t, 1, n.Recordings)

		bare, n := s.exported(t, leaver, server.ExportOptions{WithoutRecordings: true})
		assert.NotContains(t, bare, names[0])
		assert.Zero(t, n.Recordings)
		_, err := s.ExportAccount(t.Context(), "nobody", io.Discard, server.ExportOptions{})
		assert.ErrorIs(t, err, account.ErrNotFound)
	})
}

// A table with more rows than are in memory at once is exported whole, in order.
func TestExportOfManyRows(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := startIn(t, o, t.TempDir())
		s.NewKey(t, leaver)
		insert := `INSERT INTO job_events (job_id, sequence, status, stage, attempt, metadata_status, at)
			SELECT id, n, 'success', 'done', 1, 'none', created_at FROM jobs, numbers`
		numbers := `WITH RECURSIVE numbers(n) AS (SELECT 1000 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1999) `
		s.upload(t, "a recording", as(s.NewKey(t, leaver)))
		_, err := storetest.SQL(t, o).ExecContext(t.Context(), numbers+insert)
		require.NoError(t, err)
		files, _ := s.exported(t, leaver, server.ExportOptions{})
		var sequences []float64
		for _, row := range rows(t, files["rows/job_events.jsonl"]) {
			sequences = append(sequences, row["sequence"].(float64))
		}
		assert.Greater(t, len(sequences), 1000)
		assert.True(t, slices.IsSorted(sequences))
		assert.Len(t, slices.Compact(slices.Clone(sequences)), len(sequences))
	})
}

// A recording whose blob has gone is counted, and the rest is there.
func TestExportWithoutABlob(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.NewKey(t, leaver)
	s.putRecording(t, leaver, wav("lost"))
	keys, err := db.Of(s.Store).Blobs.Keys(t.Context(), "uploads/")
	require.NoError(t, err)
	for _, key := range keys {
		require.NoError(t, db.Of(s.Store).Blobs.Delete(t.Context(), key))
	}
	files, n := s.exported(t, leaver, server.ExportOptions{})
	assert.EqualValues(t, 1, n.Missing)
	assert.Zero(t, n.Recordings)
	assert.Len(t, rows(t, files["rows/recordings.jsonl"]), 1)
}
