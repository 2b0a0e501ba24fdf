//go:build unix

package run_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/transcriptkit/transcriptkit/internal/run"
	"github.com/transcriptkit/transcriptkit/server/engine"
)

var _ engine.Runner = (*run.Runner)(nil)

func TestMain(m *testing.M) {
	for variable, main := range programs {
		if value := os.Getenv(variable); value != "" {
			main(value)
			return
		}
	}
	goleak.VerifyTestMain(m)
}

// programs are what the test binary can be, by the variable of the environment that says so.
var programs = map[string]func(value string){}

func asProgram(variable string, main func(value string)) string {
	programs[variable] = main
	return variable
}

// parentDir makes the test binary a server that runs one program until it is killed.
var parentDir = asProgram("RUN_TEST_PARENT_DIR", beParent)

// parentScript is what it runs, when it is not to be one that sleeps.
const parentScript = "RUN_TEST_PARENT_SCRIPT"

// beParent runs a program that holds standard output open for as long as it lives.
func beParent(dir string) {
	r, err := run.New(run.Config{Dir: dir})
	if err == nil {
		c := sh(cmp.Or(os.Getenv(parentScript), "echo started; exec sleep 1000"))
		c.Stdout = os.Stdout
		_, err = r.Run(context.Background(), c)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// newRunner returns a runner and the directory its runs live in.
func newRunner(t *testing.T, c run.Config) (*run.Runner, string) {
	t.Helper()
	if c.Dir == "" {
		c.Dir = t.TempDir()
	}
	r, err := run.New(c)
	require.NoError(t, err)
	return r, c.Dir
}

func sh(script string) engine.Command {
	return engine.Command{Program: "sh", Args: []string{"-c", script}}
}

func TestNewNamesTheFieldItRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for field, c := range map[string]run.Config{
		"Dir: ":    {},
		"Dir: \"/": {Dir: filepath.Join(dir, "absent")},
		"Env: ":    {Dir: dir, Env: []string{"NOVALUE"}},
		"Limits: ": {Dir: dir, Limits: engine.Limits{CPU: -1}},
	} {
		_, err := run.New(c)
		require.ErrorContains(t, err, "run: "+field)
	}
}

func TestEnvironmentIsBuiltFromNothing(t *testing.T) {
	t.Parallel()
	r, base := newRunner(t, run.Config{Env: []string{"http_proxy=http://127.0.0.1:9"}})

	exit, err := r.Run(t.Context(), sh("pwd; env"))
	require.NoError(t, err)

	lines := strings.Split(strings.TrimSpace(string(exit.Stdout)), "\n")
	dir := lines[0]
	assert.Equal(t, base, filepath.Dir(dir))
	want := []string{
		"HOME=" + dir, "LANG=C.UTF-8", "PATH=" + run.DefaultPath, "TMPDIR=" + dir,
		"XDG_CACHE_HOME=" + dir, "XDG_CONFIG_HOME=" + dir, "XDG_DATA_HOME=" + dir,
		"XDG_RUNTIME_DIR=" + dir, "XDG_STATE_HOME=" + dir, "http_proxy=http://127.0.0.1:9",
	}
	if !assert.Subset(t, lines[1:], want) {
		return
	}
	for _, line := range lines[1:] { // the shell adds variables of its own
		key, _, _ := strings.Cut(line, "=")
		assert.True(t, key == "PWD" || key == "_" || key == "SHLVL" || key == "OLDPWD" || slices.Contains(want, line), line)
	}
}

func TestDirectory(t *testing.T) {
	t.Parallel()
	t.Run("its own, gone afterwards", func(t *testing.T) {
		t.Parallel()
		r, base := newRunner(t, run.Config{})
		exit, err := r.Run(t.Context(), sh("pwd; mkdir -p a/b; echo x > a/b/c; stat -c %a ."))
		require.NoError(t, err)
		assert.Contains(t, string(exit.Stdout), base)
		assert.Contains(t, string(exit.Stdout), "\n700\n")
		left, err := os.ReadDir(base)
		require.NoError(t, err)
		assert.Empty(t, left)
	})
	t.Run("gone after a failed run too", func(t *testing.T) {
		t.Parallel()
		r, base := newRunner(t, run.Config{})
		c := sh("echo x > x; sleep 1000")
		c.Limits.Wall = 50 * time.Millisecond
		_, err := r.Run(t.Context(), c)
		require.Error(t, err)
		left, err := os.ReadDir(base)
		require.NoError(t, err)
		assert.Empty(t, left)
	})
	t.Run("the caller's, kept", func(t *testing.T) {
		t.Parallel()
		r, base := newRunner(t, run.Config{})
		c := sh("echo x > kept; echo $HOME")
		c.Dir = t.TempDir()
		exit, err := r.Run(t.Context(), c)
		require.NoError(t, err)
		assert.Equal(t, c.Dir+"\n", string(exit.Stdout))
		assert.FileExists(t, filepath.Join(c.Dir, "kept"))
		left, err := os.ReadDir(base)
		require.NoError(t, err)
		assert.Empty(t, left)
	})
}

func TestExitCodeIsNoError(t *testing.T) {
	t.Parallel()
	r, _ := newRunner(t, run.Config{})
	codes := map[string]int{"exit 0": 0, "echo out; echo err >&2; exit 7": 7}
	if os.Geteuid() == 0 { // else it is the first process of a namespace, and kills itself in vain
		codes["kill -9 $$"] = -1
	}
	for script, code := range codes {
		exit, err := r.Run(t.Context(), sh(script))
		require.NoError(t, err, script)
		assert.Equal(t, code, exit.Code, script)
		if code == 7 {
			assert.Equal(t, "out\n", string(exit.Stdout))
			assert.Equal(t, "err\n", string(exit.Stderr))
		}
	}
}

func TestMissingProgram(t *testing.T) {
	t.Parallel()
	r, base := newRunner(t, run.Config{})
	require.NoError(t, os.WriteFile(filepath.Join(base, "plain"), nil, 0o644))
	for _, program := range []string{"", "no-such-program", "/no/such/program", "../bin/sh", "./sh", filepath.Join(base, "plain"), base} {
		var missing *exec.Error
		_, err := r.Run(t.Context(), engine.Command{Program: program})
		require.ErrorAs(t, err, &missing, "%q", program)
		_, err = r.Look(program)
		require.ErrorAs(t, err, &missing, "%q", program)
	}
	path, err := r.Look("sh")
	require.NoError(t, err)
	assert.True(t, filepath.IsAbs(path))

	elsewhere, _ := newRunner(t, run.Config{Path: t.TempDir() + ":."})
	_, err = elsewhere.Look("sh")
	require.ErrorIs(t, err, exec.ErrNotFound)
}

func TestOutput(t *testing.T) {
	t.Parallel()
	r, _ := newRunner(t, run.Config{})
	const size = 3_000_000
	c := sh("head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2; exit 3")

	exit, err := r.Run(t.Context(), c)
	require.NoError(t, err)
	assert.Equal(t, 3, exit.Code, "a cut output must not end the program")
	assert.Len(t, exit.Stdout, 1<<20)
	assert.Len(t, exit.Stderr, 1<<20)

	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	exit, err = r.Run(t.Context(), c)
	require.NoError(t, err)
	assert.Equal(t, size, stdout.Len())
	assert.Equal(t, size, stderr.Len())
	assert.Empty(t, exit.Stdout)
	assert.Empty(t, exit.Stderr)
}

func TestStdin(t *testing.T) {
	t.Parallel()
	r, _ := newRunner(t, run.Config{})
	exit, err := r.Run(t.Context(), engine.Command{Program: "cat", Stdin: strings.NewReader("through")})
	require.NoError(t, err)
	assert.Equal(t, "through", string(exit.Stdout))

	exit, err = r.Run(t.Context(), engine.Command{Program: "cat"})
	require.NoError(t, err)
	assert.Empty(t, exit.Stdout, "without an input there is nothing to read")
}

// alive is a pipe that stays open as long as one process holds its other end.
type alive struct {
	write  *os.File
	read   *os.File
	output chan string // what was written, once all writers are gone
	first  chan struct{}
}

func newAlive(t *testing.T) *alive {
	t.Helper()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, r.SetReadDeadline(time.Now().Add(20*time.Second)))
	a := &alive{write: w, read: r, output: make(chan string, 1), first: make(chan struct{})}
	go func() {
		var all []byte
		buf := make([]byte, 1024)
		for {
			n, err := r.Read(buf)
			if n > 0 && all == nil {
				close(a.first)
			}
			all = append(all, buf[:n]...)
			if errors.Is(err, io.EOF) {
				a.output <- string(all)
			}
			if err != nil {
				close(a.output)
				return
			}
		}
	}()
	t.Cleanup(func() { assert.NoError(t, r.Close()) })
	return a
}

