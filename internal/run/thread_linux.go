package run

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// onOwnThread runs do on a thread that ends with it, so that do may change the thread
// irrevocably. Processes that do starts inherit the change, and die with the thread.
func onOwnThread(do func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked, so the thread ends
		if unix.Gettid() == unix.Getpid() {
			// The first thread of a process does not end. Hold it here, so that the next
			// goroutine gets another thread.
			defer runtime.UnlockOSThread()
			onOwnThread(do)
			return
		}
		do()
	}()
	<-done
}

// confine removes from the calling thread what a program must not inherit.
func (r *Runner) confine(may access) error {
	if err := closeInherited(); err != nil {
		return fmt.Errorf("descriptors: %w", err)
	}
	if r.kernel.family == byRoot {
		if err := unix.Unshare(unix.CLONE_NEWPID); err != nil {
			return fmt.Errorf("PID namespace: %w", err)
		}
	}
	// No program gains rights when it starts, for example through a setuid bit.
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	if err := dropPowers(); err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	if err := r.kernel.restrict(may); err != nil {
		return err
	}
	if !r.kernel.filters {
		return nil
	}
	// Load the filter last, because it refuses the calls above.
	return loadFilter(SyscallOptions{OwnPIDs: r.kernel.family == byOwner})
}

// closeInherited marks all descriptors of the process except the first three as close-on-exec.
// Go marks its own descriptors; inherited ones, and those of C libraries, may be unmarked.
func closeInherited() error {
	if unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return nil
	}
	entries, err := os.ReadDir("/proc/self/fd") // before Linux 5.11
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

// dropPowers removes all capabilities from a thread of root, except the one over file
// permissions; Landlock decides which files it may open. Otherwise a program of root could
// change the network's rules or load a kernel module.
func dropPowers() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var has [2]unix.CapUserData
	if err := unix.Capget(&header, &has[0]); err != nil {
		return err
	}
	if has == [2]unix.CapUserData{} {
		return nil // as in a unit of systemd that refuses capset too
	}
	kept := has[0].Permitted & (1 << unix.CAP_DAC_OVERRIDE)
	keeps := [2]unix.CapUserData{{Effective: kept, Permitted: kept}}
	return unix.Capset(&header, &keeps[0])
}
