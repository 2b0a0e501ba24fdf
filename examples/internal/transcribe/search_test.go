package transcribe

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/servertest"
)

// A search finds words of saved texts, with their places.
func TestSearch(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	s.Engine.Say(`four score & "seven" <years> ago`)
	code, _, stderr := transcribe(t.Context(), s, "", recording(t))
	require.Equal(t, exitOK, code, stderr)

	code, stdout, stderr := transcribe(t.Context(), s, "", "search", "score", "ago")
	assert.Equal(t, exitOK, code, stderr)
	assert.Regexp(t, `^talk · en · upload [0-9a-f]+\n     0:00  four score & "seven" <years> ago\n$`, stdout)

	code, stdout, stderr = transcribe(t.Context(), s, "", "--format", "json", "search", "sco*")
	require.Equal(t, exitOK, code, stderr)
	var found []library.Match
	require.NoError(t, json.Unmarshal([]byte(stdout), &found))
	require.Len(t, found, 1)
	assert.Equal(t, "talk", *found[0].Title)
	assert.Equal(t, 1, found[0].HitCount)

	out := filepath.Join(t.TempDir(), "found.json")
	code, _, stderr = transcribe(t.Context(), s, "", "search", "score", "-o", out)
	require.Equal(t, exitOK, code, stderr)
	written, err := os.ReadFile(out)
	require.NoError(t, err)
	assert.Equal(t, stdout, string(written))

	code, stdout, stderr = transcribe(t.Context(), s, "", "search", "moon")
	assert.Equal(t, exitFailure, code)
	assert.Empty(t, stdout)
	assert.True(t, strings.HasSuffix(stderr, "transcribe: no saved text says moon\n"), stderr)

	code, stdout, stderr = transcribe(t.Context(), s, "", "--language", "de", "search", "score")
	assert.Equal(t, exitFailure, code, stderr)
	assert.Empty(t, stdout)
}

// A search shows as many texts as --max-items says, and says that there are more.
func TestSearchOfMany(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	dir := t.TempDir()
	for _, name := range []string{"one.mp3", "two.mp3", "three.mp3"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600))
		code, _, stderr := transcribe(t.Context(), s, "", filepath.Join(dir, name))
		require.Equal(t, exitOK, code, stderr)
	}
	code, stdout, stderr := transcribe(t.Context(), s, "", "search", "hello", "--max-items", "2")
	assert.Equal(t, exitOK, code)
	assert.Equal(t, 2, strings.Count(stdout, "hello world"))
	assert.Contains(t, stderr, "More than 2 texts say this: --max-items shows up to 500.\n")
	code, stdout, stderr = transcribe(t.Context(), s, "", "search", "hello", "--max-items", "3")
	assert.Equal(t, exitOK, code)
	assert.Equal(t, 3, strings.Count(stdout, "hello world"))
	assert.NotContains(t, stderr, "More than")
}

func TestWrongSearches(t *testing.T) {
	t.Parallel()
	s := &service{}
	for want, args := range map[string][]string{
		"search: name the words":         {"search"},
		"name the words, as in":          {"search", " "},
		"--watch and --name are not for": {"search", "score", "--watch", t.TempDir()},
		"and --name are not for":         {"search", "score", "--name", "*.mp3"},
		"unexpected argument score: flags stand before or after all arguments": {"search", "-l", "de", "score"},
		"--format srt: a search gives txt or json":                             {"search", "score", "--format", "srt"},
		"--language: a search takes one language":                              {"search", "score", "-l", "en,de"},
		"search: --job, --from, --playlist, --channel":                         {"search", "score", "--job", jobID},
	} {
		got := call(t.Context(), t, s, args...)
		assert.Equal(t, exitUsage, got.code, want)
		assert.Contains(t, got.stderr, want)
	}
	assert.Empty(t, s.calls)
}
