package run

import (
	"fmt"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// family says how all processes that a program starts are killed with the program and with the
// server: in a PID namespace, the kernel kills every process when the first process ends.
type family int

const (
	loose   family = iota // no PID namespace: processes that leave the program's process group continue to run
	byRoot                // a thread of root makes a namespace for each program, with a keeper as its first process
	byOwner               // the program is the first process of a PID namespace in its own user namespace
)

func (f family) endsAll() bool { return f != loose }

// userNamespace are the flags for namespaces that need no root.
const userNamespace = unix.CLONE_NEWUSER | unix.CLONE_NEWPID

// findFamily asks the kernel. gate says that a keeper can be stopped before its first
// instruction.
func findFamily(gate bool) (f family) {
	onOwnThread(func() {
		switch {
		case gate && unix.Unshare(unix.CLONE_NEWPID) == nil:
			f = byRoot
		case startsAbsent(&syscall.SysProcAttr{Cloneflags: userNamespace}):
			f = byOwner
		}
	})
	return f
}

// keeper is the first process of a namespace: a copy of the program that is stopped forever
// before its first instruction. So the program itself is not the first process, which ignores
// most signals. nil means that there is no keeper.
type keeper struct{ cmd *exec.Cmd }

// newKeeper starts the first process of the namespace that the calling thread has made. The
// keeper dies with that thread.
func newKeeper(path string) (*keeper, error) {
	k := &keeper{exec.Command(path)}
	k.cmd.Env = []string{}
	k.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL, Ptrace: true}
	if err := k.cmd.Start(); err != nil {
		return nil, err
	}
	err := waitFor(k.cmd.Process.Pid, unix.WEXITED|unix.WSTOPPED)
	if err == nil {
		err = unix.PtraceSetOptions(k.cmd.Process.Pid, unix.PTRACE_O_EXITKILL)
	}
	if err != nil {
		k.kill()
		k.reap()
		return nil, fmt.Errorf("keeper: %w", err)
	}
	return k, nil
}

// kill ends the namespace.
func (k *keeper) kill() {
	if k != nil {
		// The only possible failure is that the keeper has already ended.
		_ = k.cmd.Process.Kill()
	}
}

// reap returns when all processes of the namespace have ended. The caller must have reaped the
// program before.
func (k *keeper) reap() {
	if k != nil {
		_ = k.cmd.Wait() // it always reports that it was killed
	}
}
