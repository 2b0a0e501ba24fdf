//go:build unix

package sqldb

import (
	"os/exec"
	"syscall"
)

// killGroup kills a program and its children.
func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
