package transcribe

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// The reasons why a person or the system ends the program.
var (
	errInterrupted = errors.New("interrupted")
	errHungUp      = errors.New("hung up")
)

// untilSignal returns a context that ends with the first signal. Its cause is errHungUp if the
// terminal has gone, and else errInterrupted. The second signal ends the process at once.
func untilSignal() context.Context {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it, so that the work goes on
		signals = append(signals, syscall.SIGHUP)
	}
	came := make(chan os.Signal, 1)
	signal.Notify(came, signals...)
	ctx, end := context.WithCancelCause(context.Background())
	go func() { // ends with the process
		cause := errInterrupted
		if <-came == syscall.SIGHUP {
			cause = errHungUp
		}
		signal.Stop(came)
		end(cause)
	}()
	return ctx
}

// ending returns why ctx has ended.
func ending(ctx context.Context) error {
	if errors.Is(context.Cause(ctx), errHungUp) {
		return errHungUp
	}
	return errInterrupted
}

// exitEnded returns the exit code after the end of ctx.
func exitEnded(ctx context.Context) int {
	if errors.Is(ending(ctx), errHungUp) {
		return exitHungUp
	}
	return exitInterrupted
}
