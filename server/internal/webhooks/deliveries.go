package webhooks

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/webhook"
)

// Deliveries returns at most n deliveries of an endpoint of the account, newest first. If
// status is not empty, they are in this state. If before is not empty, they are older than the
// delivery with this id. NOT_FOUND as for Get.
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
		shown, err := rows[i].shown()
		if err != nil {
			return nil, err
		}
		all[i] = *shown
	}
	return all, nil
}

// The kinds of the answers that hand out a delivery, or tell how many are sent again.
const (
	DeliveryAnswer db.AnswerKind = "webhook_delivery"
	ResentAnswer   db.AnswerKind = "webhook_resent"
)

// Test sends a test event to an active endpoint of the account. STATE_CONFLICT: the endpoint
// is not active. NOT_FOUND as for Get.
func (s *Store) Test(ctx context.Context, account, id string, key *db.HeldKey) (*webhook.Delivery, error) {
	return s.send(ctx, account, id, key, func(ctx context.Context, tx *db.Tx, e *endpoint, now time.Time) (*delivery, error) {
		if e.Status != webhook.Active {
			return nil, inactive(e)
		}
		return s.add(ctx, tx, e, webhook.Event{Type: webhook.Test}, now)
	})
}

// Resend sends a delivery of an active endpoint of the account again, under its id, as if it had
// not been attempted. STATE_CONFLICT as for Test. NOT_FOUND: the account has no such endpoint, or
// the endpoint no such delivery.
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
		d.begin(now)
		_, err = tx.SQL().NewUpdate().Model(d).Column("status", "attempts", "next_at", "ended_at").WherePK().Exec(ctx)
		if err != nil {
			return nil, sqldb.Wrap("resend delivery", err)
		}
		return d, s.wake(ctx, tx, e, now, now)
	})
}

// send runs a function in a transaction that has locked an endpoint, and returns the delivery
// that the function has made pending.
func (s *Store) send(ctx context.Context, account, id string, key *db.HeldKey,
	fn func(ctx context.Context, tx *db.Tx, e *endpoint, now time.Time) (*delivery, error),
) (*webhook.Delivery, error) {
	var d *delivery
	err := s.onEndpoint(ctx, account, id, func(ctx context.Context, tx *db.Tx, e *endpoint) error {
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
	return d.shown()
}

// Delivery returns the delivery that Test or Resend has answered with, as it is now.
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
	return d.shown()
}

// ResendRange sends the deliveries of a range of an active endpoint of the account again, the
// oldest first, and at most webhook.MaxResend of them. STATE_CONFLICT and NOT_FOUND as for Test.
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
	inRange := tx.SQL().NewSelect().Model((*delivery)(nil)).Column("id").
		Where("endpoint_id = ? AND status = ? AND id >= ?", e.ID, r.Status, firstID(r.Since)).Order("id").Limit(webhook.MaxResend)
	if !r.Until.IsZero() {
		inRange.Where("id < ?", firstID(r.Until))
	}
	res, err := tx.SQL().NewUpdate().Model((*delivery)(nil)).
		Set("status = ?, attempts = 0, next_at = ?, ended_at = NULL", webhook.Pending, sqldb.Moment(now)).
		Where("id IN (?)", inRange).Exec(ctx)
	if err != nil {
		return nil, sqldb.Wrap("resend deliveries", err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return nil, sqldb.Wrap("resend deliveries", err)
	}
	resent := &webhook.Resent{Resent: int(n)}
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

// ResentRange returns again what ResendRange has answered.
func (s *Store) ResentRange(a db.Answer) (*webhook.Resent, error) {
	resent := new(webhook.Resent)
	return resent, json.Unmarshal([]byte(a.Note), resent)
}
