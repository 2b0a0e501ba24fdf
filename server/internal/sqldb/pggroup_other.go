//go:build !unix

package sqldb

import (
	"os/exec"
	"syscall"
)

// ownGroup does nothing: on these systems only the program itself is killed.
func ownGroup() *syscall.SysProcAttr { return nil }

// killGroup kills a program.
func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }
