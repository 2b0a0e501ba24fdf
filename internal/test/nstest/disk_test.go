//go:build linux

package nstest_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/nstest"
)

func TestFill(t *testing.T) {
	t.Parallel()
	nstest.Disk(t, 1<<20, func(t *testing.T, dir string) {
		path := filepath.Join(dir, "file")
		require.ErrorIs(t, os.WriteFile(path, make([]byte, 2<<20), 0o600), syscall.ENOSPC)
		require.NoError(t, os.Remove(path))
		free := nstest.Fill(t, dir)
		require.ErrorIs(t, os.WriteFile(path, []byte("x"), 0o600), syscall.ENOSPC)
		free()
		require.NoError(t, os.WriteFile(path, make([]byte, 512<<10), 0o600))
	})
}
