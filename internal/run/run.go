// Package run starts external programs for the engines. It is the one place
// that does: [Runner] implements engine.Runner.
//
//	programs, err := run.New(run.Config{Dir: spool})
//	exit, err := programs.Run(ctx, engine.Command{Program: "ffprobe", Args: []string{"-version"}})
//
// A program gets an environment built from nothing, a directory of its own, a
// process group that is killed as a whole, and limits. On Linux the kernel
// enforces the limits, for each process, from the first instruction on, and kills
// the program and all that it has started when it ends, or when the server itself
// is killed: they live in a PID namespace. That takes root, or the right of others
// to a user namespace (many containers grant neither: there, what has left the
// process group lives on). Without root the program is the namespace's first
// process, which gets no signals that end others: it is told when a file grows too
// large, and not ended. The number of its processes is bounded there, and not for
// root. On other systems only the time from start to end is bounded.
//
// A command that asks for a network gets a pass through the egress guard: its
// environment names the guard's proxy, with a password that holds for this run.
//
// Where Linux has Landlock, the kernel holds a program to that, whatever it does.
// It opens its directory, the files that the command names, and of the system what
// every program needs; it sees no other process's environment, memory or
// descriptors. It connects by TCP to the guard's port, or to nothing, and listens
// nowhere. [Runner.Confined] tells where this cannot be had: there a program that
// ignores its environment reaches the network without the guard.
//
// A seccomp filter (package seccomp) refuses what Landlock does not see, on amd64 and
// arm64: listening, UDP, multipath TCP, sockets in the file system, the modes and times
// of files, namespaces and more. SECURITY.md names what is left.
package run

import (
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

// DefaultPath is where programs are looked up unless [Config] says otherwise.
const DefaultPath = "/usr/local/bin:/usr/bin:/bin"

// pipeGrace is how long a run waits, after its program has ended, for output
// that a process outside the group still holds open.
const pipeGrace = 2 * time.Second

// Config says how a [Runner] runs programs.
type Config struct {
	// Dir is where runs get their fresh directories. It must exist.
	Dir string
	// Path is the list of directories in which programs are looked up, and the
	// PATH they see, relative ones left out; empty means DefaultPath.
	Path string
	// Env are further variables for every program, as KEY=VALUE. They win over
	// those the runner sets.
	Env []string
	// Limits replace the defaults for commands that set none: 10 minutes of wall
	// and processor time, 2 GiB of memory and of file size.
	Limits engine.Limits
	// Guard lets commands that ask for a network reach it. The caller closes it,
	// after the last run. nil: such commands fail.
	Guard *egress.Guard
	// WithoutLandlock is for tests: it does as on a kernel that has no Landlock.
	WithoutLandlock bool
}

// Runner runs external programs as engine.Runner promises. It is safe for
// concurrent use and needs no closing: when no run is under way it holds nothing.
type Runner struct {
	dir    string
	path   string
	env    []string
	limits engine.Limits
	guard  *egress.Guard
	kernel features
	system []string // files and folders that every program may read
}

// New returns a runner. The error names the field of c that cannot be used.
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

// absolute are the folders of a path that are not relative: these would find what a job
// has written.
func absolute(path string) string {
	all := slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool { return !filepath.IsAbs(dir) })
	return strings.Join(all, string(filepath.ListSeparator))
}

// Look returns the path of a program: of a name in the runner's path, or the
// absolute path itself when a program is there. The error is an *exec.Error.
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

// Run runs a program as engine.Runner says. A process that outlives the program
// in its group is killed; one that has left the group and holds the output open
// is waited for no longer than two seconds.
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
		// What cannot be removed lies in the server's directory for scratch files,
		// which is cleared when the server stops; the run itself has not failed.
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

// Confined tells, as an error that names the cure, what the kernel lacks to confine
// programs: Landlock, seccomp, or both. nil: nothing.
func (r *Runner) Confined() error {
	landlock, seccomp := r.Landlock(), r.Seccomp()
	if landlock != nil && seccomp != nil {
		return fmt.Errorf("%w; %w", landlock, seccomp)
	}
	return cmp.Or(landlock, seccomp)
}

// Landlock tells, as an error that names the cure, why the kernel does not hold
// programs to the guard's proxy and to their own files. nil: it does.
func (r *Runner) Landlock() error {
	if !r.kernel.holdsNetwork() {
		return errors.New("this system does not hold programs to the egress guard: " + engine.CureUnconfined)
	}
	return nil
}

// Seccomp tells, as an error that names the cure, why the kernel does not refuse
// programs the system calls that they do not need. nil: it does.
func (r *Runner) Seccomp() error {
	if !r.kernel.refusesCalls() {
		return errors.New("this system does not refuse programs the system calls that they do not need: " + engine.CureUnfiltered)
	}
	return nil
}

// AsRoot tells that programs run as root, because the service does.
func (r *Runner) AsRoot() bool { return os.Geteuid() == 0 }

// runConnected runs a program that has a way to the network for as long as it runs.
func (r *Runner) runConnected(ctx context.Context, path, dir string, env []string, may access, c engine.Command) (engine.Exit, error) {
	if r.guard == nil {
		return engine.Exit{}, fmt.Errorf("run: %s wants a network, and there is no egress guard", path)
	}
	pass, err := r.guard.Open(ctx, c.Network.Job, c.Network.MaxBytes)
	if err != nil {
		return engine.Exit{}, fmt.Errorf("run: network of %s: %w", path, err)
	}
	may.port = r.guard.Port()
	exit, err := r.run(pass.Context(), path, dir, append(env, pass.Env()...), may, c)
	_ = pass.Close() // always nil
	exit.Refused = pass.Refused()
	if errors.Is(err, egress.ErrLimit) {
		most := cmp.Or(c.Network.MaxBytes, egress.DefaultMaxBytes)
		err = &engine.LimitError{Program: filepath.Base(path), Limit: "bytes received", Max: fmt.Sprintf("%d bytes", most)}
	}
	return exit, err
}

// run runs a program in a directory, with an environment, within the command's
// limits and what it may open and reach.
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

// startAndWait runs a program to its end. Its exit code is no error.
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
		return nil // the program ended well; what it left behind holds a pipe
	case err != nil:
		return fmt.Errorf("run: %s: %w", cmd.Path, err)
	}
	return nil
}

// EndsAll tells whether all that a program starts ends with it and with the server.
// Else what leaves the program's process group lives on.
func (r *Runner) EndsAll() bool { return r.kernel.endsAll() }

// environ is all that a program learns from the runner's side: nothing of the
// server's own environment.
func (r *Runner) environ(dir string) []string {
	env := []string{"PATH=" + r.path, "LANG=C.UTF-8"}
	for _, key := range []string{
		"HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME",
	} {
		env = append(env, key+"="+dir)
	}
	return env
}

// killWhenDone kills the group of cmd when ctx ends. After stop has returned
// nothing is killed any more.
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

// orElse returns l with its zero members taken from other.
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
