//go:build unix && !linux

package run

import "syscall"

// newGroup puts a program into a process group of its own.
func newGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
