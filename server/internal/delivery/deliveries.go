package delivery

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/internal/retryafter"
	"github.com/transcriptkit/transcriptkit/library/webhook"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Deliveries returns at most n deliveries of an endpoint of the account, newest first. If
// status is not empty, they are in this state. If before is not empty, they are older than the
// delivery with this id. The error is NOT_FOUND as for Get.
func (s *Store) Deliveries(ctx context.Context, account, id string, status webhook.DeliveryStatus, before string, n int) ([]webhook.Delivery, error) {
	e, err := s.owned(ctx, account, id)
	if err != nil {
		return nil, known(err)
	}
	var rows []delivery
	q := s.db.SQL().Reader().NewSelect().Model(&rows).Where("endpoint_id = ?", e.ID).Order("id DESC").Limit(int64(n))
	if status != "" {
		q.Where("status = ?", status)
	}
	if before != "" {
		q.Where("id < ?", before)
	}
	if err := q.Scan(ctx); err != nil {
		return nil, sqldb.Wrap("deliveries", err)
	}
	all := make([]webhook.Delivery, len(rows))
	for i := range rows {
		shown, err := s.shown(e, &rows[i])
		if err != nil {
			return nil, err
		}
		all[i] = *shown
	}
	return all, nil
}

// The kinds of answers that return a delivery, or the number of resent deliveries.
const (
	DeliveryAnswer db.AnswerKind = "webhook_delivery"
	ResentAnswer   db.AnswerKind = "webhook_resent"
)

// Test sends a test event to an active endpoint of the account. A pending test event is sent now.
// The error is STATE_CONFLICT if the endpoint is not active. It is STATE_CONFLICT with
// details.status pending if the test event was sent again less than resendEvery ago. The error is
// NOT_FOUND as for Get.
func (s *Store) Test(ctx context.Context, account, id string, key *db.HeldKey) (*webhook.Delivery, error) {
	return s.send(ctx, account, id, key, func(ctx context.Context, tx *db.Tx, e *endpoint, now time.Time) (*delivery, error) {
		if e.Status != webhook.Active {
			return nil, inactive(e)
		}
		d, err := pendingTest(ctx, tx, e)
		switch {
		case err != nil:
			return nil, err
		case d == nil:
			return s.add(ctx, tx, e, webhook.Event{Type: webhook.Test}, now)
		case d.Attempts == 0: // the event is being sent
			return d, nil
		}
		return d, s.again(ctx, tx, e, d, now)
	})
}

// Resend sends a delivery of an active endpoint of the account again, under its id, as if it had
// not been attempted. The error is STATE_CONFLICT if the endpoint is not active, if the delivery is
// pending, or if it was sent again less than resendEvery ago. The error is NOT_FOUND if the account
// has no such endpoint, or the endpoint no such delivery.
func (s *Store) Resend(ctx context.Context, account, id, deliveryID string, key *db.HeldKey) (*webhook.Delivery, error) {
	return s.send(ctx, account, id, key, func(ctx context.Context, tx *db.Tx, e *endpoint, now time.Time) (*delivery, error) {
		d := new(delivery)
		err := tx.SQL().ForUpdate(tx.SQL().NewSelect().Model(d).Where("d.endpoint_id = ? AND d.id = ?", e.ID, deliveryID)).Scan(ctx)
		if err != nil {
			return nil, knownDelivery(one("delivery "+deliveryID, err))
		}
		if e.Status != webhook.Active {
			return nil, inactive(e)
		}
		if d.Status == webhook.Pending {
			err := transcript.Errorf(transcript.StateConflict, "The delivery is on its way already.").With("status", d.Status)
			err.Cure = "Wait until the delivery has ended."
			return nil, err
		}
		return d, s.again(ctx, tx, e, d, now)
	})
}

// resendEvery is the shortest time between two resends of a delivery.
const resendEvery = time.Minute

// again makes a locked delivery pending for its account, unless it was sent again a short time ago.
func (o *outbox) again(ctx context.Context, tx *db.Tx, e *endpoint, d *delivery, now time.Time) error {
	if d.ResentAt != nil && now.Sub(*d.ResentAt) < resendEvery {
		err := transcript.Errorf(transcript.StateConflict, "The delivery was sent again less than a minute ago.").With("status", d.Status)
		err.RetryAfter = retryafter.Seconds(resendEvery - now.Sub(*d.ResentAt))
		err.Cure = "Wait a minute between two requests for one delivery."
		return err
	}
	d.ResentAt = new(sqldb.Moment(now))
	return o.restart(ctx, tx, e, d, now)
}

// restart makes a locked delivery pending, as if it had not been attempted.
func (o *outbox) restart(ctx context.Context, tx *db.Tx, e *endpoint, d *delivery, now time.Time) error {
	d.begin(now)
	_, err := tx.SQL().NewUpdate().Model(d).Column("status", "attempts", "next_at", "ended_at", "resent_at").WherePK().Exec(ctx)
	if err != nil {
		return sqldb.Wrap("send delivery again", err)
	}
	return o.wake(ctx, tx, e, now, now)
}

