package transcribe

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/servertest"
)

// A name is what the system permits: any bytes.
func TestNamesOfAnyBytes(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	dir := t.TempDir()
	for _, name := range []string{"caf\xe9", "\xff\xfe", "a\x1b[31mb", "two\nlines", "to the \u202eleft", `a "b\c`, "-l"} {
		path := filepath.Join(dir, name+".mp3")
		require.NoError(t, os.WriteFile(path, []byte(name), 0o600))
		list := filepath.Join(t.TempDir(), "list.txt")
		require.NoError(t, os.WriteFile(list, []byte(path), 0o600))
		code, _, stderr := transcribe(t.Context(), s, "", "--output", dir, path)
		require.Equal(t, exitOK, code, "%q: %s", name, stderr)
		assert.NotContains(t, stderr, "\x1b")
		text, err := os.ReadFile(filepath.Join(dir, name+".txt"))
		require.NoError(t, err)
		assert.Equal(t, "[00:00:00] hello world\n", string(text))
		if name != "two\nlines" {
			code, stdout, stderr := transcribe(t.Context(), s, "", "--from", list)
			assert.Equal(t, exitOK, code, "%q: %s", name, stderr)
			assert.Equal(t, "[00:00:00] hello world\n", stdout)
		}
	}
}

// The ledger of a folder remembers names of any bytes, so that a later call transcribes no
// recording twice.
func TestLedgerOfNamesOfAnyBytes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	names := []string{"caf\xe9", "caf\xe8", "caf\ufffd", "\xff%e9", "caf%E9", "café"}
	l, unlock, err := openLedger(dir)
	require.NoError(t, err)
	for _, name := range names {
		require.NoError(t, l.put(name+".txt", entry{Recording: name + ".mp3", Done: true}))
	}
	unlock()
	l, unlock, err = openLedger(dir)
	require.NoError(t, err)
	defer unlock()
	for _, name := range names {
		e, known := l.of(name + ".txt")
		assert.True(t, known, "%q", name)
		assert.Equal(t, name+".mp3", e.Recording)
	}
}
