package e2e_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// lethal is the name of the file, beside that of what a child is told, which lets the
// next call kill the child's process.
const lethal = ".lethal"

// childHook writes down of which ends a child was told; nil where it is not to be.
func childHook() func(context.Context, string, *transcript.Job) error {
	file := os.Getenv(childTold)
	if file == "" {
		return nil
	}
	return func(_ context.Context, account string, job *transcript.Job) error {
		if os.Remove(file+lethal) == nil {
			return syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(f, account, job.JobID, job.Status, job.Result.Transcript.Segments[0].Text); err != nil {
			return err
		}
		return f.Close()
	}
}

// A process that dies between the end of a job and the call that tells of it owes that:
// it is made when the process is back, or by another one.
func TestKillBeforeTheCall(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		const video = "dQw4w9WgXcQ"
		s := newPlace(t, o.Database)
		s.told = filepath.Join(t.TempDir(), "told")
		require.NoError(t, os.WriteFile(s.told+lethal, nil, 0o600))
		key := s.makeKey(t)
		first := s.spawn(t, "127.0.0.1:0")
		var atOnce time.Duration
		_, job, err := newClient(t, first.url, key).Transcripts.Submit(t.Context(),
			transcript.Request{Source: transcript.URL("https://youtu.be/" + video), Wait: &atOnce})
		require.NoError(t, err)
		require.Error(t, first.cmd.Wait(), "the call has killed it")
		assert.NoFileExists(t, s.told)

		second := s.spawn(t, "127.0.0.1:0")
		after, err := newClient(t, second.url, key).Jobs.Get(t.Context(), job.JobID)
		require.NoError(t, err)
		assert.Equal(t, transcript.JobSuccess, after.Status, "its end was stored before")
		var told []byte
		require.Eventually(t, func() bool {
			told, err = os.ReadFile(s.told)
			return err == nil && strings.HasSuffix(string(told), "\n")
		}, 2*time.Minute, 20*time.Millisecond)
		assert.Equal(t, fmt.Sprintln("acme", job.JobID, "success", video), string(told))
	})
}
