package e2e_test

import (
	"flag"
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/store/storetest"
)

var soakFlag = flag.Bool("soak", false, "also run the tests that take minutes (make soak)")

// soak leaves a test that takes minutes to make soak.
func soak(t *testing.T) {
	t.Helper()
	if !*soakFlag {
		t.Skip("takes minutes: make soak")
	}
}

// TestSoakPause stops one of two processes for so long that the other takes its
// work over, and lets it go on.
func TestSoakPause(t *testing.T) {
	soak(t)
	s := newPlace(t, storetest.Postgres(t).Database)
	key := s.makeKey(t)
	victim, survivor := s.spawn(t, "127.0.0.1:0"), s.spawn(t, "127.0.0.1:0")
	c := newClient(t, survivor.url, key)
	job := submit(t, newClient(t, victim.url, key), bursts(t, mediaLength))
	watch := follow(t, c, job.JobID)

	s.awaitDone(t, job.JobID, 3)
	require.NoError(t, victim.cmd.Process.Signal(syscall.SIGSTOP))
	finished := s.finishedChunks(t, job.JobID)
	<-time.After(time.Minute)
	require.NoError(t, victim.cmd.Process.Signal(syscall.SIGCONT))

	s.checkEnd(t, c, job.JobID, watch, finished)
	victim.mustLive(t)
	survivor.mustLive(t)
}

// mustLive fails the test when the process has ended.
func (c *child) mustLive(t *testing.T) {
	t.Helper()
	require.NoError(t, c.cmd.Process.Signal(syscall.Signal(0)))
	state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.cmd.Process.Pid))
	require.NoError(t, err)
	require.NotContains(t, string(state), ") Z ", "the process has ended")
}
