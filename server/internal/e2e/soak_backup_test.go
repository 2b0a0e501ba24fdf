package e2e_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/store"
)

var backupRounds = flag.Int("backup-rounds", 50, "backups of TestSoakBackup on each database")

// TestSoakBackup backs a service up again and again while processes serve links, uploads,
// corrections and deletions. Each backup is restored into an empty place and verified: all that was
// accepted before the backup began is there. Every tenth copy is served, and finishes its jobs.
func TestSoakBackup(t *testing.T) {
	soak(t)
	for name, database := range map[string]func(t *testing.T) (from store.Options, processes int){
		"sqlite":   func(t *testing.T) (store.Options, int) { return storetest.SQLite(t), 1 },
		"postgres": func(t *testing.T) (store.Options, int) { return storetest.Postgres(t), 2 },
	} {
		t.Run(name, func(t *testing.T) { // one after the other, for the figures
			o, processes := database(t)
			l := newBackupLoad(t, newPlace(t, o.Database), processes)
			stop := l.start(t)
			figures := backupFigures{}
			for round := range *backupRounds {
				sent := l.sent()
				require.Eventually(t, func() bool { return l.sent() > sent+backupRate }, time.Minute, time.Millisecond)
				ok := t.Run(fmt.Sprint("backup ", round+1), func(t *testing.T) { figures.round(t, l, round) })
				require.True(t, ok)
			}
			stop()
			l.report(t)
			t.Log(figures)
			assert.Positive(t, figures.edits)
		})
	}
}

// backupFigures are what the rounds have taken.
type backupFigures struct {
	rounds               int
	took, restored       []time.Duration
	blobs                int
	bytes                int64 // of the archives
	links, uploads, kept int   // looked for in all copies
	parts, gone, edits   int
}

func (f backupFigures) String() string {
	slices.Sort(f.took)
	slices.Sort(f.restored)
	n := len(f.took)
	return fmt.Sprintf("%d backups of %d MB in all with %d blobs: a backup takes %v (median), %v at most; restore and verify %v (median). Found in the copies: %d links, %d uploads, %d recordings, %d unfinished uploads, %d corrections; %d deleted texts were in none",
		f.rounds, f.bytes>>20, f.blobs, f.took[n/2].Round(time.Millisecond), f.took[n-1].Round(time.Millisecond), f.restored[n/2].Round(time.Millisecond),
		f.links, f.uploads, f.kept, f.parts, f.edits, f.gone)
}

// round makes a backup, and looks into its copy.
func (f *backupFigures) round(t *testing.T, l *backupLoad, round int) {
	t.Helper()
	target := filepath.Join(t.TempDir(), []string{"backup.tar", "backup"}[round%2])
	source, err := store.Open(t.Context(), store.Options{Database: l.database, Blobs: l.blobs, MustExist: true, Unchanged: true})
	require.NoError(t, err)
	before := l.ledger() // all of it was accepted before the backup begins
	began := time.Now()
	made, err := source.Backup(t.Context(), target)
	require.NoError(t, err)
	f.took = append(f.took, time.Since(began))
	require.NoError(t, source.Close())
	require.Zero(t, made.Missing, made.Missed)
	f.rounds, f.blobs, f.bytes = f.rounds+1, f.blobs+made.Blobs, f.bytes+sizeOf(t, target)

	began = time.Now()
	copied := newPlace(t, emptyLike(t, l.database))
	_, err = store.Restore(t.Context(), store.Options{Database: copied.database, Blobs: copied.blobs}, target)
	require.NoError(t, err)
	copied.mustBeSound(t)
	f.restored = append(f.restored, time.Since(began))
	copied.checkAccepted(t, f, before, l.ledger())
	if round%10 == 9 {
		copied.checkJobsEnd(t, l, before)
	}
}

// mustBeSound verifies a copy: it has no blob more than its rows name.
func (s place) mustBeSound(t *testing.T) {
	t.Helper()
	opened, err := store.Open(t.Context(), store.Options{Database: s.database, Blobs: s.blobs})
	require.NoError(t, err)
	found, err := opened.Verify(t.Context())
	require.NoError(t, err)
	for _, f := range found {
		assert.Equal(t, engine.OK, f.Status, "%s: %s", f.Name, f.Found)
		if f.Name == "stray blobs" {
			assert.Contains(t, f.Found, "none; 0 of the last day")
		}
	}
	require.NoError(t, opened.Close())
	broken, err := dbtest.Broken(t.Context(), storetest.SQL(t, store.Options{Database: s.database}), false)
	require.NoError(t, err)
	assert.Empty(t, broken)
}

// checkAccepted looks for all that was accepted before the backup. A text whose deletion
// began meanwhile may be there or not.
func (s place) checkAccepted(t *testing.T, f *backupFigures, before, after ledger) {
	t.Helper()
	o := store.Options{Database: s.database}
	rows := column(t, o, "SELECT external_id FROM library_rows")
	texts := textsOf(t, o)
	for id, link := range before.links {
		switch {
		case link.deleted:
			assert.NotContains(t, rows, id, "a deleted text is there")
			f.gone++
		case !after.links[id].deleting:
			assert.Contains(t, rows, id, "a text that was accepted is lost")
			f.links++
		}
		if text, is := texts[id]; is {
			got := 0
			if _, edited, _ := strings.Cut(text, id+" "); edited != "" {
				_, err := fmt.Sscan(edited, &got)
				require.NoError(t, err, text)
			}
			assert.Contains(t, text, id)
			assert.GreaterOrEqual(t, got, link.edits, "a correction that was accepted is lost")
			f.edits += min(link.edits, 1)
		}
	}
	jobs, kept := column(t, o, "SELECT id FROM jobs"), column(t, o, "SELECT external_id FROM recordings")
	for id, upload := range before.uploads {
		assert.Contains(t, jobs, id, "an upload that was accepted is lost")
		f.uploads++
		if upload.kept && !after.uploads[id].deleting {
			assert.Contains(t, kept, upload.externalID, "a kept recording is lost")
			f.kept++
		}
	}
	parts := column(t, o, "SELECT id FROM uploads WHERE received > 0")
	for id := range before.parts {
		if !after.parts[id].deleting {
			assert.Contains(t, parts, id, "an unfinished upload is lost")
			f.parts++
		}
	}
}

// checkJobsEnd serves a copy. Its jobs end, with the texts that the service itself has.
func (s place) checkJobsEnd(t *testing.T, l *backupLoad, before ledger) {
	t.Helper()
	s.plans = l.plans
	c := s.spawn(t, "127.0.0.1:0")
	defer c.kill()
	service := newClient(t, c.url, l.key)
	for id := range before.uploads {
		got, err := service.Jobs.Wait(t.Context(), id)
		if isGone(err) {
			continue // its text was deleted
		}
		require.NoError(t, err, "job %s of the copy", id)
		require.NotEmpty(t, got.Transcript.Segments)
		l.mustSay(t, id, got.Transcript.Segments)
	}
	ended := column(t, store.Options{Database: s.database}, "SELECT id FROM jobs WHERE status = 'failed'")
	assert.Empty(t, ended, "jobs of the copy failed")
}

func emptyLike(t *testing.T, database string) string {
	t.Helper()
	if storetest.IsPostgres(store.Options{Database: database}) {
		return storetest.EmptyPostgres(t)
	}
	return "sqlite:" + filepath.Join(t.TempDir(), "restored.db")
}

func sizeOf(t *testing.T, path string) (bytes int64) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(path, func(_ string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			bytes += info.Size()
		}
		return err
	}))
	return bytes
}
