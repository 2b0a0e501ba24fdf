//go:build unix

package sqldb_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// still is the progress of a program that does nothing.
func still() int64 { return 0 }

// fake is the path of a program that testdata has.
func fake(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", name))
	require.NoError(t, err)
	return path
}

// The program is as old as the server permits: a much newer pg_restore sets what an older server does
// not know.
func TestFindProgram(t *testing.T) {
	t.Parallel()
	old, fits, newer := fake(t, "old"), fake(t, "program"), fake(t, "new")
	for _, c := range []struct {
		server int
		paths  []string
		want   string // the path, or words of the error
	}{
		{15, []string{newer, old, fits}, fits},
		{16, []string{old, fits, newer}, newer},
		{13, []string{newer, fits}, fits},
		{15, []string{fake(t, "silent"), fake(t, "nowhere"), fits}, fits},
		{15, nil, "the program pg_dump is not there: install PostgreSQL's client programs of version 15 (on Debian the package postgresql-client-15)"},
		{15, []string{old}, "testdata/old 13 is too old for PostgreSQL 15: install "},
		{15, []string{fake(t, "silent")}, `testdata/silent does not say its version, but "no configuration": install `},
	} {
		path, err := sqldb.FindProgram(t.Context(), "pg_dump", c.server, c.paths...)
		if filepath.IsAbs(c.want) {
			require.NoError(t, err)
			assert.Equal(t, c.want, path)
		} else {
			assert.ErrorContains(t, err, c.want)
		}
	}
}

// A program that does not say its version ends with the patience of its caller.
func TestFindProgramThatHangs(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, errors.New("the operator has stopped it"))
	defer cancel()
	_, err := sqldb.FindProgram(ctx, "pg_dump", 15, fake(t, "stuck"), fake(t, "program"))
	require.EqualError(t, err, "the operator has stopped it")
}

// Each way in which a program fails has a cure. The words are those of pg_dump and pg_restore 15.
func TestWordsOfPrograms(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"pg_dump: error: could not write to output file: No space left on device":                                                                                                      "make room on the disk",
		"pg_dump: error: query failed: ERROR:  permission denied for table t\npg_dump: detail: Query was: LOCK TABLE public.t IN ACCESS SHARE MODE":                                    "who owns the tables",
		"pg_dump: error: query failed: ERROR:  canceling statement due to statement timeout\npg_dump: detail: Query was: LOCK TABLE public.t IN ACCESS SHARE MODE":                     "keeps the tables locked",
		"pg_dump: error: query failed: ERROR:  invalid snapshot identifier: \"00000003-0000001B-1\"\npg_dump: detail: Query was: SET TRANSACTION SNAPSHOT '00000003-0000001B-1'":       "try again",
		"pg_dump: error: connection to server at \"127.0.0.1\", port 1 failed: Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?":             "start PostgreSQL",
		"pg_dump: error: connection to server on socket \"/run/.s.PGSQL.5432\" failed: fe_sendauth: no password supplied":                                                              "check the host, port, user, password",
		"pg_dump: error: connection to server on socket \"/run/.s.PGSQL.5432\" failed: FATAL:  password authentication failed for user \"postgres\"":                                   "check the host, port, user, password",
		"pg_dump: error: Dumping the contents of table \"big\" failed: PQgetCopyData() failed.\npg_dump: detail: Error message from server: server closed the connection unexpectedly": "start PostgreSQL",
		"pg_restore: error: could not read from input file: end of file":                                                                                                               "has lost its end",
		"pg_restore: error: input file is too short (read 0, expected 5)":                                                                                                              "is not as pg_dump writes it",
		"pg_restore: error: input file does not appear to be a valid archive (too short?)":                                                                                             "is not as pg_dump writes it",
		"pg_restore: error: unsupported version (1.16) in file header":                                                                                                                 "of the PostgreSQL that made the backup",
		"ERROR:  could not extend file \"pg_tblspc/16393/PG_15_202209061/16394/3395\": No space left on device\nHINT:  Check free disk space.":                                         "make room on the disk",
		"pg_dump: error: " + strings.Repeat("words without end ", 5_000):                                                                                                               "correct what it says",
	} {
		err := sqldb.RunProgram(t.Context(), fake(t, "program"), time.Minute, still, nil, "say", words)
		var fault *sqldb.Fault
		require.ErrorAs(t, err, &fault, words)
		assert.Contains(t, fault.Cure, want, words)
		assert.True(t, strings.HasPrefix(fault.Found, "pg_dump 15, which writes /backup: "), fault.Found)
		assert.Less(t, len(fault.Found), 400)
		assert.NotContains(t, fault.Found, "\n")
	}
}

