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

	"github.com/transcriptkit/transcriptkit/server/engine"
)

// features lists what the kernel offers to confine programs.
type features struct {
	landlock
	family
	gate    bool // a program can be stopped before its first instruction
	filters bool // system calls can be refused
}

// findFeatures asks the kernel. It tests a feature by starting a missing program: if the kernel
// forbids the feature, the start fails earlier than with "not found".
func findFeatures(withLandlock bool) features {
	f := features{gate: startsAbsent(&syscall.SysProcAttr{Ptrace: true}), filters: loadsFilter()}
	f.family = findFamily(f.gate)
	if withLandlock {
		f.landlock = findLandlock()
	}
	return f
}

// loadsFilter reports whether the kernel accepts a filter of system calls.
func loadsFilter() (ok bool) {
	onOwnThread(func() {
		ok = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == nil && loadFilter(SyscallOptions{}) == nil
	})
	return ok
}

// refusesCalls reports whether programs are refused system calls that they do not need.
func (f features) refusesCalls() bool { return f.filters }

func startsAbsent(attr *syscall.SysProcAttr) bool {
	cmd := exec.Command("/nonexistent/program")
	cmd.SysProcAttr = attr
	return errors.Is(cmd.Start(), fs.ErrNotExist)
}

// attributes put a program into a process group of its own and tie its life to the thread that
// starts it. So the program dies with the server in every case.
func (f features) attributes() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL, Ptrace: f.gate}
	switch f.family {
	case byRoot:
		attr.Pdeathsig = 0 // the keeper has it; Go considers a parent outside of the namespace dead
	case byOwner:
		attr.Cloneflags = userNamespace
	case loose:
	}
	return attr
}

// start starts a program with its limits, after its keeper if it needs one.
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

// started sets the limits of a program that was just started and lets it run.
func (f features) started(pid int, l engine.Limits) error {
	if !f.gate {
		return f.limit(pid, l)
	}
	// The program stops by itself before its first instruction, or has been killed.
	err := waitFor(pid, unix.WEXITED|unix.WSTOPPED)
	if err == nil {
		err = f.limit(pid, l)
	}
	if err := unix.PtraceDetach(pid); err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("let go: %w", err)
	}
	return err
}

// waitFor waits until a child changes its state, without consuming the change.
func waitFor(pid, options int) error {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, options|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// wait waits for the program and kills the rest of its group. It kills nothing after the
// program has been reaped, because another process may then have its number.
func wait(ctx context.Context, cmd *exec.Cmd, k *keeper) error {
	stop := killWhenDone(ctx, cmd)
	_ = waitFor(cmd.Process.Pid, unix.WEXITED) // Wait returns the error again
	stop()
	kill(cmd)
	k.kill()
	defer k.reap()
	return cmd.Wait()
}

// The limits of a program: open files, and processes including threads.
const (
	maxOpen      = 1024
	maxProcesses = 1024
)

// limit sets the limits of a program.
func (f features) limit(pid int, l engine.Limits) error {
	processes := uint64(math.MaxUint64)
	if f.family == byOwner && f.holdsNetwork() { // since Linux 5.14 the limit counts the processes of its namespace; before, all of its user
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
		// This limits the memory that a program writes to, not the addresses that it reserves:
		// a JavaScript engine reserves many GiB of addresses.
		{unix.RLIMIT_DATA, uint64(l.Memory), uint64(l.Memory)},
		{unix.RLIMIT_FSIZE, uint64(l.FileSize), uint64(l.FileSize)},
		// The first limit sends a signal, the second one kills a program that ignores the
		// signal.
		{unix.RLIMIT_CPU, cpu, cpu + 1},
	} {
		err := lower(pid, r.resource, r.cur, r.max)
		if err != nil && !errors.Is(err, unix.ESRCH) { // ESRCH: the program has already ended
			return fmt.Errorf("prlimit: %w", err)
		}
	}
	return nil
}

// lower sets a limit, but never above the server's own limit, which only root could raise.
func lower(pid, resource int, cur, max uint64) error {
	var own unix.Rlimit
	if err := unix.Prlimit(pid, resource, nil, &own); err != nil {
		return err
	}
	return unix.Prlimit(pid, resource, &unix.Rlimit{Cur: min(cur, own.Max), Max: min(max, own.Max)}, nil)
}

// brokenLimit returns the limit that ended a program, if there is one. If a program runs out of
// memory, its allocator reports that and the program ends in its own way, so brokenLimit cannot
// recognize it.
func brokenLimit(state *os.ProcessState, l engine.Limits) *engine.LimitError {
	status, ok := state.Sys().(syscall.WaitStatus)
	switch {
	case !ok:
		return nil
	case status.Signaled() && status.Signal() == syscall.SIGXFSZ:
		return &engine.LimitError{Limit: "file size", Max: fmt.Sprintf("%d bytes", l.FileSize)}
	case status.Signaled() && status.Signal() == syscall.SIGXCPU,
		// A program may catch that signal, and so may its parent. The kernel limits by ticks
		// but accounts by the clock, so a busy machine shows less time.
		state.UserTime()+state.SystemTime() >= l.CPU*3/4:
		return &engine.LimitError{Limit: "processor time", Max: l.CPU.String()}
	}
	return nil
}
