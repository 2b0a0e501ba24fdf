package main

import (
	"crypto/rand"
	"crypto/sha256"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest" // databases, and what is in them
	"github.com/transcriptkit/transcriptkit/server/store"
)

// heavyPlace fills a service, so that a backup of it takes a moment for each of its parts.
func heavyPlace(t *testing.T, o store.Options) (flags []string) {
	t.Helper()
	const size = 8 << 20
	db := storetest.SQL(t, o)
	do := func(statement string, args ...any) {
		_, err := db.ExecContext(t.Context(), statement, args...)
		require.NoError(t, err)
	}
	random := make([]byte, size)
	_, _ = rand.Read(random) // it never fails
	if storetest.IsPostgres(o) {
		do("CREATE TABLE ballast (bytes bytea)")
		do("INSERT INTO ballast VALUES ($1)", random)
	} else {
		do("CREATE TABLE ballast (bytes blob)")
		do("INSERT INTO ballast VALUES ($1)", random)
	}
	require.NoError(t, os.MkdirAll(filepath.Join(o.Blobs, "uploads"), 0o700))
	for n := range 2 {
		random[0] = byte(n)
		sum := sha256.Sum256(random)
		id := fmt.Sprintf("%x", sum[:16])
		require.NoError(t, os.WriteFile(filepath.Join(o.Blobs, "uploads", id), random, 0o600))
		do(`INSERT INTO recordings (account, external_id, media_key, content_type, title, bytes, until, created_at)
			VALUES ('acme', $1, $2, '', '', $3, '2100-01-01', '2026-01-01')`, id, "uploads/"+id, size)
	}
	return []string{"--db", o.Database, "--blobs", o.Blobs}
}

// killAt starts a process, and kills it as soon as it has come to a place. It returns false if the
// process has ended before.
func killAt(t *testing.T, cmd *exec.Cmd, there func() bool) bool {
	t.Helper()
	require.NoError(t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // the state tells
	}()
	for !there() {
		select {
		case <-ended:
			return false
		case <-time.After(time.Millisecond):
		}
	}
	require.NoError(t, cmd.Process.Kill())
	<-ended
	return !cmd.ProcessState.Exited()
}

// exists reports whether a file is there.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// A backup that is killed at any place leaves nothing under its name, and a folder of which the next
// backup says what to do. No hold of it lasts for longer than 30 seconds, the service goes on, and the
// next backup is whole.
func TestKilledBackup(t *testing.T) {
	full(t)
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		flags := heavyPlace(t, o)
		p := start(t, nil, flags...)
		target := filepath.Join(t.TempDir(), "backup")
		backup := append([]string{"backup", "--to", target}, flags...)
		const last = ".partial/backup/SHA256SUMS" // just before the backup gets its name
		for _, at := range []string{".partial", ".partial/database", ".partial/backup/blobs/uploads", ".partial/backup/database", last} {
			killed := false
			for try := 0; try < 10 && !killed; try++ { // a busy machine may look too late
				killed = killAt(t, program(t, nil, backup...), func() bool { return exists(target + at) })
				if exists(target) { // then it was whole before it got its name
					must(t, "restore", "--check", "--from", target)
					require.NoError(t, os.RemoveAll(target))
					killed = killed && at == last
				}
				if !killed {
					require.NoError(t, os.RemoveAll(target+".partial"))
				}
			}
			require.True(t, killed || at == last, "%s is there for too short a time", at)
			requireShortHolds(t, o)
			if exists(target + ".partial") {
				a := call(t, backup...)
				require.Equal(t, exitFailure, a.code)
				require.Contains(t, a.stderr, "backup.partial is there: another backup is writing it; if none is, one was killed: remove the folder")
				require.NoError(t, os.RemoveAll(target+".partial"))
			}
		}
		require.Equal(t, http.StatusOK, get(t, "http://"+p.addr+"/readyz"))
		must(t, backup...)
		place := emptyPlace(t, o)
		must(t, append([]string{"restore", "--from", target}, place...)...)
		must(t, append([]string{"verify"}, place...)...)
		require.NoError(t, p.Process.Signal(os.Interrupt))
		code, log := p.end(t)
		assert.Equal(t, exitOK, code, log)
	})
}

var soakFlag = flag.Bool("soak", false, "also run the tests that take minutes (make soak)")

// TestSoakKilledBackup kills backups at moments that are spread over the time of a whole one.
func TestSoakKilledBackup(t *testing.T) {
	if !*soakFlag {
		t.Skip("needs -soak: kills a hundred backups")
	}
	storetest.Each(t, func(t *testing.T, o store.Options) {
		flags := heavyPlace(t, o)
		target := filepath.Join(t.TempDir(), "b.tar")
		backup := append([]string{"backup", "--to", target}, flags...)
		began := time.Now()
		code, _, stderr := finish(program(t, nil, backup...))
		require.Equal(t, exitOK, code, stderr)
		took := time.Since(began)
		require.NoError(t, os.Remove(target))
		const rounds = 50
		killed, whole := 0, 0
		for n := range rounds {
			until := time.Now().Add(took * time.Duration(n+1) / rounds)
			if killAt(t, program(t, nil, backup...), func() bool { return time.Now().After(until) }) {
				killed++
			}
			if exists(target) {
				whole++
				must(t, "restore", "--check", "--from", target)
				require.NoError(t, os.Remove(target))
			}
			require.NoError(t, os.RemoveAll(target+".partial"))
			requireShortHolds(t, o)
		}
		t.Logf("%d of %d backups were killed, %d were whole; a whole one takes %v", killed, rounds, whole, took)
		assert.Greater(t, killed, rounds/2)
		must(t, backup...)
		place := emptyPlace(t, o)
		must(t, append([]string{"restore", "--from", target}, place...)...)
		must(t, append([]string{"verify"}, place...)...)
	})
}

