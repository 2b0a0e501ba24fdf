//go:build !unix

package run

import (
	"os/exec"
	"syscall"
)

// newGroup does nothing: on these systems only the program itself is killed.
func newGroup() *syscall.SysProcAttr { return nil }

// kill kills the program.
func kill(cmd *exec.Cmd) {
	// The only possible failure is that the program has already ended.
	_ = cmd.Process.Kill()
}
