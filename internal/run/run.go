// Package run starts external programs for the engines. No other package does: [Runner]
// implements engine.Runner.
//
//	programs, err := run.New(run.Config{Dir: spool})
//	exit, err := programs.Run(ctx, engine.Command{Program: "ffprobe", Args: []string{"-version"}})
//
// A program gets a new environment, a directory of its own, a process group that is killed as a
// whole, and limits. On Linux the kernel enforces the limits for each process, from the first
// instruction on. When the program ends, or when the server is killed, the kernel kills the
// program and all processes that it has started, because they live in a PID namespace. That
// needs root, or the permission to make user namespaces. Many containers grant neither;
// processes that leave the process group then live on. Without root, the program is the first
// process of its namespace, and the first process ignores most signals. So a file that grows
// too large causes an error in the program but does not end it. The number of processes is
// limited only without root. On other systems only the wall time is limited.
//
// A command that asks for a network gets a pass through the egress guard: its environment names
// the guard's proxy, with a password for this run.
//
// On Linux with Landlock, the kernel enforces this. A program can open only its directory, the
// files that the command names, and the parts of the system that every program needs. It cannot
// see the environment, memory or descriptors of other processes. It can connect by TCP only to
// the guard's port, or to no port, and cannot listen. [Runner.Confined] reports whether this is
// missing: without it, a program that ignores its environment reaches the network without the
// guard.
//
// On amd64 and arm64 a seccomp filter refuses operations that Landlock does
// not cover: listening, UDP, multipath TCP, sockets in the file system, the modes and times of
// files, namespaces and more. SECURITY.md lists the remaining gaps.
package run

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/server/engine"
)

// DefaultPath is where programs are looked up if [Config] names no path.
const DefaultPath = "/usr/local/bin:/usr/bin:/bin"

// pipeGrace limits the wait, after a program has ended, for output that a process outside the
// group still holds open.
const pipeGrace = 2 * time.Second

// Config configures a [Runner].
type Config struct {
	// Dir is where runs get their fresh directories. It must exist.
	Dir string
	// Path is the list of directories in which programs are looked up, and the PATH of the
	// programs. Relative directories are left out; empty means DefaultPath.
	Path string
	// Env are further variables for every program, as KEY=VALUE. They override those of the
	// runner.
	Env []string
	// Limits replace the defaults for commands without limits: 10 minutes of wall and processor
	// time, 2 GiB of memory and of file size.
	Limits engine.Limits
	// Guard connects commands that ask for a network. The caller closes it after the last run.
	// nil means that such commands fail.
	Guard *egress.Guard
	// WithoutLandlock makes the runner behave as on a kernel without Landlock.
	WithoutLandlock bool
}

// Runner runs external programs as engine.Runner promises. It is safe for concurrent use and
// needs no closing: between runs it holds no resources.
type Runner struct {
	dir    string
	path   string
	env    []string
	limits engine.Limits
	guard  *egress.Guard
	kernel features
	system []string // files and folders that every program may read
}

// New returns a runner. The error names the invalid field of c.
func New(c Config) (*Runner, error) {
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return nil, fmt.Errorf("run: Dir: %w", err)
	}
	if info, err := os.Stat(dir); c.Dir == "" || err != nil || !info.IsDir() {
		return nil, fmt.Errorf("run: Dir: %q is not a directory", c.Dir)
	}
	for _, variable := range c.Env {
		if key, _, ok := strings.Cut(variable, "="); !ok || key == "" {
			return nil, fmt.Errorf("run: Env: %q is not KEY=VALUE", variable)
		}
	}
	if l := c.Limits; l.Wall < 0 || l.CPU < 0 || l.Memory < 0 || l.FileSize < 0 {
		return nil, errors.New("run: Limits: a limit is negative")
	}
	if c.Path = absolute(c.Path); c.Path == "" {
		c.Path = DefaultPath
	}
	return &Runner{
		dir:  dir,
		path: c.Path,
		env:  append([]string(nil), c.Env...),
		limits: orElse(c.Limits, engine.Limits{
			Wall: 10 * time.Minute, CPU: 10 * time.Minute, Memory: 2 << 30, FileSize: 2 << 30,
		}),
		guard:  c.Guard,
		kernel: findFeatures(!c.WithoutLandlock),
		system: append(foundSystem(), filepath.SplitList(c.Path)...),
	}, nil
}

// absolute drops the relative folders of a path, because a relative folder could hold files
// that a job has written.
func absolute(path string) string {
	all := slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool { return !filepath.IsAbs(dir) })
	return strings.Join(all, string(filepath.ListSeparator))
}

