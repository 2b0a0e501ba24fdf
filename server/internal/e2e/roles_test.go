package e2e_test

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// as is the place for a child of a role, with a folder of its own.
func (s place) as(t testing.TB, role server.Role) place {
	t.Helper()
	s.role, s.scratch = role, t.TempDir()
	return s
}

// TestRolesOnManyMachines: one process accepts what two others work on, which have
// nothing in common but PostgreSQL and a bucket. One of them is killed.
func TestRolesOnManyMachines(t *testing.T) {
	full(t)
	t.Parallel()
	bucket := storetest.NewBucket(t)
	s := newPlace(t, storetest.Postgres(t).Database)
	s.blobs = bucket.URL
	key := s.makeKey(t)
	accepts := s.as(t, server.RoleAPI)
	api := accepts.spawn(t, "127.0.0.1:0")
	victim := s.as(t, server.RoleWorker).spawn(t, "")
	s.as(t, server.RoleWorker).spawn(t, "")
	c := newClient(t, api.url, key)

	const video = "dQw4w9WgXcQ"
	read, err := c.Transcripts.Get(t.Context(), transcript.Request{Source: transcript.URL("https://youtu.be/" + video)})
	require.NoError(t, err)
	assert.Equal(t, video, read.Transcript.Segments[0].Text)
	report, err := c.Transcripts.Captions(t.Context(), "AAAAAAAAAAA", nil)
	require.NoError(t, err, "a worker asks")
	assert.Equal(t, "AAAAAAAAAAA", report.Transcript.Segments[0].Text)

	job := submit(t, c, burstsOf(t, 3*time.Minute, 1))
	watch := observe(t, c, job.JobID)
	s.awaitDone(t, job.JobID, 3)
	victim.kill()
	s.checkEnd(t, c, job.JobID, watch, s.finishedChunks(t, job.JobID))

	job = submit(t, c, burstsOf(t, 3*time.Minute, 2))
	s.awaitDone(t, job.JobID, 1)
	job, err = c.Jobs.Cancel(t.Context(), job.JobID)
	require.NoError(t, err)
	assert.Equal(t, transcript.JobCancelled, job.Status)

	opened := s.open(t)
	require.Eventually(t, func() bool {
		return len(slices.DeleteFunc(bucket.Left(t), keptAudio(t, opened))) == 0
	}, time.Minute, 50*time.Millisecond, "the bucket holds more than the audio that stays for an hour")
	own, err := os.ReadDir(accepts.scratch)
	require.NoError(t, err)
	assert.Empty(t, own, "a process that accepts requests writes no files")
}
