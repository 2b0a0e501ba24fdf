package ask

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
)

// A process that cannot ask a platform writes the question into the table of lookups,
// together with a step in a queue. A process that can ask the platform takes the step and
// writes the answer into the table, where the first process waits for it.

// Step asks a question for readers of another process.
type Step struct {
	Lookup string `json:"lookup"`       // the id of the question
	In     string `json:"in,omitempty"` // the queue
}

// Kind is the kind of the step in the queue.
func (Step) Kind() string { return "question" }

// Queue is the queue that the step waits in.
func (s Step) Queue() string { return s.In }

// fromOthers lets another process ask the question. If no process is alive, the reader
// does not wait.
func (d *desk[A]) fromOthers(ctx context.Context, q question[A]) (none A, err error) {
	if len(d.cluster.Living(ctx)) == 0 {
		return none, notAsked().Because(cluster.ErrNoWorkers)
	}
	l := q.row()
	err = d.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		asked, err := Lookups{tx}.Put(ctx, l, d.patience)
		if err != nil || !asked { // an equal question is under way
			return err
		}
		return tx.Queue.Enqueue(ctx, Step{Lookup: l.ID, In: d.queue})
	})
	if err != nil {
		return none, fmt.Errorf("ask: having a platform asked: %w", err)
	}
	l, err = d.await(ctx, l.ID)
	switch {
	case err != nil:
		return none, err
	case l.Answer != nil:
		return q.unpack(ctx, l.Answer)
	case !d.takenUp(ctx, l.ID):
		return none, notAsked()
	}
	return none, d.tooLate()
}

// takenUp reports whether a process with a recent heartbeat has begun to ask a question.
func (d *desk[A]) takenUp(ctx context.Context, id string) bool {
	awake, err := d.cluster.Awake(ctx)
	var taken bool
	if err == nil {
		taken, err = d.store.Queue.TakenUp(ctx, id, awake)
	}
	if err != nil {
		d.log.WarnContext(ctx, "it is not known whether a process asks a question", "lookup", id, "err", err)
	}
	return taken
}

// await returns the question as soon as it has its last answer. After the reader's
// patience it returns the question with the best answer so far.
func (d *desk[A]) await(ctx context.Context, id string) (*Lookup, error) {
	wake, stop := d.store.Watch(id)
	defer stop()
	patience := time.NewTimer(d.patience)
	defer patience.Stop()
	tick := time.NewTicker(time.Second) // a signal may be lost
	defer tick.Stop()
	for late := false; ; {
		l, err := LookupByID(ctx, d.store.Reader, id)
		if err != nil || l.EndedAt != nil || late {
			return l, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-patience.C:
			late = true
		case <-wake:
		case <-tick.C:
		}
	}
}

// forOthers is the step: it asks a question for readers of another process and writes the
// answer into the table. If this process cannot do a step, the step goes back into the
// queue.
func (d *desk[A]) forOthers(ctx context.Context, w queue.Row, step Step, l *Lookup, q question[A]) error {
	now, err := d.store.Now(ctx)
	var none A
	switch {
	case err != nil:
		return err
	case now.Sub(l.AskedAt) > d.patience: // the readers have left
		return d.write(ctx, l.ID, q.pack(none), d.tooLate(), true)
	case d.cluster.OnlyOthers(ctx, q.askable):
		return d.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.Queue.RunAgain(ctx, w, step, cluster.ElsewherePause)
			return err
		})
	}
	within, cancel := context.WithTimeout(ctx, d.longest())
	defer cancel()
	found, err := q.ask(ctx, within, func(a A, err error) {
		if countsMore(d.tooLate(), err) {
			return // a reader whose patience has ended gets this error anyway
		}
		if err := d.write(ctx, l.ID, q.pack(a), err, false); err != nil {
			d.log.WarnContext(ctx, "the best answer so far was not written", "lookup", l.ID, "err", err)
		}
	})
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return fmt.Errorf("ask: the service stops: %w", context.Canceled) // puts the step back into the queue (queue.Runner)
	case errors.Is(err, db.ErrUnavailable):
		return err // the queue runs the step again when the database is available
	case err != nil && within.Err() != nil:
		err = d.tooLate()
	}
	if err != nil {
		d.log.WarnContext(ctx, "a question of another process has no answer", "lookup", l.ID, "err", err)
	}
	return d.write(context.WithoutCancel(ctx), l.ID, q.pack(found), err, true)
}

// write stores an answer to a question of another process. last says that no other answer
// follows.
func (d *desk[A]) write(ctx context.Context, id string, a Answered, cause error, last bool) error {
	if cause != nil {
		a.Error = attempt.Coded(cause)
	}
	return d.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error { return Lookups{tx}.Answer(ctx, id, a, last) })
}

// ForOthers runs a step: it asks a question for readers of another process.
func (s *Service) ForOthers(ctx context.Context, w queue.Row, step Step) error {
	ctx = db.Unhurried(ctx)
	l, err := LookupByID(ctx, s.store.Reader, step.Lookup)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return nil // the question was deleted by the sweep
	case err != nil:
		return err
	case l.EndedAt != nil:
		return nil // a process that was considered dead has answered
	case l.Question != "":
		return s.discoveries.forOthers(ctx, w, step, l, s.discoveryIn(l))
	}
	return s.captions.forOthers(ctx, w, step, l, s.captionsIn(l))
}