// A program that was killed leaves no words.
func TestProgramThatDies(t *testing.T) {
	t.Parallel()
	err := sqldb.RunProgram(t.Context(), fake(t, "program"), time.Minute, still, nil, "die")
	require.ErrorContains(t, err, "signal: killed: look into the log of this machine")
}

// A program that does nothing ends with its children after its time, and what it said is told. So
// does a program that only speaks, of whose words the first are kept.
func TestProgramThatHangs(t *testing.T) {
	t.Parallel()
	child := filepath.Join(t.TempDir(), "child")
	begins := func() int64 { // until the child is there
		if numberIn(child) == 0 {
			return time.Now().UnixNano()
		}
		return 0
	}
	err := sqldb.RunProgram(t.Context(), fake(t, "program"), 200*time.Millisecond, begins, nil, "hang", child)
	require.ErrorContains(t, err, "pg_dump 15 has done nothing for 200ms, and said before: pg_dump: last words: look whether PostgreSQL and the disk answer")
	requireGone(t, child)

	err = sqldb.RunProgram(t.Context(), fake(t, "program"), time.Second, still, nil, "babble")
	require.ErrorContains(t, err, "has done nothing for 1s, and said before: pg_dump: warning: this line")
	assert.Less(t, len(err.Error()), 1000)
	assert.Equal(t, 16<<10, sqldb.KeptOf("this line is said again and again\n", 10_000))
}

// The end of the context ends the program and its children at once.
func TestStoppedProgram(t *testing.T) {
	t.Parallel()
	child := filepath.Join(t.TempDir(), "child")
	ctx, stop := context.WithCancelCause(t.Context())
	stopped := errors.New("the operator has stopped it")
	moved := func() int64 { // it is asked every 10 ms
		if numberIn(child) > 0 {
			stop(stopped)
		}
		return time.Now().UnixNano()
	}
	err := sqldb.RunProgram(ctx, fake(t, "program"), 100*time.Millisecond, moved, nil, "hang", child)
	require.ErrorIs(t, err, stopped)
	requireGone(t, child)
}

// numberIn is the number in a file; 0: it is not there yet.
func numberIn(file string) int {
	text, err := os.ReadFile(file)
	if err != nil || !strings.HasSuffix(string(text), "\n") {
		return 0
	}
	n, _ := strconv.Atoi(strings.TrimSpace(string(text))) // 0 is no number of a process
	return n
}

// requireGone requires that the process whose number is in a file ends.
func requireGone(t *testing.T, file string) {
	t.Helper()
	pid := numberIn(file)
	require.Positive(t, pid)
	require.Eventually(t, func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || zombie(pid) }, time.Minute, 5*time.Millisecond)
}

// zombie reports whether a process has ended, and only its new parent has not noticed yet.
func zombie(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	_, after, _ := strings.Cut(string(stat), ") ")
	return err == nil && strings.HasPrefix(after, "Z")
}

// A dump that cannot be read to its end has an error of its own, which says more than the program.
func TestDumpThatBreaks(t *testing.T) {
	t.Parallel()
	broke := errors.New("the dump has changed since it was checked")
	to := filepath.Join(t.TempDir(), "out")
	err := sqldb.RunProgram(t.Context(), fake(t, "program"), time.Minute, nil, io.MultiReader(strings.NewReader("some"), iotest.ErrReader(broke)), "drain", to)
	require.ErrorIs(t, err, broke)
	read, err := os.ReadFile(to)
	require.NoError(t, err)
	assert.Equal(t, "some", string(read))
}
