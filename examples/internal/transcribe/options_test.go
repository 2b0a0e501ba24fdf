package transcribe

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/servertest"
)

// A message begins with the option that is wrong, and not with another option.
func TestMessagesNameTheOption(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	file, dir := recording(t), t.TempDir()
	list, badKey := filepath.Join(dir, "list.txt"), filepath.Join(dir, "key")
	require.NoError(t, os.WriteFile(list, []byte("no/such/talk.mp3\n"), 0o600))
	require.NoError(t, os.WriteFile(badKey, []byte("two words"), 0o600))
	for _, tc := range []struct {
		args []string
		env  map[string]string
		code int
		says string
	}{
		{[]string{"--server", "nowhere", file}, nil, exitUsage, "--server: "},
		{[]string{file}, map[string]string{"TRANSCRIBE_SERVER": "nowhere"}, exitUsage, "TRANSCRIBE_SERVER: "},
		{[]string{file}, map[string]string{"TRANSCRIBE_KEY": "two words"}, exitUsage, "TRANSCRIBE_KEY: "},
		{[]string{"--key-file", badKey, file}, nil, exitUsage, "--key-file " + badKey + ": "},
		{[]string{"--key-file", badKey + "s", file}, nil, exitUsage, "--key-file: "},
		{[]string{"--language", "en,de_DE", file}, nil, exitUsage, `--language: entry 2 ("de_DE") is neither`},
		{[]string{"--max-items", "501", "@somebody"}, nil, exitUsage, "--max-items: must be from 1 to 500"},
		{[]string{"--max-items", "many", "@somebody"}, nil, exitUsage, "--max-items: "},
		{[]string{"--from", list}, nil, exitUsage, "--from " + list + ": no/such/talk.mp3: there is no such file"},
		{[]string{"--output", filepath.Join(dir, "no", "talk.txt"), file}, nil, exitUsage, "--output: "},
		{[]string{"--output", filepath.Join(dir, "talk.zip"), file}, nil, exitUsage, "--output " + filepath.Join(dir, "talk.zip") + ": zip is for links"},
		{[]string{"--format", "csv", file}, nil, exitUsage, "--format csv: csv is for links"},
		{[]string{"--playlist", "no list"}, nil, exitFailure, "--playlist no list: "},
		{[]string{"--channel", "no channel"}, nil, exitFailure, "--channel no channel: "},
		{[]string{"--job", jobID}, nil, exitFailure, "--job " + jobID + ": this account has neither a job nor a batch with this id: "},
		{[]string{"--job", "talk.mp3"}, nil, exitFailure, "--job talk.mp3: "},
	} {
		env := func(name string) string {
			if value := tc.env[name]; value != "" {
				return value
			}
			return map[string]string{"TRANSCRIBE_SERVER": s.URL, "TRANSCRIBE_KEY": s.Key}[name]
		}
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), tc.args, env, &stdout, &stderr)
		assert.Equal(t, tc.code, code, tc.args)
		assert.Empty(t, stdout.String(), tc.args)
		last := stderr.String()[strings.LastIndex("\n"+stderr.String(), "\ntranscribe: "):]
		assert.True(t, strings.HasPrefix(last, "transcribe: "+tc.says), "%s: %s", tc.args, stderr.String())
	}
}

// A folder is no recording: the message says what to type instead.
func TestFolderIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := &service{}
	got := call(t.Context(), t, s, dir)
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.stderr, dir+` is a folder: name its recordings, as in "transcribe -o texts/ `+dir+`/*", or let "transcribe --watch `+dir+`" transcribe`)
	assert.Empty(t, s.calls)
}

// The name of the output file chooses the format, unless --format does.
func TestFormatByTheNameOfTheOutput(t *testing.T) {
	t.Parallel()
	file := recording(t)
	for name, want := range map[string]string{
		"talk.srt": "1\n00:00:00,500 -->", "talk.VTT": "WEBVTT", "talk.json": "{", "talk.md": "# ", "talk.docx": "PK", "talk.html": "<!doctype html>", "talk.txt": "[00:00:00]", "talk.text": "[00:00:00]", "talk": "[00:00:00]",
	} {
		out := filepath.Join(t.TempDir(), name)
		got := call(t.Context(), t, &service{}, "-o", out, file)
		require.Equal(t, exitOK, got.code, got.stderr)
		text, err := os.ReadFile(out)
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(string(text), want), "%s: %s", name, text)
	}
	out := filepath.Join(t.TempDir(), "talk.srt")
	require.Equal(t, exitOK, call(t.Context(), t, &service{}, "-f", "vtt", "-o", out, file).code)
	text, err := os.ReadFile(out)
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(text), "WEBVTT"), "%s", text)

	dir := filepath.Join(t.TempDir(), "all.srt")
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.Equal(t, exitOK, call(t.Context(), t, &service{}, "-o", dir, file).code)
	assert.FileExists(t, filepath.Join(dir, "talk.txt"), "the name of a folder chooses nothing")
}

// A service takes 500 links in a batch: more links are several batches.
func TestMoreLinksThanABatchTakes(t *testing.T) {
	t.Parallel()
	var list strings.Builder
	for i := range 1001 {
		fmt.Fprintf(&list, "https://talks.example/%d\n", i)
	}
	for _, tc := range []struct {
		flags []string
		sizes []int
	}{{nil, []int{1, 500, 500}}, {[]string{"--max-items", "400"}, []int{500}}} {
		var mu sync.Mutex
		var sizes []int
		seen := map[string]bool{}
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/v1/usage" {
				answer(w, http.StatusOK, object{"account": object{"id": "1", "plan": "small"}, "limits": object{"batchExport": true}})
				return
			}
			var asked struct{ URLs []string }
			assert.NoError(t, json.NewDecoder(r.Body).Decode(&asked))
			mu.Lock()
			defer mu.Unlock()
			sizes = append(sizes, len(asked.URLs))
			for _, link := range asked.URLs {
				seen[link] = true
			}
			answer(w, http.StatusPaymentRequired, object{"error": object{"code": "BATCH_LIMIT_EXCEEDED", "message": "No."}})
		}))
		t.Cleanup(srv.Close)
		var stderr strings.Builder
		args := append([]string{"--server", srv.URL, "--from", "-", "-o", t.TempDir()}, tc.flags...)
		p := process{name: "transcribe", getenv: func(string) string { return key }, stdin: strings.NewReader(list.String()), stdout: io.Discard, stderr: &stderr, pace: quickPace}
		code := p.main(t.Context(), args)
		assert.Equal(t, exitFailure, code)
		assert.ElementsMatch(t, tc.sizes, sizes)
		if tc.flags == nil {
			assert.Len(t, seen, 1001, "each link once")
			assert.Contains(t, stderr.String(), "links 501 to 1000: ")
		}
	}
}
