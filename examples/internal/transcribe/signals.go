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

// untilSignal returns a context that ends with the first signal. The second signal ends the
// process at once.
func untilSignal() context.Context {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return untilHangUp(ctx)
}

// untilHangUp returns a context that also ends when the terminal has gone, with errHungUp as its
// cause. Under nohup the work goes on.
func untilHangUp(ctx context.Context) context.Context {
	if signal.Ignored(syscall.SIGHUP) {
		return ctx
	}
	came := make(chan os.Signal, 1)
	signal.Notify(came, syscall.SIGHUP)
	ctx, end := context.WithCancelCause(ctx)
	go func() { // ends with the process, or with ctx
		select {
		case <-came:
		case <-ctx.Done():
		}
		signal.Stop(came)
		end(errHungUp) // of a context that has ended already, the cause stays
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
