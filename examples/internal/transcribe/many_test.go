package transcribe

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/servertest"
)

// transcribe runs the program against the real service.
func transcribe(ctx context.Context, s *servertest.Server, stdin string, args ...string) (code int, stdout, stderr string) {
	var out, diagnostics bytes.Buffer
	env := func(string) string { return s.Key }
	code = process{name: "transcribe", getenv: env, stdin: strings.NewReader(stdin), stdout: &out, stderr: &diagnostics, pace: quickPace}.main(ctx, append([]string{"--server", s.URL}, args...))
	return code, out.String(), diagnostics.String()
}

const first, second, third = "https://youtu.be/dQw4w9WgXcQ", "https://youtu.be/9bZkp7q19f0", "jNQXAC9IVRw"

func TestManyLinks(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	from := filepath.Join(t.TempDir(), "links.txt")
	require.NoError(t, os.WriteFile(from, []byte("\uFEFF# talks\n"+second+"\r\n\n"), 0o600))
	code, stdout, stderr := transcribe(t.Context(), s, third+"\n", "--from", from, "--from", "-", first)
	require.Equal(t, exitOK, code, stderr)
	assert.Equal(t, 3, strings.Count(stdout, "hello world"), stdout)

	out := filepath.Join(t.TempDir(), "talks.csv")
	code, stdout, stderr = transcribe(t.Context(), s, "", "--format", "csv", "--output", out, first)
	require.Equal(t, exitOK, code, stderr)
	assert.Empty(t, stdout)
	table, err := os.ReadFile(out)
	require.NoError(t, err)
	assert.Contains(t, string(table), "dQw4w9WgXcQ")
}

func TestLinksAndFilesIntoAFolder(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	dir := t.TempDir()
	for _, name := range []string{"one.mp3", "two.mp3"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600))
	}
	one, two := filepath.Join(dir, "one.mp3"), filepath.Join(dir, "two.mp3")
	out := filepath.Join(dir, "texts") + "/"
	code, stdout, stderr := transcribe(t.Context(), s, "", "--format", "srt", "--output", out, first, second, one, two)
	require.Equal(t, exitOK, code, stderr)
	assert.Empty(t, stdout)
	written, err := os.ReadDir(out)
	require.NoError(t, err)
	require.Len(t, written, 3, stderr)
	text, err := os.ReadFile(filepath.Join(out, "one.srt"))
	require.NoError(t, err)
	assert.Contains(t, string(text), "-->")

	code, _, stderr = transcribe(t.Context(), s, "", one, two)
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, stderr, "need a folder")
}

// One item that fails costs the others nothing, and is named with its reason.
func TestOneOfManyFails(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	code, stdout, stderr := transcribe(t.Context(), s, "", first, "https://nowhere.example/talk", second)
	assert.Equal(t, exitFailure, code)
	assert.Equal(t, 2, strings.Count(stdout, "hello world"), stdout)
	assert.Contains(t, stderr, "transcribe: https://nowhere.example/talk: UNSUPPORTED_PLATFORM: ")
}

func TestWrongOrders(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	file := filepath.Join(t.TempDir(), "one.mp3")
	require.NoError(t, os.WriteFile(file, []byte("one"), 0o600))
	for want, args := range map[string][]string{
		"nothing to do":          {},
		"is for links":           {"--format", "zip", file},
		"no such file":           {"--from", file + ".txt"},
		"it is no link":          {first, file + ".txt"},
		"--output: ":             {"--output", filepath.Join(file, "text.txt"), first},
		"need a folder":          {first, "--playlist", "PLFgquLnL59alCl_2TQvOiD5Vgm1hCaGSI"},
		"must be one of":         {"--format", "pdf", first},
		"is read once":           {"-", "--from", "-"},
		"--format md: md is for": {"--format", "md", first, second},
	} {
		code, _, stderr := transcribe(t.Context(), s, "", args...)
		assert.Equal(t, exitUsage, code, want)
		assert.Contains(t, stderr, want)
	}
}

func TestManyInterrupted(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	release := s.Engine.HoldCaptions()
	defer release()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	go func() {
		defer interrupt()
		assert.Eventually(t, func() bool { // the program knows the batch, and watches it
			w := httptest.NewRecorder()
			s.Metrics().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
			return strings.Contains(w.Body.String(), `transcriptkit_http_requests_total{method="GET",route="/v1/batch/{batchId}",status="200"}`)
		}, time.Minute, 10*time.Millisecond)
	}()
	code, stdout, stderr := transcribe(ctx, s, "", first, second)
	assert.Equal(t, exitInterrupted, code)
	assert.Empty(t, stdout)
	assert.Regexp(t, `2 links: interrupted; the batch \S+ was cancelled\n`, stderr)
}

func TestKindOf(t *testing.T) {
	t.Parallel()
	for argument, want := range map[string]kind{
		first: isLink, third: isLink, "https://elsewhere.example/talk": isLink,
		"https://www.youtube.com/watch?v=dQw4w9WgXcQ&list=PLFgquLnL59alCl_2TQvOiD5Vgm1hCaGSI": isLink,
		"https://www.youtube.com/playlist?list=PLFgquLnL59alCl_2TQvOiD5Vgm1hCaGSI":            isPlaylist,
		"PLFgquLnL59alCl_2TQvOiD5Vgm1hCaGSI":                                                  isPlaylist,
		"https://www.youtube.com/@somebody":                                                   isChannel,
		"@somebody":                                                                           isChannel, "talk.mp3": isFile, "main.go": isFile,
		"https://video.example/watch?v=1": isLink, "ftp://video.example/1": isLink, "-Qw4w9WgXcQ": isLink, "youtu.be/dQw4w9WgXcQ": isLink,
		"dQw4w9WgXc": isFile, "dQw4w9WgXcQ1": isFile, "abcdefg.mp3": isFile, "no/such/dir": isFile, "-": isStdin,
	} {
		assert.Equal(t, want, kindOf(argument), argument)
	}
}
