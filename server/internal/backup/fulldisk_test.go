package backup_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/nstest"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/internal/backup"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// withRoom calls do with more and more room on a disk, until do succeeds. Before that, the disk is
// full at each place in turn. It returns how often do has failed.
func withRoom(t *testing.T, dir string, step int, do func(room int) error) (failures int) {
	t.Helper()
	for room := 0; ; room += step {
		spare := filepath.Join(dir, "spare")
		require.NoError(t, os.WriteFile(spare, make([]byte, room), 0o600))
		free := nstest.Fill(t, dir)
		require.NoError(t, os.Remove(spare))
		err := do(room)
		free()
		if err == nil {
			return failures
		}
		failures++
		require.True(t, isFull(err), "%v", err)
	}
}

// isFull reports whether an error is that of a full disk, in words or by its number.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), "disk that is full: make room on it") ||
		strings.Contains(err.Error(), "database or disk is full") ||
		strings.Contains(err.Error(), "look for faults and free space of the disk") // SQLite's shared memory has no room
}

// Wherever the disk of the target becomes full, the error names the file, nothing of the backup is
// left, and no hold.
func TestBackupToAFullDisk(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"b.tar", "folder"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nstest.Disk(t, 8<<20, func(t *testing.T, dir string) {
				s := filled(t, dbtest.SQLite(t))
				target := filepath.Join(dir, name)
				failures := withRoom(t, dir, 200<<10, func(room int) error {
					_, err := backup.Take(t.Context(), s.Store, target)
					require.Zero(t, storetest.Count(t, store.Options(s.o), "blob_holds"))
					if err != nil {
						require.ErrorContains(t, err, target+".partial", "%d bytes", room)
						requireFiles(t, dir, 1) // what fills the disk
					}
					return err
				})
				assert.Greater(t, failures, 5)
				_, err := backup.Open(t.Context(), target)
				require.NoError(t, err)
			})
		})
	}
}

// If the target shares the disk of the database, the database works again as soon as the backup has
// failed. If the disk has no room for the end of the hold, the error says so, and the hold ends by its
// time.
func TestBackupFillsTheDiskOfTheDatabase(t *testing.T) {
	t.Parallel()
	nstest.Disk(t, 16<<20, func(t *testing.T, dir string) {
		o := dbtest.SQLite(t)
		o.Database = "sqlite:" + filepath.Join(dir, "service.db")
		s := filled(t, o)
		target := filepath.Join(dir, "b.tar")
		unended := 0
		failures := withRoom(t, dir, 300<<10, func(int) error {
			_, err := backup.Take(t.Context(), s.Store, target)
			if err != nil && strings.Contains(err.Error(), "release blobs") {
				unended++
			}
			require.LessOrEqual(t, storetest.Count(t, store.Options(s.o), "blob_holds"), unended)
			require.NoDirExists(t, target+".partial")
			if err != nil {
				require.NoFileExists(t, target)
			}
			return err
		})
		assert.Greater(t, failures, 3)
		assert.Less(t, unended, 2, "one room at most is enough for the hold and not for its end")
		assert.Empty(t, s.faults())
	})
}

// Wherever the disk of a restore becomes full, the place is as empty as before.
func TestRestoreToAFullDisk(t *testing.T) {
	t.Parallel()
	nstest.Disk(t, 16<<20, func(t *testing.T, dir string) {
		o := dbtest.SQLite(t)
		s := filled(t, o)
		archive := filepath.Join(t.TempDir(), "b.tar")
		s.take(archive)
		o.Database, o.Blobs = "sqlite:"+filepath.Join(dir, "restored.db"), filepath.Join(dir, "blobs")
		failures := withRoom(t, dir, 200<<10, func(room int) error {
			_, err := backup.Restore(t.Context(), o, archive)
			if err != nil {
				require.ErrorContains(t, err, dir, "%d bytes", room)
				requireEmpty(t, o)
			}
			return err
		})
		assert.Greater(t, failures, 5)
		assert.Empty(t, open(t, o).faults())
	})
}

// filled is a service with a megabyte of blobs.
func filled(t *testing.T, o db.Options) *service {
	t.Helper()
	s := open(t, o)
	for n := range 4 {
		s.recording(fmt.Sprint(n, strings.Repeat("a recording", 12_000)))
	}
	return s
}

// requireFiles requires that a folder has so many files.
func requireFiles(t *testing.T, dir string, want int) {
	t.Helper()
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, want)
}
