//go:build unix

package ytdlp_test

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp"
)

// A pipe instead of a file of cookies is refused: to open a pipe that no program writes would
// last forever.
func TestCookiesInAPipe(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "cookies.txt")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	answered := make(chan error, 1)
	go func() {
		_, err := ytdlp.ReadCookies(ytdlp.Cookies{File: path, Hosts: videoHosts})
		answered <- err
	}()
	select {
	case err := <-answered:
		require.ErrorContains(t, err, "is not a file")
	case <-time.After(time.Minute):
		require.Fail(t, "the pipe is opened")
	}
}
