//go:build linux

package disktest_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/disktest"
)

func TestFill(t *testing.T) {
	t.Parallel()
	disktest.Run(t, 1<<20, func(t *testing.T, dir string) {
		path := filepath.Join(dir, "file")
		require.ErrorIs(t, os.WriteFile(path, make([]byte, 2<<20), 0o600), syscall.ENOSPC)
		require.NoError(t, os.Remove(path))
		free := disktest.Fill(t, dir)
		require.ErrorIs(t, os.WriteFile(path, []byte("x"), 0o600), syscall.ENOSPC)
		free()
		require.NoError(t, os.WriteFile(path, make([]byte, 512<<10), 0o600))
	})
}
