//go:build !linux

package run

import (
	"context"
	"os"
	"os/exec"
	"syscall"

	"github.com/transcriptkit/transcriptkit/server/engine"
)

// wait waits for the program and kills the rest of its group.
func wait(ctx context.Context, cmd *exec.Cmd, _ *keeper) error {
	stop := killWhenDone(ctx, cmd)
	defer kill(cmd)
	defer stop()
	return cmd.Wait()
}

// features is empty: these systems do not confine programs.
type features struct{}

func findFeatures(bool) features { return features{} }

func (features) holdsNetwork() bool { return false }

func (features) refusesCalls() bool { return false }

func (features) endsAll() bool { return false }

func (features) attributes() *syscall.SysProcAttr { return newGroup() }

// keeper is unused here.
type keeper struct{}

// start starts a program without limits: these systems cannot set the limits of another
// process.
func (features) start(cmd *exec.Cmd, _ engine.Limits) (*keeper, error) { return nil, cmd.Start() }

func (*Runner) confine(access) error { return nil }

func onOwnThread(do func()) { do() }

// brokenLimit returns nil: there are no limits.
func brokenLimit(*os.ProcessState, engine.Limits) *engine.LimitError { return nil }
