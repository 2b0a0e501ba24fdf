package service_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// damages are what may happen to a file behind the service's back.
func damages() map[string]func(path string) error {
	return map[string]func(path string) error{
		"vanished": os.Remove,
		"cut off": func(path string) error {
			info, err := os.Stat(path)
			if err != nil {
				return err
			}
			return os.Truncate(path, info.Size()/2)
		},
		"overwritten": func(path string) error {
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				return err
			}
			if _, err := f.WriteAt(make([]byte, 4096), 10_000); err != nil {
				return err
			}
			return f.Close()
		},
	}
}

// TestDamagedAudioIsNeverRecognized: words that are missing because a file is no
// longer what was stored must not go unnoticed.
func TestDamagedAudioIsNeverRecognized(t *testing.T) {
	t.Parallel()
	for name, damage := range damages() {
		for _, what := range []string{"uploads", "audio"} {
			if name != "vanished" && (name == "cut off") != (what == "audio") {
				continue // all attempts take a while, and each damage is shown once
			}
			t.Run(name+" in "+what, func(t *testing.T) {
				t.Parallel()
				o := dbtest.SQLite(t)
				harm := func() {
					files, err := filepath.Glob(filepath.Join(o.Blobs, what, "*"))
					require.NoError(t, err)
					require.NotEmpty(t, files)
					for _, path := range files {
						require.NoError(t, damage(path))
					}
				}
				e := &script{recognize: func(context.Context, int, engine.Audio, engine.RecognizeOptions) (engine.Recognition, error) {
					if what == "audio" {
						harm() // also what is being recognized: that is a copy
						what = ""
					}
					return heard("hello"), nil
				}}
				b := prepare(t, dbtest.Open(t, o), e, (*service.Config).PauseBriefly, func(c *service.Config) { c.ASRWorkers = 1 })
				id := b.job(t, recording(t, 65, 1)).JobID
				if what == "uploads" {
					harm()
				}
				require.NoError(t, b.Start(t.Context()))
				t.Cleanup(func() { require.NoError(t, b.Stop(context.Background())) })
				job := b.end(t, id)
				require.NotNil(t, job.Error, "%s", job.SegmentsJSON)
				assert.Equal(t, transcript.Internal, job.Error.Code)
				assert.Contains(t, job.Error.Message, "damaged")
				assert.LessOrEqual(t, e.calls(), 1)
				b.nothingLeft(t)
			})
		}
	}
}

// TestNoFolderPerJob: a folder per job would stay for ever.
func TestNoFolderPerJob(t *testing.T) {
	t.Parallel()
	o := dbtest.SQLite(t)
	b := start(t, dbtest.Open(t, o), &script{})
	job := b.end(t, b.job(t, recording(t, 35, 1)).JobID)
	require.Equal(t, transcript.JobSuccess, job.Status, "%v", job.Error)
	b.nothingLeft(t)
	for _, folder := range []string{"uploads", "audio"} {
		left, err := os.ReadDir(filepath.Join(o.Blobs, folder))
		require.NoError(t, err)
		assert.Empty(t, left)
	}
}

// TestAnUploadThatMayBeInUse: where a commit got no answer, there may be a job
// that needs the file. Where the connection was lost before, there is none.
func TestAnUploadThatMayBeInUse(t *testing.T) {
	t.Parallel()
	for when, left := range map[string]int{"DEFERRED": 1, "IMMEDIATE": 0} { // at the commit, or with the row
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			o := dbtest.Postgres(t)
			b := prepare(t, dbtest.Open(t, o), &script{})
			database, err := pgx.Connect(t.Context(), o.Database)
			require.NoError(t, err)
			defer database.Close(context.Background()) //nolint:errcheck // of a test's connection
			_, err = database.Exec(t.Context(), `
				CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END';
				CREATE CONSTRAINT TRIGGER die AFTER INSERT ON jobs DEFERRABLE INITIALLY `+when+` FOR EACH ROW EXECUTE FUNCTION die()`)
			require.NoError(t, err)
			u, err := b.Receive(t.Context(), bytes.NewReader(recording(t, 1, 1)), 1<<30)
			require.NoError(t, err)
			_, err = u.Commit(t.Context(), intake.Submission{Account: acme, Plan: plan()})
			require.ErrorIs(t, err, db.ErrUnavailable)
			assert.Equal(t, left == 1, errors.Is(err, db.ErrUncertain), err)
			assert.Len(t, b.blobs(t), left)
		})
	}
}
