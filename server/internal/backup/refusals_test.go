package backup_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/internal/backup"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// small makes a small service, and a backup of it.
func small(t *testing.T, o db.Options, name string) (s *service, archive string) {
	t.Helper()
	s = open(t, o)
	s.recording("a recording")
	s.upload("one", "two")
	archive = filepath.Join(t.TempDir(), name)
	s.take(archive)
	return s, archive
}

// A tar file with another byte at any place is refused, unless nothing in it depends on the byte:
// then the copy is right.
func TestDamagedByteIsFound(t *testing.T) {
	t.Parallel()
	_, archive := small(t, dbtest.SQLite(t), "b.tar")
	whole, err := os.ReadFile(archive)
	require.NoError(t, err)
	good, err := backup.Open(t.Context(), archive)
	require.NoError(t, err)
	refused, tried := 0, 0
	for at := 0; at < len(whole); at += 1 + len(whole)/400 {
		bad := append([]byte{}, whole...)
		bad[at] ^= 1
		require.NoError(t, os.WriteFile(archive, bad, 0o600))
		b, err := backup.Open(t.Context(), archive)
		tried++
		if err != nil {
			refused++
			continue
		}
		assert.Equal(t, good.About, b.About, "byte %d", at)
	}
	assert.Greater(t, refused, tried*9/10)

	place := emptyPlace(t, dbtest.SQLite(t))
	at := strings.Index(string(whole), "a recording")
	bad := append([]byte{}, whole...)
	bad[at] ^= 1
	require.NoError(t, os.WriteFile(archive, bad, 0o600))
	_, err = backup.Restore(t.Context(), place, archive)
	require.ErrorContains(t, err, "is not as it was made")
	requireEmpty(t, place)
}

// Each place at which a copy of a tar file may break off is noticed.
func TestTruncatedBackupIsRefused(t *testing.T) {
	t.Parallel()
	_, archive := small(t, dbtest.SQLite(t), "b.tar")
	whole, err := os.ReadFile(archive)
	require.NoError(t, err)
	const end = 1024 // of zeros, which end a tar file
	for size := 0; size < len(whole)-end; size += 1 + len(whole)/100 {
		require.NoError(t, os.WriteFile(archive, whole[:size], 0o600))
		_, err := backup.Open(t.Context(), archive)
		require.Error(t, err, "%d of %d bytes", size, len(whole))
	}
}

// A folder lacks a file, has another file, or has a list that leads out of the folder.
func TestDamagedFolderIsRefused(t *testing.T) {
	t.Parallel()
	for what, damage := range map[string]func(t *testing.T, folder string){
		`"database" is missing`:     func(t *testing.T, folder string) { require.NoError(t, os.Remove(filepath.Join(folder, "database"))) },
		"it has no file SHA256SUMS": func(t *testing.T, folder string) { require.NoError(t, os.Remove(filepath.Join(folder, "SHA256SUMS"))) },
		"is not as it was made": func(t *testing.T, folder string) {
			require.NoError(t, os.WriteFile(filepath.Join(folder, "database"), []byte("x"), 0o600))
		},
		"its end is missing": func(t *testing.T, folder string) {
			editSums(t, folder, func(s string) string { return strings.SplitAfter(s, "\n")[0] })
		},
		"it has 3 of 4 blobs": func(t *testing.T, folder string) {
			editSums(t, folder, func(s string) string { _, rest, _ := strings.Cut(s, "\n"); return rest })
		},
		"path escapes from parent": func(t *testing.T, folder string) {
			editSums(t, folder, func(s string) string { return strings.Replace(s, "blobs/", "../../", 1) })
		},
		"is no file of a backup": func(t *testing.T, folder string) {
			require.NoError(t, os.WriteFile(filepath.Join(folder, "other"), nil, 0o600))
			editSums(t, folder, func(s string) string { return strings.Repeat("0", 64) + "  other\n" + s })
		},
	} {
		_, archive := small(t, dbtest.SQLite(t), "folder")
		damage(t, archive)
		_, err := backup.Open(t.Context(), archive)
		assert.ErrorContains(t, err, what)
	}
}

func editSums(t *testing.T, folder string, edit func(string) string) {
	t.Helper()
	path := filepath.Join(folder, "SHA256SUMS")
	sums, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte(edit(string(sums))), 0o600))
}

// A backup of newer tables is refused with a sentence.
func TestNewerBackupIsRefused(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s := open(t, o)
		known, err := db.KnownTables(s.Kind())
		require.NoError(t, err)
		tables, err := s.Tables(t.Context())
		require.NoError(t, err)
		require.Equal(t, known, tables)
		s.sql("INSERT INTO goose_db_version (version_id, is_applied) VALUES (1000, true)")
		newer, place := filepath.Join(t.TempDir(), "newer.tar"), emptyPlace(t, o)
		s.take(newer)
		_, err = backup.Restore(t.Context(), place, newer)
		require.ErrorContains(t, err, "is from a newer version: its tables are 1000 ")
		requireEmpty(t, place)
	})
}

