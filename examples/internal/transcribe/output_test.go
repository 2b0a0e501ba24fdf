package transcribe

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An existing file is replaced by a whole one, with the rights that it has, or not at all.
func TestOutputIsWholeOrNotThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out, link := filepath.Join(dir, "talk.txt"), filepath.Join(dir, "latest.txt")
	require.NoError(t, os.WriteFile(out, []byte("what was there"), 0o600))
	require.NoError(t, os.Symlink("talk.txt", link))
	content := func() string {
		text, err := os.ReadFile(out)
		require.NoError(t, err)
		return string(text)
	}
	got := call(t.Context(), t, &service{status: "failed"}, "--output", out, recording(t))
	assert.Equal(t, exitFailure, got.code)
	assert.Equal(t, "what was there", content())

	got = call(t.Context(), t, &service{}, "-o", link, "-q", recording(t))
	assert.Equal(t, outcome{exitOK, "", ""}, got)
	assert.Equal(t, spoken, content())
	st, err := os.Lstat(link)
	require.NoError(t, err)
	assert.NotZero(t, st.Mode()&os.ModeSymlink, "still a link")
	st, err = os.Stat(out)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), st.Mode().Perm())
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, left, 2, "no half file")

	assert.Equal(t, exitOK, call(t.Context(), t, &service{}, "-o", os.DevNull, recording(t)).code)
	st, err = os.Stat(os.DevNull)
	require.NoError(t, err)
	assert.False(t, st.Mode().IsRegular(), "a device is written to, not replaced")
	assert.Equal(t, spoken, call(t.Context(), t, &service{}, "-o", "-", recording(t)).stdout)
}

// A text that cannot be written is told before anything is sent.
func TestOutputIsCheckedFirst(t *testing.T) {
	t.Parallel()
	dir, file := t.TempDir(), recording(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "talk.txt"), 0o700))
	for path, says := range map[string]string{
		filepath.Join(dir, "none", "talk.txt"): "none: make it first",
		filepath.Join(dir, "file", "talk.txt"): "a part of the path is no folder: name another path",
		filepath.Join(dir, "file") + "/":       "name another path",
		dir:                                    "talk.txt is a folder, where a file is to be written",
		"/proc/talk.txt":                       "no file can be made in /proc: name another folder", // where nobody may write
	} {
		s := &service{}
		got := call(t.Context(), t, s, "--output", path, file)
		assert.Equal(t, exitUsage, got.code, path)
		assert.Contains(t, got.stderr, "transcribe: --output: ", path)
		assert.Contains(t, got.stderr, says, path)
		assert.Empty(t, s.calls, path)
	}
	s := &service{}
	long := filepath.Join(t.TempDir(), strings.Repeat("t", 251)+".mp3")
	require.NoError(t, os.WriteFile(long, []byte("the media"), 0o600))
	got := call(t.Context(), t, s, "--format", "json", "--output", t.TempDir(), long)
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.stderr, "the name is too long")
	assert.Empty(t, s.calls)
}

// The name for a long link is no longer than a system takes.
func TestOutputOfALongLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	got := call(t.Context(), t, &service{}, "--output", dir, "https://talks.example/"+strings.Repeat("t", 300)+"/end")
	require.Equal(t, exitOK, got.code, got.stderr)
	written, err := filepath.Glob(filepath.Join(dir, "*tt-end.txt"))
	require.NoError(t, err)
	assert.Len(t, written, 1)
}