// requireShortHolds requires that all holds of blobs end within 30 seconds.
func requireShortHolds(t *testing.T, o store.Options) {
	t.Helper()
	bound := time.Now().Add(31 * time.Second).UTC()
	rows, err := storetest.SQL(t, o).QueryContext(t.Context(), "SELECT until FROM blob_holds")
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var until any
		require.NoError(t, rows.Scan(&until))
		at, isTime := until.(time.Time)
		require.True(t, isTime, "%T %v", until, until)
		assert.True(t, at.Before(bound), "%v", at)
	}
	require.NoError(t, rows.Err())
}

// emptyPlace are the flags of an empty place on a database of the same kind.
func emptyPlace(t *testing.T, o store.Options) []string {
	t.Helper()
	database := newDatabase(t)
	if storetest.IsPostgres(o) {
		database = storetest.EmptyPostgres(t)
	}
	return []string{"--db", database, "--blobs", filepath.Join(t.TempDir(), "blobs")}
}

// The pg_dump of a backup that is killed ends with it, although PostgreSQL lets it wait.
func TestKilledBackupLeavesNoProgram(t *testing.T) {
	t.Parallel()
	o := storetest.Postgres(t)
	require.NoError(t, os.MkdirAll(o.Blobs, 0o700))
	db := storetest.SQL(t, o)
	tx, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	_, err = tx.ExecContext(t.Context(), "LOCK TABLE usage IN ACCESS EXCLUSIVE MODE")
	require.NoError(t, err)
	target := filepath.Join(t.TempDir(), "b.tar")
	waits := func() bool {
		return storetest.Count(t, o, "pg_stat_activity WHERE application_name = 'pg_dump' AND wait_event_type = 'Lock' AND datname = current_database()") > 0
	}
	require.True(t, killAt(t, program(t, nil, "backup", "--to", target, "--db", o.Database, "--blobs", o.Blobs), waits))
	require.Eventually(t, func() bool { return !runsWith(t, target) }, time.Minute, 5*time.Millisecond)
	require.NoError(t, tx.Rollback())
	assert.NoFileExists(t, target)
}

// runsWith reports whether a process has a word among its arguments.
func runsWith(t *testing.T, word string) bool {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	for _, path := range all {
		if args, err := os.ReadFile(path); err == nil && strings.Contains(string(args), word) {
			return true
		}
	}
	return false
}

// A restore that is killed leaves blobs, and no database. The next restore names the cure.
func TestKilledRestore(t *testing.T) {
	full(t)
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		flags := heavyPlace(t, o)
		target := filepath.Join(t.TempDir(), "b.tar")
		must(t, append([]string{"backup", "--to", target}, flags...)...)
		for what, reached := range map[string]func(database, blobs string) bool{
			"blobs":    func(_, blobs string) bool { return hasFiles(filepath.Join(blobs, "uploads")) },
			"database": func(database, _ string) bool { return isLoading(t, database) },
		} {
			place := killRestore(t, o, target, reached)
			restore := append([]string{"restore", "--from", target}, place...)
			a := call(t, restore...)
			require.Equal(t, exitFailure, a.code, what)
			require.Contains(t, a.stderr, "name an empty place with --blobs, or remove them if a restore that was killed has left them")
			require.NoError(t, os.RemoveAll(place[3]))
			must(t, restore...)
			must(t, append([]string{"verify"}, place...)...)
		}
	})
}

func hasFiles(folder string) bool {
	files, err := os.ReadDir(folder)
	return err == nil && len(files) > 0
}

// killRestore kills a restore that has come to a place, and returns the flags of where it restores to.
func killRestore(t *testing.T, o store.Options, from string, reached func(database, blobs string) bool) []string {
	t.Helper()
	for range 10 { // a busy machine may look too late
		place := emptyPlace(t, o)
		cmd := program(t, nil, append([]string{"restore", "--from", from}, place...)...)
		if killAt(t, cmd, func() bool { return reached(place[1], place[3]) }) && !isLoaded(t, place[1]) {
			return place
		}
	}
	require.FailNow(t, "each restore has ended before it was killed")
	return nil
}

// isLoading reports whether a restore is loading a database.
func isLoading(t *testing.T, database string) bool {
	t.Helper()
	if path, isFile := strings.CutPrefix(database, "sqlite:"); isFile {
		return exists(path + ".partial")
	}
	return storetest.Count(t, store.Options{Database: database}, "pg_stat_activity WHERE application_name = 'pg_restore' AND datname = current_database()") > 0
}

// isLoaded reports whether a restore has loaded a database.
func isLoaded(t *testing.T, database string) bool {
	t.Helper()
	if path, isFile := strings.CutPrefix(database, "sqlite:"); isFile {
		return exists(path)
	}
	return storetest.Count(t, store.Options{Database: database}, "pg_tables WHERE schemaname = 'public'") > 0
}
