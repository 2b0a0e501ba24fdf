package db_test

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/transcriptkit/transcriptkit/server/internal/blobs"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
)

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, o := range map[string]db.Options{
		"no database":    {Blobs: dir},
		"unknown kind":   {Database: "mysql://user:secret@host/db", Blobs: dir},
		"no path":        {Database: "sqlite:", Blobs: dir},
		"memory":         {Database: "sqlite::memory:", Blobs: dir},
		"no blobs":       {Database: "sqlite:" + filepath.Join(dir, "a.db")},
		"unknown blobs":  {Database: "sqlite:" + filepath.Join(dir, "a.db"), Blobs: "nowhere://secret"},
		"no such folder": {Database: "sqlite:" + filepath.Join(dir, "none", "a.db"), Blobs: dir},
		"nobody there":   {Database: "postgres://user:secret@127.0.0.1:1/db", Blobs: dir},
		"not a URL":      {Database: "postgres://user:secret@127.0.0.1:port/db", Blobs: dir},
	} {
		_, err := db.Open(t.Context(), o)
		require.Error(t, err, name)
		require.NotContains(t, err.Error(), "user:secret", name)
	}
}

func TestReopen(t *testing.T) {
	t.Parallel()
	dbtest.BothDatabases(t, func(t *testing.T, o db.Options) {
		s, err := db.Open(t.Context(), o)
		require.NoError(t, err)
		enqueue(t, s, "kept")
		require.NoError(t, s.Ping(t.Context()))
		require.NoError(t, s.Close())

		s, raw := dbtest.Open(t, o), open(t, o)
		require.NoError(t, s.Ping(t.Context()))
		require.Equal(t, 1, raw.count(t, "river_job"))

		raw.exec(t, "DELETE FROM river_migration WHERE version = (SELECT max(version) FROM river_migration)")
		require.Error(t, s.Ping(t.Context()), "tables of an older version")
	})
}

func TestPathsOfAllKinds(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "it's 100% ?#&=ü.db")
	s := dbtest.Open(t, db.Options{Database: "sqlite:" + path, Blobs: t.TempDir()})
	enqueue(t, s, "x")
	_, err := os.Stat(path)
	require.NoError(t, err)
}

// TestOpenAtOnce has several processes make the tables.
func TestOpenAtOnce(t *testing.T) {
	t.Parallel()
	dbtest.BothDatabases(t, func(t *testing.T, o db.Options) {
		if strings.HasPrefix(o.Database, "postgres") {
			open(t, o).exec(t, "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
		}
		openAtOnce(t, o)
	})
}

// openAtOnce opens a database as several processes do.
func openAtOnce(t *testing.T, o db.Options) {
	t.Helper()
	var g errgroup.Group
	for range 6 {
		g.Go(func() error {
			s, err := db.Open(t.Context(), o)
			if err != nil {
				return err
			}
			if err := s.Ping(t.Context()); err != nil {
				return err
			}
			return s.Close()
		})
	}
	require.NoError(t, g.Wait())
}

func TestServe(t *testing.T) {
	t.Parallel()
	dbtest.BothDatabases(t, func(t *testing.T, o db.Options) {
		one, two := dbtest.Open(t, o), dbtest.Open(t, o)
		release, err := one.Serve(t.Context())
		require.NoError(t, err)
		releaseTwo, err := two.Serve(t.Context())
		if one.Shared() {
			require.NoError(t, err)
			require.NoError(t, releaseTwo())
			require.NoError(t, release())
			return
		}
		require.ErrorIs(t, err, db.ErrServed)
		enqueue(t, two, "another process may still write")
		require.NoError(t, release())
		release, err = two.Serve(t.Context())
		require.NoError(t, err)
		require.NoError(t, release())
	})
}

// TestServeDiesWithItsProcess kills the process that serves.
func TestServeDiesWithItsProcess(t *testing.T) {
	if database := os.Getenv("STORE_TEST_SERVE"); database != "" {
		serveForever(t, database)
	}
	t.Parallel()
	o := dbtest.SQLite(t)
	exe, err := os.Executable()
	require.NoError(t, err)
	child := exec.CommandContext(t.Context(), exe, "-test.run=^TestServeDiesWithItsProcess$")
	child.Env = append(os.Environ(), "STORE_TEST_SERVE="+o.Database)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "serving\n", line)

	s := dbtest.Open(t, o)
	_, err = s.Serve(t.Context())
	require.ErrorIs(t, err, db.ErrServed)
	require.NoError(t, child.Process.Kill())
	require.Error(t, child.Wait())
	release, err := s.Serve(t.Context())
	require.NoError(t, err)
	require.NoError(t, release())
}

