//go:build unix

package run

import (
	"os/exec"
	"syscall"
)

// kill kills the process group of cmd.
func kill(cmd *exec.Cmd) {
	// The only failure there is, no process left, is what is wanted.
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
}