// Look returns the path of a program: it looks a name up in the runner's path, and checks an
// absolute path. The error is an *exec.Error.
func (r *Runner) Look(program string) (string, error) {
	if filepath.IsAbs(program) {
		return exec.LookPath(program)
	}
	if program == "" || filepath.Base(program) != program {
		return "", &exec.Error{Name: program, Err: exec.ErrNotFound}
	}
	for _, dir := range filepath.SplitList(r.path) {
		if path, err := exec.LookPath(filepath.Join(dir, program)); err == nil {
			return path, nil
		}
	}
	return "", &exec.Error{Name: program, Err: exec.ErrNotFound}
}

// Run runs a program as engine.Runner describes. It kills processes in the group that outlive
// the program. If a process has left the group and holds the output open, Run waits at most two
// seconds for it.
func (r *Runner) Run(ctx context.Context, c engine.Command) (engine.Exit, error) {
	path, err := r.Look(c.Program)
	if err != nil {
		return engine.Exit{}, err
	}
	dir := c.Dir
	if dir == "" {
		if dir, err = os.MkdirTemp(r.dir, "run-"); err != nil {
			return engine.Exit{}, fmt.Errorf("run: %w", err)
		}
		// A remainder lies in the server's scratch directory, which is emptied when the server
		// stops. The run itself has not failed.
		defer func() { _ = os.RemoveAll(dir) }()
	}
	c.Limits = orElse(c.Limits, r.limits)
	broken := &engine.LimitError{Program: filepath.Base(path), Limit: "wall time", Max: c.Limits.Wall.String()}
	ctx, cancel := context.WithTimeoutCause(ctx, c.Limits.Wall, broken)
	defer cancel()
	env := append(r.environ(dir), r.env...)
	may := access{
		read:  slices.Concat(r.system, r.parts(path), c.Reads),
		write: slices.Concat(devices, []string{dir}, c.Writes),
	}
	if c.Network != nil {
		return r.runConnected(ctx, path, dir, env, may, c)
	}
	return r.run(ctx, path, dir, env, may, c)
}

// Confined returns an error that says which confinement the kernel lacks (Landlock, seccomp, or
// both), with the cure, or nil if none is missing.
func (r *Runner) Confined() error {
	landlock, seccomp := r.Landlock(), r.Seccomp()
	if landlock != nil && seccomp != nil {
		return fmt.Errorf("%w; %w", landlock, seccomp)
	}
	return cmp.Or(landlock, seccomp)
}

// Landlock returns an error with the cure if the kernel does not restrict programs to the
// guard's proxy and to their own files.
func (r *Runner) Landlock() error {
	if !r.kernel.holdsNetwork() {
		return errors.New("this system does not hold programs to the egress guard: " + engine.CureUnconfined)
	}
	return nil
}

// Seccomp returns an error with the cure if the kernel does not refuse programs the system
// calls that they do not need.
func (r *Runner) Seccomp() error {
	if !r.kernel.refusesCalls() {
		return errors.New("this system does not refuse programs the system calls that they do not need: " + engine.CureUnfiltered)
	}
	return nil
}

// AsRoot reports whether programs run as root, because the service does.
func (r *Runner) AsRoot() bool { return os.Geteuid() == 0 }

// runConnected runs a program with access to the network during the run.
func (r *Runner) runConnected(ctx context.Context, path, dir string, env []string, may access, c engine.Command) (engine.Exit, error) {
	if r.guard == nil {
		return engine.Exit{}, fmt.Errorf("run: %s wants a network, and there is no egress guard", path)
	}
	pass, err := r.guard.Open(ctx, c.Network.Job, c.Network.MaxBytes)
	if err != nil {
		return engine.Exit{}, fmt.Errorf("run: network of %s: %w", path, err)
	}
	hide, err := admit(pass, &c)
	if err != nil {
		_ = pass.Close() // always nil
		return engine.Exit{}, fmt.Errorf("run: network of %s: %w", path, err)
	}
	if c.Network.Inside != nil {
		pass.Inside(c.Network.Inside)
	}
	may.port = r.guard.Port()
	exit, err := r.run(pass.Context(), path, dir, append(env, pass.Env()...), may, c)
	_ = pass.Close() // always nil
	exit.Stdout, exit.Stderr = hide(exit.Stdout), hide(exit.Stderr)
	exit.Refused, exit.Unknown = pass.Refused(), pass.Unknown()
	if errors.Is(err, egress.ErrLimit) {
		most := cmp.Or(c.Network.MaxBytes, egress.DefaultMaxBytes)
		err = &engine.LimitError{Program: filepath.Base(path), Limit: "bytes received", Max: fmt.Sprintf("%d bytes", most)}
	}
	return exit, err
}

