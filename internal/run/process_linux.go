package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/transcriptkit/transcriptkit/internal/seccomp"
	"github.com/transcriptkit/transcriptkit/server/engine"
)

// features are what the kernel grants to hold programs with.
type features struct {
	landlock
	family
	gate    bool // a program can be held before its first instruction
	filters bool // system calls can be refused
}

// findFeatures asks the kernel. What it forbids shows when a program that is not
// there is started: it is refused before the program is missed.
func findFeatures(withLandlock bool) features {
	f := features{gate: startsAbsent(&syscall.SysProcAttr{Ptrace: true}), filters: loadsFilter()}
	f.family = findFamily(f.gate)
	if withLandlock {
		f.landlock = findLandlock()
	}
	return f
}

// loadsFilter tells whether the kernel takes a filter of system calls.
func loadsFilter() (ok bool) {
	onOwnThread(func() {
		ok = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == nil && seccomp.Load(seccomp.Options{}) == nil
	})
	return ok
}

// refusesCalls tells whether programs are refused the system calls that they do not need.
func (f features) refusesCalls() bool { return f.filters }

func startsAbsent(attr *syscall.SysProcAttr) bool {
	cmd := exec.Command("/nonexistent/program")
	cmd.SysProcAttr = attr
	return errors.Is(cmd.Start(), fs.ErrNotExist)
}

// attributes put a program into a process group of its own and tie its life to
// the thread that starts it, and so to the server, however that ends.
func (f features) attributes() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL, Ptrace: f.gate}
	switch f.family {
	case byRoot:
		attr.Pdeathsig = 0 // the keeper's; Go takes a parent outside of the namespace for dead
	case byOwner:
		attr.Cloneflags = userNamespace
	case loose:
	}
	return attr
}

// start starts a program with its limits, after the keeper that it may need.
func (f features) start(cmd *exec.Cmd, l engine.Limits) (k *keeper, err error) {
	if f.family == byRoot {
		if k, err = newKeeper(cmd.Path); err != nil {
			return nil, err
		}
	}
	if err := cmd.Start(); err != nil {
		k.kill()
		k.reap()
		return nil, err
	}
	return k, f.started(cmd.Process.Pid, l)
}

// started sets the limits of a program that has just been started and lets it go.
func (f features) started(pid int, l engine.Limits) error {
	if !f.gate {
		return f.limit(pid, l)
	}
	// It stops by itself before its first instruction, or has been killed.
	err := waitFor(pid, unix.WEXITED|unix.WSTOPPED)
	if err == nil {
		err = f.limit(pid, l)
	}
	if err := unix.PtraceDetach(pid); err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("let go: %w", err)
	}
	return err
}

// waitFor waits until a child changes its state, and leaves that to be seen again.
func waitFor(pid, options int) error {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, options|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// wait waits for the program and kills what is left of its group. Nothing is
// killed once the program has been reaped: its number may then be another's.
func wait(ctx context.Context, cmd *exec.Cmd, k *keeper) error {
	stop := killWhenDone(ctx, cmd)
	_ = waitFor(cmd.Process.Pid, unix.WEXITED) // an error comes again from Wait
	stop()
	kill(cmd)
	k.kill()
	defer k.reap()
	return cmd.Wait()
}

// What a program may have at once: open files, and processes with their threads.
const (
	maxOpen      = 1024
	maxProcesses = 1024
)

// limit sets the limits of a program.
func (f features) limit(pid int, l engine.Limits) error {
	processes := uint64(math.MaxUint64)
	if f.family == byOwner && f.holdsNetwork() { // since Linux 5.14 those of its namespace count, before all of its user
		processes = maxProcesses
	}
	cpu := uint64((l.CPU + time.Second - 1) / time.Second)
	for _, r := range []struct {
		resource int
		cur, max uint64
	}{
		{unix.RLIMIT_CORE, 0, 0},
		{unix.RLIMIT_NOFILE, maxOpen, maxOpen},
		{unix.RLIMIT_NPROC, processes, processes},
		// What a program writes to, not what it reserves: an engine for JavaScript
		// reserves many GiB of addresses, whatever it is going to use.
		{unix.RLIMIT_DATA, uint64(l.Memory), uint64(l.Memory)},
		{unix.RLIMIT_FSIZE, uint64(l.FileSize), uint64(l.FileSize)},
		// The first limit signals, the second one kills who does not listen.
		{unix.RLIMIT_CPU, cpu, cpu + 1},
	} {
		err := lower(pid, r.resource, r.cur, r.max)
		if err != nil && !errors.Is(err, unix.ESRCH) { // ESRCH: it has ended already
			return fmt.Errorf("prlimit: %w", err)
		}
	}
	return nil
}

// lower sets a limit that is never above the one the server has itself, which
// only root could raise.
func lower(pid, resource int, cur, max uint64) error {
	var own unix.Rlimit
	if err := unix.Prlimit(pid, resource, nil, &own); err != nil {
		return err
	}
	return unix.Prlimit(pid, resource, &unix.Rlimit{Cur: min(cur, own.Max), Max: min(max, own.Max)}, nil)
}

// brokenLimit tells which limit ended a program, if one did. One that ran out of
// memory is told so by its allocator and ends as it likes, which cannot be seen
// from here.
func brokenLimit(state *os.ProcessState, l engine.Limits) *engine.LimitError {
	status, ok := state.Sys().(syscall.WaitStatus)
	switch {
	case !ok:
		return nil
	case status.Signaled() && status.Signal() == syscall.SIGXFSZ:
		return &engine.LimitError{Limit: "file size", Max: fmt.Sprintf("%d bytes", l.FileSize)}
	case status.Signaled() && status.Signal() == syscall.SIGXCPU,
		// A program may catch that signal, and so may its parent. The kernel limits
		// by ticks but accounts by the clock, which on a busy machine counts less.
		state.UserTime()+state.SystemTime() >= l.CPU*3/4:
		return &engine.LimitError{Limit: "processor time", Max: l.CPU.String()}
	}
	return nil
}