// A backup of the first version gets the tables of this one.
func TestOlderBackupIsBroughtUpToDate(t *testing.T) {
	t.Parallel()
	o := dbtest.SQLite(t)
	_, folder := small(t, o, "folder")
	path := filepath.Join(folder, "database")
	old := storetest.SQL(t, store.Options{Database: "sqlite:" + path})
	all, err := goose.NewProvider(goose.DialectSQLite3, old, os.DirFS("../db/migrations/sqlite3"))
	require.NoError(t, err)
	_, err = all.DownTo(t.Context(), 1)
	require.NoError(t, err)
	_, err = old.ExecContext(t.Context(), "PRAGMA journal_mode = DELETE")
	require.NoError(t, err)
	file, err := os.ReadFile(path)
	require.NoError(t, err)
	editSums(t, folder, func(s string) string {
		return regexp.MustCompile(`(?m)^.*  database$`).ReplaceAllString(s, fmt.Sprintf("%x  database", sha256.Sum256(file)))
	})
	place := emptyPlace(t, o)
	_, err = backup.Restore(t.Context(), place, folder)
	require.NoError(t, err)
	copied := open(t, place)
	assert.Empty(t, copied.faults())
	known, err := db.KnownTables(copied.Kind())
	require.NoError(t, err)
	tables, err := copied.Tables(t.Context())
	require.NoError(t, err)
	assert.Equal(t, known, tables)
}

// Restore fills an empty place of the same kind only.
func TestRestoreRefusesOtherPlaces(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s, archive := small(t, o, "b.tar")
		_, err := backup.Restore(t.Context(), s.o, archive)
		if s.Shared() {
			require.ErrorContains(t, err, "is not empty: it has the table")
		} else {
			require.ErrorContains(t, err, "is there: name a file that is not there with --db")
		}
		place := emptyPlace(t, o)
		place.Blobs = s.o.Blobs
		_, err = backup.Restore(t.Context(), place, archive)
		require.ErrorContains(t, err, "there are blobs in ")
		assert.Empty(t, s.faults(), "nothing has changed")

		other := dbtest.SQLite(t)
		if !s.Shared() {
			other.Database = "postgres://nowhere/x"
		}
		_, err = backup.Restore(t.Context(), other, archive)
		require.ErrorContains(t, err, "is of a database of the kind "+s.Kind())
	})
}

// A second backup to the same target is refused while the first is made, and so is one after a
// backup that was killed. A backup that fails leaves nothing.
func TestOneBackupForATarget(t *testing.T) {
	t.Parallel()
	s := open(t, dbtest.SQLite(t))
	s.recording("a recording")
	dir := t.TempDir()
	target := filepath.Join(dir, "b.tar")
	require.NoError(t, os.Mkdir(target+".partial", 0o700))
	_, err := backup.Take(t.Context(), s.Store, target)
	require.ErrorContains(t, err, "b.tar.partial is there: another backup is writing it")
	require.NoError(t, os.Remove(target+".partial"))

	stopped, stop := context.WithCancelCause(t.Context())
	stop(errors.New("the operator has stopped it"))
	_, err = backup.Take(stopped, s.Store, target)
	require.Error(t, err)
	_, err = backup.Take(t.Context(), s.Store, filepath.Join(dir, "nowhere", "b.tar"))
	require.ErrorIs(t, err, os.ErrNotExist)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left)
	require.Zero(t, storetest.Count(t, store.Options(s.o), "blob_holds"))
	s.take(target)
}

// A backup of tables that this program would have to change first is refused, and changes nothing.
func TestNoBackupChangesTables(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		s := open(t, o)
		s.text(transcript.VideoSite, "v1", "hello")
		known, err := db.KnownTables(s.Kind())
		require.NoError(t, err)
		s.sql("DELETE FROM goose_db_version WHERE version_id = ?", known.Ours)
		o.MustExist, o.Unchanged = true, true
		_, err = db.Open(t.Context(), o)
		require.ErrorContains(t, err, `are of an older version: use the program of that version, or update the tables first with "transcriptd migrate"`)
		require.Zero(t, storetest.Count(t, store.Options(o), fmt.Sprint("goose_db_version WHERE version_id = ", known.Ours)))
	})
}

// requireEmpty requires that nothing is left of a restore that has failed.
func requireEmpty(t *testing.T, place db.Options) {
	t.Helper()
	bucket, err := db.OpenEmpty(t.Context(), place)
	require.NoError(t, err)
	require.NoError(t, bucket.Close())
	if path, isFile := strings.CutPrefix(place.Database, "sqlite:"); isFile {
		left, err := filepath.Glob(path + "*")
		require.NoError(t, err)
		require.Subset(t, []string{path + ".lock"}, left)
	}
}