// send runs a function in a transaction that has locked an endpoint, and returns the delivery
// that the function has made pending.
func (s *Store) send(ctx context.Context, account, id string, key *db.HeldKey,
	fn func(ctx context.Context, tx *db.Tx, e *endpoint, now time.Time) (*delivery, error),
) (*webhook.Delivery, error) {
	var d *delivery
	var of *endpoint
	err := s.onEndpoint(ctx, account, id, func(ctx context.Context, tx *db.Tx, e *endpoint) error {
		of = e
		now, err := s.now(ctx)
		if err != nil {
			return err
		}
		if d, err = fn(ctx, tx, e, now); err != nil {
			return err
		}
		return tx.Idempotency.Record(ctx, key, db.Answer{Kind: DeliveryAnswer, ID: d.ID, Note: e.ID}, true)
	})
	if err != nil {
		return nil, fmt.Errorf("webhooks: sending a delivery: %w", known(err))
	}
	return s.shown(of, d)
}

// Delivery returns the current state of the delivery that Test or Resend returned.
func (s *Store) Delivery(ctx context.Context, account string, a db.Answer) (*webhook.Delivery, error) {
	e, err := s.owned(ctx, account, a.Note)
	if err != nil {
		return nil, known(err)
	}
	d := new(delivery)
	err = s.db.SQL().Reader().NewSelect().Model(d).Where("endpoint_id = ? AND id = ?", e.ID, a.ID).Scan(ctx)
	if err != nil {
		return nil, known(one("delivery "+a.ID, err))
	}
	return s.shown(e, d)
}

// ResendRange sends the deliveries of a time range of an active endpoint of the account again,
// oldest first, and at most webhook.MaxResend of them. It leaves out deliveries that were sent
// again less than resendEvery ago. The errors are STATE_CONFLICT and NOT_FOUND as for Test.
func (s *Store) ResendRange(ctx context.Context, account, id string, r webhook.Resend, key *db.HeldKey) (*webhook.Resent, error) {
	if r.Status == "" {
		r.Status = webhook.Failed
	}
	var resent *webhook.Resent
	err := s.onEndpoint(db.Unhurried(ctx), account, id, func(ctx context.Context, tx *db.Tx, e *endpoint) error {
		if e.Status != webhook.Active {
			return inactive(e)
		}
		now, err := s.now(ctx)
		if err != nil {
			return err
		}
		if resent, err = resendSome(ctx, tx, e, r, now); err != nil {
			return err
		}
		if resent.Resent > 0 {
			if err := s.wake(ctx, tx, e, now, now); err != nil {
				return err
			}
		}
		note, err := json.Marshal(resent)
		if err != nil {
			return err
		}
		return tx.Idempotency.Record(ctx, key, db.Answer{Kind: ResentAnswer, ID: e.ID, Note: string(note)}, true)
	})
	if err != nil {
		return nil, fmt.Errorf("webhooks: sending deliveries again: %w", known(err))
	}
	return resent, nil
}

// resendSome makes the oldest deliveries of a range pending.
func resendSome(ctx context.Context, tx *db.Tx, e *endpoint, r webhook.Resend, now time.Time) (*webhook.Resent, error) {
	lately := sqldb.Moment(now.Add(-resendEvery))
	of := func() *bun.SelectQuery {
		q := tx.SQL().NewSelect().Model((*delivery)(nil)).Where("endpoint_id = ? AND status = ? AND id >= ?", e.ID, r.Status, firstID(r.Since))
		if !r.Until.IsZero() {
			q.Where("id < ?", firstID(r.Until))
		}
		return q
	}
	skipped, err := of().Where("resent_at > ?", lately).Count(ctx)
	if err != nil {
		return nil, sqldb.Wrap("deliveries sent again lately", err)
	}
	inRange := of().Column("id").Where("resent_at IS NULL OR resent_at <= ?", lately).Order("id").Limit(webhook.MaxResend)
	res, err := tx.SQL().NewUpdate().Model((*delivery)(nil)).
		Set("status = ?, attempts = 0, next_at = ?, ended_at = NULL, resent_at = ?", webhook.Pending, sqldb.Moment(now), sqldb.Moment(now)).
		Where("id IN (?)", inRange).Exec(ctx)
	if err != nil {
		return nil, sqldb.Wrap("resend deliveries", err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return nil, sqldb.Wrap("resend deliveries", err)
	}
	resent := &webhook.Resent{Resent: int(n), Skipped: int(skipped)}
	if n < webhook.MaxResend {
		return resent, nil
	}
	var next []time.Time
	err = inRange.ExcludeColumn("*").ColumnExpr("created_at").Limit(1).Scan(ctx, &next)
	if err != nil {
		return nil, sqldb.Wrap("rest of deliveries", err)
	}
	if len(next) > 0 {
		resent.Next = new(transcript.At(next[0]))
	}
	return resent, nil
}

// ResentRange repeats the answer of ResendRange.
func (s *Store) ResentRange(a db.Answer) (*webhook.Resent, error) {
	resent := new(webhook.Resent)
	return resent, json.Unmarshal([]byte(a.Note), resent)
}
