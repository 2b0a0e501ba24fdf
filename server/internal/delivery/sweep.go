package delivery

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/library/webhook"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

const (
	sweepEvery = time.Hour
	// stranded is how long after its time a step is considered lost.
	stranded = time.Hour
)

// SweepStep is the step that removes expired rows.
type SweepStep struct{}

// Kind names the worker.
func (SweepStep) Kind() string { return "webhook_sweep" }

// Queue names the queue.
func (SweepStep) Queue() string { return Queue }

// Periodic is the sweep, and how often the queue runs it.
func (s *Store) Periodic() queue.Periodic {
	return queue.Periodic{Step: SweepStep{}, Every: sweepEvery}
}

// Sweep removes deliveries that ended long ago, deleted endpoints, and keys that no longer
// sign. It also removes rates without an effect, and plans the steps of endpoints whose
// step is lost.
func (s *Store) Sweep(ctx context.Context, _ queue.Row, _ SweepStep) error {
	ctx = db.Unhurried(ctx)
	now, err := s.now(ctx)
	if err != nil {
		return err
	}
	if err := s.removeSome(ctx, "ended_at < ?", sqldb.Moment(now.Add(-webhook.Retention))); err != nil {
		return err
	}
	var deleted []string
	err = s.db.SQL().Reader().NewSelect().Model((*endpoint)(nil)).Column("id").Where("account = ''").Scan(ctx, &deleted)
	if err != nil {
		return sqldb.Wrap("deleted webhooks", err)
	}
	for _, id := range deleted {
		if err := s.remove(ctx, id); err != nil {
			return err
		}
	}
	err = s.db.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.SQL().NewRaw("UPDATE webhook_endpoints SET previous_key = NULL, previous_until = NULL WHERE previous_until < ?", sqldb.Moment(now)).Exec(ctx)
		return sqldb.Wrap("forget keys", err)
	})
	if err != nil {
		return err
	}
	if err := s.forgetOld(ctx, now); err != nil {
		return err
	}
	return s.planLost(ctx, now)
}

// planLost plans the steps of endpoints whose step is lost.
func (s *Store) planLost(ctx context.Context, now time.Time) error {
	var lost []endpoint
	err := s.db.SQL().Reader().NewSelect().Model(&lost).
		Where("step_at < ?", sqldb.Moment(now.Add(-stranded))).Order("step_at").Limit(failMany).Scan(ctx)
	if err != nil {
		return sqldb.Wrap("webhooks without a step", err)
	}
	for i := range lost {
		_, err := s.onStep(ctx, Step{Endpoint: lost[i].ID, Number: lost[i].Step}, func(ctx context.Context, tx *db.Tx, e *endpoint) error {
			return s.plan(ctx, tx, e, now, now)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// remove removes a deleted endpoint with its deliveries.
func (s *Store) remove(ctx context.Context, id string) error {
	if err := s.removeSome(ctx, "endpoint_id = ?", id); err != nil {
		return err
	}
	return s.db.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.SQL().NewRaw("DELETE FROM webhook_endpoints WHERE id = ? AND account = ''", id).Exec(ctx)
		return sqldb.Wrap("delete webhook", err)
	})
}

// removeSome removes all deliveries that meet a condition, in several transactions.
func (s *Store) removeSome(ctx context.Context, condition string, arg any) error {
	for {
		var ids []string
		err := s.db.SQL().Reader().NewSelect().Model((*delivery)(nil)).Column("id").Where(condition, arg).Limit(failMany).Scan(ctx, &ids)
		if err != nil || len(ids) == 0 {
			return sqldb.Wrap("old deliveries", err)
		}
		err = s.db.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SQL().NewRaw("DELETE FROM webhook_deliveries WHERE id IN (?)", bun.List(ids)).Exec(ctx)
			return sqldb.Wrap("delete deliveries", err)
		})
		if err != nil {
			return err
		}
	}
}
