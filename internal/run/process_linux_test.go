package run_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/run"
	"github.com/transcriptkit/transcriptkit/server/engine"
)

func TestProgramsDieWithTheServer(t *testing.T) {
	t.Parallel()
	binary, err := os.Executable()
	require.NoError(t, err)
	a := newAlive(t)
	server := exec.Command(binary)
	server.Env = append(os.Environ(), parentDir+"="+t.TempDir())
	server.Stdout = a.write
	server.Stderr = os.Stderr
	require.NoError(t, server.Start())
	require.NoError(t, a.write.Close())
	<-a.first

	require.NoError(t, server.Process.Kill()) // as kill -9 does
	require.Error(t, server.Wait())
	a.requireEnd(t)
}

// needsNamespaces skips a test where the system grants none.
func needsNamespaces(t *testing.T, r *run.Runner) {
	t.Helper()
	if !r.EndsAll() {
		t.Skip("the system grants no PID namespaces")
	}
}

// TestAllDieWithTheServer: also what has left the program's process group.
func TestAllDieWithTheServer(t *testing.T) {
	t.Parallel()
	r, _ := newRunner(t, run.Config{})
	needsNamespaces(t, r)
	binary, err := os.Executable()
	require.NoError(t, err)
	a := newAlive(t)
	server := exec.Command(binary)
	server.Env = append(os.Environ(), parentDir+"="+t.TempDir(), parentScript+
		"=setsid sh -c 'trap \"\" TERM HUP INT; echo started; sleep 1000; sleep 1000' & wait")
	server.Stdout = a.write
	server.Stderr = os.Stderr
	require.NoError(t, server.Start())
	require.NoError(t, a.write.Close())
	<-a.first

	require.NoError(t, server.Process.Kill()) // as kill -9 does
	require.Error(t, server.Wait())
	a.requireEnd(t)
}

// TestAllDieWithTheProgram: also what has left its process group.
func TestAllDieWithTheProgram(t *testing.T) {
	t.Parallel()
	r, _ := newRunner(t, run.Config{})
	needsNamespaces(t, r)
	a := newAlive(t)
	c := sh("setsid sh -c 'touch left; exec sleep 1000' & until [ -e left ]; do :; done; echo done")
	c.Stdout = a.write
	_, err := r.Run(t.Context(), c)
	require.NoError(t, err)
	require.NoError(t, a.write.Close())
	a.requireEnd(t)
}

func TestLimitsAreSet(t *testing.T) {
	t.Parallel()
	r, _ := newRunner(t, run.Config{Limits: engine.Limits{Memory: 256 << 20}})
	c := sh("ulimit -d; ulimit -f; ulimit -Hc; ulimit -Ht; ulimit -n")
	c.Limits = engine.Limits{CPU: 6500 * time.Millisecond, FileSize: 1 << 20}
	exit, err := r.Run(t.Context(), c)
	require.NoError(t, err)
	assert.Equal(t, "262144\n2048\n0\n8\n1024\n", string(exit.Stdout), "KiB, blocks of 512 bytes, core, seconds, files")
}

func TestProcessorLimit(t *testing.T) {
	t.Parallel()
	r, _ := newRunner(t, run.Config{Limits: engine.Limits{CPU: time.Second, Wall: time.Minute}})
	for _, script := range []string{
		"while :; do :; done",
		"trap '' XCPU; while :; do :; done",
		"sh -c 'while :; do :; done'; exit 3",
	} {
		_, err := r.Run(t.Context(), sh(script))
		var limit *engine.LimitError
		require.ErrorAs(t, err, &limit, script)
		assert.Equal(t, engine.LimitError{Program: "sh", Limit: "processor time", Max: "1s"}, *limit)
	}
}

func TestFileSizeLimit(t *testing.T) {
	t.Parallel()
	r, _ := newRunner(t, run.Config{})
	dir := t.TempDir()
	exit, err := r.Run(t.Context(), engine.Command{
		Program: "dd", Args: []string{"if=/dev/zero", "of=big", "bs=4096"}, Dir: dir,
		Limits: engine.Limits{FileSize: 10 << 20, Wall: time.Minute},
	})
	if os.Geteuid() == 0 {
		var limit *engine.LimitError
		require.ErrorAs(t, err, &limit)
		assert.Equal(t, engine.LimitError{Program: "dd", Limit: "file size", Max: "10485760 bytes"}, *limit)
	} else if err == nil { // the first process of a namespace is told
		assert.Contains(t, string(exit.Stderr), "File too large")
	}
	info, err := os.Stat(filepath.Join(dir, "big"))
	require.NoError(t, err)
	assert.EqualValues(t, 10<<20, info.Size())
}

// Addresses that are only reserved are no memory: newer versions of yt-dlp run
// programs that reserve many GiB of them.
func TestReservedAddressesAreNotLimited(t *testing.T) {
	t.Parallel()
	r, _ := newRunner(t, run.Config{})
	exit, err := r.Run(t.Context(), engine.Command{
		Program: "python3",
		Args:    []string{"-c", "import mmap; mmap.mmap(-1, 64 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, prot=mmap.PROT_READ)"},
		Limits:  engine.Limits{Memory: 256 << 20},
	})
	require.NoError(t, err)
	assert.Zero(t, exit.Code, "%s", exit.Stderr)
}

func TestMemoryLimit(t *testing.T) {
	t.Parallel()
	r, _ := newRunner(t, run.Config{})
	exit, err := r.Run(t.Context(), engine.Command{ // keeps a line that never ends
		Program: "tail", Args: []string{"/dev/zero"},
		Limits: engine.Limits{Memory: 128 << 20, Wall: 20 * time.Second},
	})
	require.NoError(t, err)
	assert.Equal(t, 1, exit.Code)
	assert.Contains(t, string(exit.Stderr), "memory exhausted")
}
