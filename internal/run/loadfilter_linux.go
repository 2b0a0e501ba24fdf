package run

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// loadFilter permanently sets the filter for the calling thread, and for everything that it starts.
// The other threads of the process stay unrestricted. The thread must be locked to its goroutine
// and must have set no_new_privs.
func loadFilter(o SyscallOptions) error {
	filter, err := SyscallFilter(runtime.GOARCH, o)
	if err != nil {
		return err
	}
	raw, err := bpf.Assemble(filter)
	if err != nil {
		return fmt.Errorf("seccomp: %w", err)
	}
	code := make([]unix.SockFilter, len(raw))
	for i, in := range raw {
		code[i] = unix.SockFilter{Code: in.Op, Jt: in.Jt, Jf: in.Jf, K: in.K}
	}
	program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	const thisThread = 0
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, thisThread, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	return nil
}
