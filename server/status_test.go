package server_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The operator sees which jobs of all accounts run, and why others have failed.
func TestStatusListsJobsAndReasons(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := startIn(t, o, t.TempDir())
		s.Engine.Fail(transcript.Errorf(transcript.ConfigError, "The model is missing."))
		bob := as(s.NewKey(t, "bob"))
		failed := s.job(t, "a quiet room", bob)
		s.endedJob(t, failed, bob)
		running, release := s.heldJob(t, "somebody who talks")
		defer release()

		now, err := s.Status(t.Context())
		require.NoError(t, err)
		require.Len(t, now.Failed, 1)
		assert.Equal(t, "bob", now.Failed[0].Account)
		assert.Equal(t, failed, now.Failed[0].ID)
		assert.Equal(t, transcript.ConfigError, now.Failed[0].Reason.Code)
		assert.NotZero(t, now.Failed[0].EndedAt)
		require.Len(t, now.Running, 1)
		assert.Equal(t, server.JobStatus{ID: running, Account: servertest.Account, Stage: transcript.StageASRRunning, CreatedAt: now.Running[0].CreatedAt}, now.Running[0])
		assert.Equal(t, []server.StageStatus{{Stage: transcript.StageASRRunning, Jobs: 1, Oldest: now.Stages[0].Oldest}}, now.Stages)
		assert.Equal(t, []int{0, 0, 0, 1, 1}, []int{now.Outside, now.Waiting, now.Ready, now.Recognizing, now.Processes})
		assert.Positive(t, now.DatabaseBytes)
		assert.Contains(t, now.FreeBytes, "blobs")
		assert.Equal(t, []server.ExitStatus{{Name: "direct"}}, now.Exits)
	})
}