// requireEnd waits until no process holds the pipe; the test's own end must be closed.
func (a *alive) requireEnd(t *testing.T) {
	t.Helper()
	_, ended := <-a.output
	require.True(t, ended, "a process is still alive")
}

func TestTheGroupDiesWithTheContext(t *testing.T) {
	t.Parallel()
	r, _ := newRunner(t, run.Config{})
	reason := errors.New("the caller has left")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)

	a := newAlive(t)
	c := sh("(trap '' TERM INT HUP; sleep 1000; sleep 1000) & sleep 1000 & echo started; wait")
	c.Stdout = a.write
	done := make(chan error, 1)
	go func() {
		_, err := r.Run(ctx, c)
		done <- err
	}()
	<-a.first
	cancel(reason)
	require.Equal(t, reason, <-done)
	require.NoError(t, a.write.Close())
	a.requireEnd(t)
}

func TestTheGroupDiesWithItsProgram(t *testing.T) {
	t.Parallel()
	r, _ := newRunner(t, run.Config{})
	a := newAlive(t)
	c := sh("sleep 1000 & echo done")
	c.Stdout = a.write
	_, err := r.Run(t.Context(), c)
	require.NoError(t, err)
	require.NoError(t, a.write.Close())
	a.requireEnd(t)
}

func TestOutputHeldOutsideTheGroup(t *testing.T) {
	t.Parallel()
	r, _ := newRunner(t, run.Config{})
	start := time.Now()
	exit, err := r.Run(t.Context(), sh("setsid sh -c 'touch left; exec sleep 60' & until [ -e left ]; do :; done; echo done"))
	require.NoError(t, err)
	assert.Equal(t, "done\n", string(exit.Stdout))
	assert.Less(t, time.Since(start), time.Minute/2)
}

