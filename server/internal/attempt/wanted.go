package attempt

import (
	"context"
	"errors"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
)

// lookEvery is the longest wait for a signal before the next check.
const lookEvery = 2 * time.Second

// ErrUnwanted ends work on a row that has ended or changed meanwhile.
var ErrUnwanted = errors.New("attempt: this work is no longer wanted")

// Rest waits for a signal of the store that a row has changed. It waits at most for lookEvery,
// because a signal may be lost. It returns false if ctx has ended.
func Rest(ctx context.Context, signal <-chan struct{}) bool {
	timer := time.NewTimer(lookEvery)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-signal:
	case <-timer.C:
	}
	return true
}

// WhileWanted runs fn on the row with the id. As soon as ended returns true, the context of fn ends
// with the cause ErrUnwanted, and WhileWanted returns ErrUnwanted if fn fails. The first check
// follows a signal or a second: the caller has just checked, or fn begins with a check.
func WhileWanted(ctx context.Context, s *db.Store, id string, ended func(context.Context) bool, fn func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	signal, stop := s.Watch(id)
	defer stop()
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		if untilEnded(ctx, signal, ended) {
			cancel(ErrUnwanted)
		}
	}()
	err := fn(ctx)
	if err != nil && errors.Is(context.Cause(ctx), ErrUnwanted) {
		err = ErrUnwanted
	}
	cancel(nil)
	<-watched
	return err
}

// untilEnded returns true as soon as ended does, and false when ctx ends.
func untilEnded(ctx context.Context, signal <-chan struct{}, ended func(context.Context) bool) bool {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-signal:
		case <-tick.C:
		}
		if ended(ctx) {
			return true
		}
	}
}