func serveForever(t *testing.T, database string) {
	s := dbtest.Open(t, db.Options{Database: database, Blobs: blobs.InMemory})
	release, err := s.Serve(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = release() }) // never called: it keeps the garbage collector from closing the lock
	_, err = os.Stdout.WriteString("serving\n")
	require.NoError(t, err)
	select {}
}

func TestSweep(t *testing.T) {
	t.Parallel()
	dbtest.BothDatabases(t, func(t *testing.T, o db.Options) {
		s, raw := dbtest.Open(t, o), open(t, o)
		ctx := t.Context()
		runningOne, _ := newWork(t, s, "acme")
		for range 3 {
			e, _ := newWork(t, s, "acme", "beta")
			inTx(t, s, func(ctx context.Context, tx *db.Tx) {
				require.NoError(t, tx.Chunks.Insert(ctx, []db.Chunk{{WorkID: e.ID}}))
			})
			move(t, s, e, cancelled)
		}
		key := db.IdempotencyKey{Account: "acme", Method: "POST", Route: "/", Key: "k"}
		held(t, s, key, "")
		raw.setKey(t, key.Key, "taken_at", time.Hour)

		require.NoError(t, dbtest.Sweep(ctx, s, time.Minute, 2*time.Hour))
		require.Equal(t, 7, raw.count(t, "jobs"), "too young")
		require.Equal(t, 1, raw.count(t, "idempotency_keys"), "too young")

		require.NoError(t, dbtest.Sweep(ctx, s, -time.Minute, time.Minute))
		require.Equal(t, 1, raw.count(t, "jobs"), "the one that runs")
		require.Equal(t, 1, raw.count(t, "job_events"))
		require.Equal(t, 1, raw.count(t, "extractions"))
		require.Zero(t, raw.count(t, "chunks"))
		require.Zero(t, raw.count(t, "idempotency_keys"))
		_, err := s.Works.ByID(ctx, runningOne.ID)
		require.NoError(t, err)
	})
}

func TestBlobs(t *testing.T) {
	t.Parallel()
	o := dbtest.SQLite(t)
	s := dbtest.Open(t, o)
	ctx := t.Context()
	e, _ := newWork(t, s, "acme")
	old := time.Now().Add(-25 * time.Hour)
	write := func(key string, at time.Time) {
		_, err := s.Blobs.Put(ctx, key, func(w io.Writer) error { _, err := w.Write([]byte("x")); return err })
		require.NoError(t, err)
		require.NoError(t, os.Chtimes(filepath.Join(o.Blobs, key), at, at))
	}
	write("uploads/acme/used", old)
	write("uploads/acme/old", old)
	write("uploads/acme/young", time.Now())
	write("audio/x/0", old)
	write("audio/x/1", old)
	write("else/where", old)
	inTx(t, s, func(ctx context.Context, tx *db.Tx) {
		twin := &db.Work{Owner: "beta", Platform: e.Platform, ExternalID: "m", State: queued, MediaKey: "uploads/acme/used"}
		require.NoError(t, tx.Works.Insert(ctx, twin))
		require.NoError(t, tx.Chunks.Insert(ctx, []db.Chunk{{WorkID: e.ID, MediaKey: "audio/x/1"}}))
	})
	// What a crash in the middle of an upload leaves lies among the uploads.
	_, err := s.Blobs.Put(ctx, "uploads/acme/partial", func(w io.Writer) error {
		_, err := w.Write(make([]byte, 1<<20))
		require.NoError(t, err)
		litter, err := filepath.Glob(filepath.Join(o.Blobs, "uploads/acme/partial*"))
		require.NoError(t, err)
		require.Len(t, litter, 1)
		require.NoError(t, os.Chtimes(litter[0], old, old))
		require.NoError(t, dbtest.Sweep(ctx, s, 25*time.Hour, time.Hour))
		return nil
	})
	require.Error(t, err, "its file is gone")
	var left []string
	require.NoError(t, filepath.WalkDir(o.Blobs, func(path string, d os.DirEntry, err error) error {
		if !d.IsDir() {
			rel, _ := filepath.Rel(o.Blobs, path) // both begin with o.Blobs
			left = append(left, rel)
		}
		return err
	}))
	require.Equal(t, []string{"audio/x/1", "else/where", "uploads/acme/used", "uploads/acme/young"}, left)

	require.NoError(t, os.Rename(o.Blobs, o.Blobs+"-away"))
	require.ErrorIs(t, dbtest.Sweep(ctx, s, 25*time.Hour, time.Hour), db.ErrUnavailable, "the folder is not mounted")
	require.NoError(t, os.Rename(o.Blobs+"-away", o.Blobs))

	move(t, s, e, cancelled)
	used, err := s.Works.NeedMedia(ctx, "audio/x/1")
	require.NoError(t, err)
	require.False(t, used, "the extraction has ended")
}
