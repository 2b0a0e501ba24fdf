package delivery

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/transcriptkit/transcriptkit/library/webhook"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// An endpoint whose address has not answered with 2xx gets only test events, and its other
// deliveries wait. While such an endpoint is active, a test event is pending. If the last attempt
// at the test event fails, the endpoint is disabled.

// verified reports whether the address of an endpoint has answered with 2xx.
func (e *endpoint) verified() bool { return e.VerifiedURL != nil && *e.VerifiedURL == e.URL }

// onlyTests reports whether an endpoint gets only test events.
func (o *outbox) onlyTests(e *endpoint) bool {
	return !o.cfg.Trust && e.Status == webhook.Active && !e.verified()
}

// ask makes sure that a test event is pending for a locked endpoint that gets only test events.
// If anew is true, the attempts at a pending event start again.
func (o *outbox) ask(ctx context.Context, tx *db.Tx, e *endpoint, now time.Time, anew bool) error {
	if !o.onlyTests(e) {
		return nil
	}
	waiting, err := pendingTest(ctx, tx, e)
	switch {
	case err != nil:
		return err
	case waiting == nil:
		_, err = o.add(ctx, tx, e, webhook.Event{Type: webhook.Test}, now)
		return err
	case anew:
		return o.restart(ctx, tx, e, waiting, now)
	}
	return nil
}

// pendingTest locks and returns the pending test event of a locked endpoint, or nil if
// there is none.
func pendingTest(ctx context.Context, tx *db.Tx, e *endpoint) (*delivery, error) {
	d := new(delivery)
	q := tx.SQL().NewSelect().Model(d).Where("d.endpoint_id = ? AND d.status = 'pending' AND d.type = 'test'", e.ID).Order("d.id").Limit(1)
	err := tx.SQL().ForUpdate(q).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return d, sqldb.Wrap("pending test of webhook", err)
}

// askFor is ask for the endpoint of a step. A process of another version, or one with Config.Trust,
// may have left the endpoint without a test event.
func (s *Sender) askFor(ctx context.Context, step Step, now time.Time) error {
	_, err := s.onStep(ctx, step, func(ctx context.Context, tx *db.Tx, e *endpoint) error {
		return s.ask(ctx, tx, e, now, false)
	})
	return err
}
