package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/transcriptkit/transcriptkit/examples/internal/programtest"
	"github.com/transcriptkit/transcriptkit/internal/test/nstest" // a small file system
)

// The same on disks that are full, or permit reading only.
func TestOddUsesOfDisks(t *testing.T) {
	t.Parallel()
	const size = 8 << 20
	nstest.Disk(t, size, func(t *testing.T, dir string) {
		o := &oddTable{t: t, dir: dir}
		mirror := newModelMirror(t)
		elsewhere := newDatabase(t)
		must(t, "migrate", "--db", elsewhere)
		require.NoError(t, os.Mkdir(o.path("recordings"), 0o700))
		archive := filepath.Join(t.TempDir(), "b.tar")
		must(t, "backup", "--to", archive, "--db", elsewhere, "--blobs", o.path("recordings"))
		o.database("there.db")
		free := nstest.Fill(t, dir)
		o.odd("a new database on a disk that is full", 1, "make room", "migrate --db sqlite:DIR/new.db")
		o.process("a model for a disk that is full", 1, "free space", mirror.env, "models pull small --yes --models DIR/models --mirror "+mirror.URL)
		o.odd("a backup to a disk that is full", 1, "make room", "backup --to DIR/b.tar --db "+elsewhere+" --blobs DIR/recordings")
		o.odd("a backup of a database on a disk that is full", 1, "free space", "backup --to "+archive+"2 --db sqlite:DIR/there.db --blobs DIR/recordings")
		o.odd("a restore to a disk that is full", 1, "make room", "restore --from "+archive+" --db sqlite:DIR/restored.db --blobs DIR/recordings")
		free()
		require.NoError(t, unix.Mount("", dir, "tmpfs", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
		o.odd("a new database in a folder that is read-only", 1, "name another database", "migrate --db sqlite:DIR/new.db")
		o.odd("a database in a folder that is read-only", 1, "name another database", "accounts set acme --db sqlite:DIR/there.db")
		o.odd("blobs in a folder that is read-only", 2, "name another path", "serve --listen 127.0.0.1:0 --db sqlite:DIR/there.db --blobs DIR/blobs")
		o.process("a model for a folder that is read-only", 1, "name another path", mirror.env, "models pull small --yes --models DIR/models --mirror "+mirror.URL)
		programtest.CheckOdd(t, filepath.Join("testdata", "odd-disks.golden"), *update, o.uses, dir, "DIR", elsewhere, "ELSEWHERE", archive, "ARCHIVE", mirror.URL, "MIRROR", os.TempDir(), "TMP")
	})
}
