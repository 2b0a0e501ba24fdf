package db_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
)

// TestServeAgainWhileAProgramStarts: until the code of a new program begins, the program has
// copies of all open files, the lock included. Release ends the lock for the copies, too.
func TestServeAgainWhileAProgramStarts(t *testing.T) {
	t.Parallel()
	o := dbtest.SQLite(t)
	s := dbtest.Open(t, o)
	release, err := s.Serve(t.Context())
	require.NoError(t, err)
	copyOf(t, strings.TrimPrefix(o.Database, "sqlite:")+".lock")
	require.NoError(t, release())
	release, err = s.Serve(t.Context())
	require.NoError(t, err)
	require.NoError(t, release())
}

// copyOf copies the descriptor of an open file, as the start of a program does.
func copyOf(t *testing.T, path string) {
	t.Helper()
	const open = "/proc/self/fd"
	all, err := os.ReadDir(open)
	require.NoError(t, err)
	for _, each := range all {
		if name, err := os.Readlink(fmt.Sprint(open, "/", each.Name())); err != nil || name != path {
			continue // closed meanwhile, or another file
		}
		n, err := strconv.Atoi(each.Name())
		require.NoError(t, err)
		n, err = unix.FcntlInt(uintptr(n), unix.F_DUPFD_CLOEXEC, 0)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, unix.Close(n)) })
		return
	}
	require.Fail(t, "the file is not open", path)
}
