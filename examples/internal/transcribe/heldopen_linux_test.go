package transcribe

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/transcriptkit/transcriptkit/server/servertest"
)

// A recorder that makes pauses has its file open: the file waits until the recorder closes it.
func TestWatchOfARecorderThatPauses(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	counted := countSubmissions(t, s)
	dir := t.TempDir()
	recorder, err := os.Create(filepath.Join(dir, "talk.mp3"))
	require.NoError(t, err)
	defer recorder.Close() //nolint:errcheck // closed below, if the test goes well
	_, err = recorder.WriteString("some sound")
	require.NoError(t, err)
	if closed, err := os.Open(drop(t, t.TempDir(), "closed", "")); assert.NoError(t, err) {
		_, err = unix.FcntlInt(closed.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
		require.NoError(t, closed.Close())
		if err != nil {
			t.Skipf("this file system has no leases: %v", err)
		}
	}
	w := watch(t, counted.URL, s.Key, dir)
	w.await(t, "Watching ")
	<-time.After(3 * quickPace.steady)
	assert.Zero(t, counted.number())
	require.NoError(t, recorder.Close())
	w.await(t, "Wrote ")
	assert.Equal(t, 1, counted.number())
	assert.Equal(t, exitOK, w.stop())
}
