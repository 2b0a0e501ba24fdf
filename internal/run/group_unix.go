//go:build unix

package run

import (
	"os/exec"
	"syscall"
)

// kill kills the process group of cmd.
func kill(cmd *exec.Cmd) {
	// The only possible failure is that no process is left.
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
}
