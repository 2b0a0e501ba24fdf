//go:build !unix

package run

import (
	"os/exec"
	"syscall"
)

// newGroup does nothing: only the program itself is killed on these systems.
func newGroup() *syscall.SysProcAttr { return nil }

// kill kills the program.
func kill(cmd *exec.Cmd) {
	// The only failure there is, the program has ended, is what is wanted.
	_ = cmd.Process.Kill()
}
