//go:build !linux

package run

import (
	"context"
	"os"
	"os/exec"

	"github.com/transcriptkit/transcriptkit/server/engine"
)

// wait waits for the program and kills what is left of its group.
func wait(ctx context.Context, cmd *exec.Cmd) error {
	stop := killWhenDone(ctx, cmd)
	defer kill(cmd)
	defer stop()
	return cmd.Wait()
}

// limit does nothing: these systems let no process set the limits of another.
func limit(int, engine.Limits) error { return nil }

// brokenLimit knows of no limits.
func brokenLimit(*os.ProcessState, engine.Limits) *engine.LimitError { return nil }
