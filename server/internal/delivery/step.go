package delivery

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/uptrace/bun"
	"golang.org/x/sync/errgroup"

	"github.com/transcriptkit/transcriptkit/library/webhook"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// The queues of the steps. New endpoints, and endpoints that answer slowly or fail, use
// the second queue.
const (
	Queue     = "webhooks"
	SlowQueue = "webhooks_slow"
)

// StepTimeout limits a run of the step.
const StepTimeout = 5 * time.Minute

// Step sends the deliveries of an endpoint.
type Step struct {
	Endpoint string `json:"endpoint"`
	// Number is the endpoint's Step. A step with another number has nothing to do.
	Number int64 `json:"number"`
	Slow   bool  `json:"slow,omitempty"`
}

// Kind names the worker.
func (Step) Kind() string { return "webhook" }

// Queue names the queue.
func (s Step) Queue() string {
	if s.Slow {
		return SlowQueue
	}
	return Queue
}

// Sender sends the deliveries to the endpoints of all accounts. A Sender is safe for
// concurrent use.
type Sender struct {
	*outbox
	client *http.Client // follows no redirects
	quick  *places
	slow   *places
}

// Work sends the due deliveries of an endpoint, for at most one turn. Then it makes the
// next step, if the endpoint has further deliveries.
func (s *Sender) Work(ctx context.Context, run queue.Row, step Step) error {
	ctx = db.Unhurried(ctx)
	pause, err := s.turn(ctx, step)
	if err == nil {
		err = s.db.InTx(context.WithoutCancel(ctx), func(ctx context.Context, tx *db.Tx) error { return s.rest(ctx, tx, run, step, pause) })
	}
	return s.told(ctx, step, err)
}

// turn sends deliveries of an endpoint for at most one turn, and returns the least wait until the
// next turn.
func (s *Sender) turn(ctx context.Context, step Step) (pause time.Duration, err error) {
	e, err := s.of(ctx, step)
	if err != nil || e == nil {
		return 0, err
	}
	line := s.quick
	if step.Slow {
		line = s.slow
	}
	leave, ok := line.enter(e.Account, hostOf(e.URL))
	if !ok {
		return fullPause, nil
	}
	defer leave()
	until := time.Now().Add(s.cfg.Turn)
	for more := true; more && time.Now().Before(until); {
		if ctx.Err() != nil {
			return 0, fmt.Errorf("webhooks: the service stops: %w", context.Canceled) // puts the step back into the queue (queue.Runner)
		}
		if more, err = s.deliver(ctx, step); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

// of reads the endpoint of a step. It returns nil if the endpoint is deleted, or if another
// step has the work.
func (s *Sender) of(ctx context.Context, step Step) (*endpoint, error) {
	e := new(endpoint)
	err := s.db.SQL().Reader().NewSelect().Model(e).Where("id = ? AND step = ?", step.Endpoint, step.Number).Scan(ctx)
	if err = one("webhook "+step.Endpoint, err); errors.Is(err, db.ErrNotFound) {
		return nil, nil
	}
	return e, err
}

// told logs an error, unless the service is stopping.
func (s *Sender) told(ctx context.Context, step Step, err error) error {
	if err != nil && ctx.Err() == nil {
		s.log.ErrorContext(ctx, "delivering to a webhook failed, and is tried again", "webhook", step.Endpoint, "err", err)
	}
	return err
}

// deliver sends some deliveries of an endpoint, and reports whether more may be due now.
func (s *Sender) deliver(ctx context.Context, step Step) (more bool, err error) {
	now, err := s.now(ctx)
	if err != nil {
		return false, err
	}
	e, err := s.of(ctx, step)
	if err != nil || e == nil {
		return false, err
	}
	why, err := s.idle(ctx, e)
	if err != nil {
		return false, err
	}
	if why != "" {
		return s.failAll(ctx, e, why, now)
	}
	if e.NotBefore != nil && now.Before(*e.NotBefore) {
		return false, nil
	}
	width := webhook.PerSecond
	if e.Failures > 0 { // one attempt shows whether the endpoint works again
		width = 1
	}
	due, err := s.due(ctx, e, now, width)
	if err != nil {
		return false, err
	}
	if len(due) == 0 {
		if s.onlyTests(e) {
			err = s.askFor(ctx, step, now)
		}
		return false, err
	}
	taken, err := s.take(ctx, step, len(due), now)
	if err != nil || taken == 0 {
		return false, err
	}
	due = due[:taken]
	results := make([]result, len(due))
	var group errgroup.Group
	for i := range due {
		group.Go(func() error { results[i] = s.attempt(ctx, e, &due[i], now); return nil })
	}
	_ = group.Wait() // the functions return no error
	return s.note(context.WithoutCancel(ctx), step, e.URL, due, results)
}

// idle is why an endpoint receives nothing; "" means that it receives.
func (s *Sender) idle(ctx context.Context, e *endpoint) (string, error) {
	if e.Status != webhook.Active {
		return idleReason(e), nil
	}
	a, err := s.db.Accounts.ByID(ctx, e.Account)
	switch {
	case errors.Is(err, db.ErrNotFound): // of a program with its own accounts
		return "", nil
	case err == nil && a.Suspended:
		return "The account is suspended.", nil
	}
	return "", err
}

// mayGo limits a query to the pending deliveries of an endpoint that wait only for their time.
func (s *Sender) mayGo(q *bun.SelectQuery, e *endpoint) *bun.SelectQuery {
	q.Where("d.endpoint_id = ? AND d.status = 'pending'", e.ID)
	if s.onlyTests(e) {
		q.Where("d.type = 'test'")
	}
	return q
}

// due reads at most n due deliveries of an endpoint.
func (s *Sender) due(ctx context.Context, e *endpoint, now time.Time, n int) (rows []delivery, err error) {
	q := s.db.SQL().Reader().NewSelect().Model(&rows).Where("next_at <= ?", sqldb.Moment(now)).Order("next_at").Limit(int64(n))
	err = s.mayGo(q, e).Scan(ctx)
	return rows, sqldb.Wrap("due deliveries", err)
}

// rest ends a run. If deliveries are pending, it plans the next step of the endpoint, at least
// after a pause.
func (s *Sender) rest(ctx context.Context, tx *db.Tx, run queue.Row, step Step, pause time.Duration) error {
	e, err := lockFor(ctx, tx, step)
	if err != nil || e == nil {
		return err
	}
	held, err := tx.Queue.Holds(ctx, run)
	if err != nil || !held {
		return err
	}
	now, err := s.now(ctx)
	if err != nil {
		return err
	}
	var next []time.Time
	q := tx.SQL().NewSelect().Model((*delivery)(nil)).Column("next_at").Order("next_at").Limit(1)
	err = s.mayGo(q, e).Scan(ctx, &next)
	if err != nil {
		return sqldb.Wrap("next delivery", err)
	}
	e.StepAt = nil
	if len(next) > 0 {
		at := next[0]
		if earliest := now.Add(pause); at.Before(earliest) {
			at = earliest
		}
		if err := s.wake(ctx, tx, e, now, at); err != nil {
			return err
		}
	} else if _, err := tx.SQL().NewUpdate().Model(e).Column("step_at").WherePK().Exec(ctx); err != nil {
		return sqldb.Wrap("rest webhook", err)
	}
	return tx.Queue.Finish(ctx, run)
}
