package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/transcriptkit/transcriptkit/server/engine"
)

// newGroup puts a program into a process group of its own and ties its life to
// the thread that starts it, and so to the server, however that ends.
func newGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// wait waits for the program and kills what is left of its group. Nothing is
// killed once the program has been reaped: its number may then be another's.
func wait(ctx context.Context, cmd *exec.Cmd) error {
	stop := killWhenDone(ctx, cmd)
	for {
		err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			break // any other error comes again from Wait
		}
	}
	stop()
	kill(cmd)
	return cmd.Wait()
}

// limit sets the limits of a program that has just been started.
func limit(pid int, l engine.Limits) error {
	cpu := uint64((l.CPU + time.Second - 1) / time.Second)
	for _, r := range []struct {
		resource int
		cur, max uint64
	}{
		{unix.RLIMIT_CORE, 0, 0},
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