func TestContextDoneBeforeTheStart(t *testing.T) {
	t.Parallel()
	r, _ := newRunner(t, run.Config{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	mark := filepath.Join(t.TempDir(), "ran")
	_, err := r.Run(ctx, sh("touch "+mark))
	require.ErrorIs(t, err, context.Canceled)
	assert.NoFileExists(t, mark)
}

func TestWallLimit(t *testing.T) {
	t.Parallel()
	r, _ := newRunner(t, run.Config{Limits: engine.Limits{Wall: 50 * time.Millisecond}})
	_, err := r.Run(t.Context(), sh("sleep 1000"))
	var limit *engine.LimitError
	require.ErrorAs(t, err, &limit)
	assert.Equal(t, engine.LimitError{Program: "sh", Limit: "wall time", Max: "50ms"}, *limit)

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	c := sh("sleep 1000")
	c.Limits.Wall = time.Hour
	_, err = r.Run(ctx, c)
	require.ErrorIs(t, err, context.DeadlineExceeded, "the caller's deadline is not a limit")
}

// TestManyAtOnce runs programs side by side, for the race detector, while other
// goroutines end threads of the server: the thread that has started a program
// must not be among them.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	r, base := newRunner(t, run.Config{})
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			exit, err := r.Run(t.Context(), sh("sleep 0.2; echo ok"))
			assert.NoError(t, err)
			assert.Equal(t, "ok\n", string(exit.Stdout))
			assert.Equal(t, 0, exit.Code)
		})
	}
	programs := make(chan struct{})
	go func() { wg.Wait(); close(programs) }()
	for {
		var threads sync.WaitGroup
		for range 32 {
			threads.Go(runtime.LockOSThread) // never unlocked: the thread ends
		}
		threads.Wait()
		select {
		case <-programs:
			left, err := os.ReadDir(base)
			require.NoError(t, err)
			assert.Empty(t, left)
			return
		default:
		}
	}
}