// admit permits a command to call its service, if the command has one. The program calls an
// address with a password. hide replaces that address with the address of the service in
// texts.
func admit(pass *egress.Pass, c *engine.Command) (hide func([]byte) []byte, err error) {
	service := c.Network.Service
	if service == nil {
		return func(said []byte) []byte { return said }, nil
	}
	at, err := pass.Admit(service.URL)
	if err != nil {
		return nil, err
	}
	c.Args = slices.Concat(service.Args(at), c.Args)
	plain := service.URL.Scheme + "://" + service.URL.Host
	return func(said []byte) []byte { return bytes.ReplaceAll(said, []byte(at), []byte(plain)) }, nil
}

// run runs a program in a directory, with an environment, within the command's limits and its
// access.
func (r *Runner) run(ctx context.Context, path, dir string, env []string, may access, c engine.Command) (exit engine.Exit, err error) {
	if ctx.Err() != nil {
		return engine.Exit{}, context.Cause(ctx)
	}
	var stdout, stderr capped
	cmd := exec.Command(path, c.Args...)
	cmd.Dir = dir
	cmd.Env = env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Stdin, c.Stdout, c.Stderr
	if c.Stdout == nil {
		cmd.Stdout = &stdout
	}
	if c.Stderr == nil {
		cmd.Stderr = &stderr
	}
	cmd.SysProcAttr = r.kernel.attributes()
	cmd.WaitDelay = pipeGrace

	var ended *os.ProcessState
	onOwnThread(func() {
		if err = r.confine(may); err != nil {
			err = fmt.Errorf("run: confine %s: %w", path, err)
			return
		}
		err = r.startAndWait(ctx, cmd, c.Limits)
		ended = cmd.ProcessState
	})
	if ended == nil {
		return engine.Exit{}, err
	}
	exit = engine.Exit{Code: ended.ExitCode(), Stdout: stdout.data, Stderr: stderr.data}
	return exit, err
}

// startAndWait runs a program to its end. Its exit code is not an error.
func (r *Runner) startAndWait(ctx context.Context, cmd *exec.Cmd, l engine.Limits) error {
	k, err := r.kernel.start(cmd, l)
	if cmd.Process == nil {
		return fmt.Errorf("run: start %s: %w", cmd.Path, err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if err != nil {
		cancel(fmt.Errorf("run: limit %s: %w", cmd.Path, err))
	}
	err = wait(ctx, cmd, k)
	var exitErr *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &exitErr):
		if broken := brokenLimit(exitErr.ProcessState, l); broken != nil {
			broken.Program = filepath.Base(cmd.Path)
			return broken
		}
		return nil
	case errors.Is(err, exec.ErrWaitDelay):
		return nil // the program ended well; a process that it left holds a pipe
	case err != nil:
		return fmt.Errorf("run: %s: %w", cmd.Path, err)
	}
	return nil
}

// EndsAll reports whether all processes that a program starts end with it and with the server.
// If not, processes that leave the program's process group continue to run.
func (r *Runner) EndsAll() bool { return r.kernel.endsAll() }

// environ returns the environment that the runner gives to a program. It contains nothing of
// the server's own environment.
func (r *Runner) environ(dir string) []string {
	env := []string{"PATH=" + r.path, "LANG=C.UTF-8"}
	for _, key := range []string{
		"HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME",
	} {
		env = append(env, key+"="+dir)
	}
	return env
}

// killWhenDone kills the group of cmd when ctx ends. After stop has returned, nothing is killed
// any more.
func killWhenDone(ctx context.Context, cmd *exec.Cmd) (stop func()) {
	killed := make(chan struct{})
	cancel := context.AfterFunc(ctx, func() {
		defer close(killed)
		kill(cmd)
	})
	return func() {
		if !cancel() {
			<-killed
		}
	}
}

// orElse returns l with its zero fields taken from other.
func orElse(l, other engine.Limits) engine.Limits {
	if l.Wall == 0 {
		l.Wall = other.Wall
	}
	if l.CPU == 0 {
		l.CPU = other.CPU
	}
	if l.Memory == 0 {
		l.Memory = other.Memory
	}
	if l.FileSize == 0 {
		l.FileSize = other.FileSize
	}
	return l
}
