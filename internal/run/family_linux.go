package run

import (
	"fmt"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// family is how all that a program starts is made to die with it, and with the
// server: a PID namespace, whose every process the kernel ends with its first one.
type family int

const (
	loose   family = iota // it cannot be had: what leaves the program's process group lives on
	byRoot                // a thread of root makes one for each program, with a keeper as its first process
	byOwner               // the program is the first process of one in a user namespace of its own
)

func (f family) endsAll() bool { return f != loose }

// userNamespace makes the namespaces that need no root.
const userNamespace = unix.CLONE_NEWUSER | unix.CLONE_NEWPID

// findFamily asks the kernel. gate tells that a keeper can be held.
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

// keeper is the first process of a namespace: a copy of the program that is held
// before its first instruction for good. That spares the program the part of a
// first process, which the kernel sends no signals that end others. nil: there is
// none.
type keeper struct{ cmd *exec.Cmd }

// newKeeper starts the first process of the namespace that the calling thread has
// made, which dies with that thread.
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
		// The only failure there is, it has ended already, is what is wanted.
		_ = k.cmd.Process.Kill()
	}
}

// reap returns when all of the namespace have ended. The program must have been
// reaped before.
func (k *keeper) reap() {
	if k != nil {
		_ = k.cmd.Wait() // that it was killed
	}
}
