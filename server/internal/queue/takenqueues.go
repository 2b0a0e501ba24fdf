package queue

import (
	"context"
	"errors"
	"time"

	"github.com/riverqueue/river"
)

const (
	// takesEvery is how often the runner asks from which queues the process takes steps.
	takesEvery = 500 * time.Millisecond
	// leaveTime is how long the runner waits for the steps of a queue that it leaves. After
	// that it continues and checks again later. No step begins meanwhile.
	leaveTime = 100 * time.Millisecond
)

// leaveQueues removes queues from the client, and from taken, if the process does not
// take their steps.
func (r *runner) leaveQueues(ctx context.Context, taken map[string]int) error {
	for queue := range r.workers.Queues {
		if _, was := taken[queue]; !was || r.workers.Takes(queue) {
			continue
		}
		waited, stop := context.WithTimeout(ctx, leaveTime)
		err := r.client.Queues().Remove(waited, queue)
		stop()
		if err != nil && waited.Err() == nil {
			return err
		}
		if err == nil {
			delete(taken, queue)
		}
	}
	return nil
}

// joinQueues adds queues to the client if the process takes their steps again.
func (r *runner) joinQueues(taken map[string]int) error {
	var failed error
	for queue, n := range r.workers.Queues {
		if _, is := taken[queue]; is || !r.workers.Takes(queue) {
			continue
		}
		if err := r.client.Queues().Add(queue, river.QueueConfig{MaxWorkers: n}); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		taken[queue] = n
	}
	return failed
}

// followTakes lets the client work on the queues that Workers.Takes names. taken are the
// queues that the client works on.
func (r *runner) followTakes(ctx context.Context, taken map[string]int) {
	if err := errors.Join(r.leaveQueues(ctx, taken), r.joinQueues(taken)); err != nil && ctx.Err() == nil {
		r.queue.log.WarnContext(ctx, "a queue cannot be joined or left", "err", err)
	}
}
