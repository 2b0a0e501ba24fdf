package db

import (
	"context"
	"encoding/json"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"
)

// lookout lets a River client fetch again as soon as a run has ended, where work was
// left waiting though there was a worker for it: the last worker is kept from batches,
// and another process may have been faster. River takes an answer with less than it has
// asked for as a sign that nothing waits, and would look again a second later.
type lookout struct {
	busy map[int64]string // the queue of each run that has not ended yet
	left map[string]bool  // queues in which work was left waiting
	due  chan string      // queues to be looked at; one that is lost is looked at at the next poll
}

func newLookout(queues map[string]int) lookout {
	return lookout{map[int64]string{}, map[string]bool{}, make(chan string, 4*len(queues)+1)}
}

// leave notes whether a fetch by a client that knew of so many free workers has left
// work waiting. Where the client had not yet heard of an end, it is to fetch again.
func (h *hands) leave(queue string, free int, left bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.left[queue] = left
	ours := h.workers[queue]
	for _, q := range h.busy {
		if q == queue {
			ours--
		}
	}
	if left && ours > free {
		h.look(queue)
	}
}

// look has a queue looked at. h.mu must be held.
func (h *hands) look(queue string) {
	select {
	case h.due <- queue:
	default:
	}
}

// during is around each run.
func (h *hands) during(ctx context.Context, job *rivertype.JobRow, run func(context.Context) error) error {
	defer func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.busy, job.ID)
		if h.left[job.Queue] {
			h.look(job.Queue)
		}
	}()
	return run(ctx)
}

// listensForEnds is River's listener, which also hears of queues that are to be looked at.
type listensForEnds struct {
	riverdriver.Listener

	hands *hands
}

// WaitForNotification returns the next notification, as River sends it when work was
// inserted.
func (l listensForEnds) WaitForNotification(ctx context.Context) (*riverdriver.Notification, error) {
	type answer struct {
		heard *riverdriver.Notification
		err   error
	}
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	answers := make(chan answer, 1)
	go func() {
		heard, err := l.Listener.WaitForNotification(waiting)
		answers <- answer{heard, err}
	}()
	select {
	case a := <-answers:
		return a.heard, a.err
	case queue := <-l.hands.due:
		stop()
		if a := <-answers; a.err == nil { // both at once: the queue's turn is the next
			l.hands.mu.Lock()
			defer l.hands.mu.Unlock()
			l.hands.look(queue)
			return a.heard, nil
		}
		payload, err := json.Marshal(map[string]string{"queue": queue})
		return &riverdriver.Notification{Topic: "river_insert", Payload: string(payload)}, err
	}
}
