package delivery

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/internal/webhooksign"
	"github.com/transcriptkit/transcriptkit/library/webhook"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Create makes an endpoint of the account, and sends it a test event unless Config.Trust is set. The
// caller has checked the parameters. If the account has webhook.MaxEndpoints, the error is STATE_CONFLICT with details.limit.
func (s *Store) Create(ctx context.Context, account string, p webhook.Params, key *db.HeldKey) (*webhook.Created, error) {
	signs := webhooksign.NewKey()
	var e *endpoint
	err := s.db.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := tx.Lock(ctx, "webhooks of "+account); err != nil {
			return err
		}
		have, err := tx.SQL().NewSelect().Model((*endpoint)(nil)).Where("account = ?", account).Count(ctx)
		if err != nil {
			return sqldb.Wrap("count webhooks", err)
		}
		if have >= webhook.MaxEndpoints {
			full := transcript.Errorf(transcript.StateConflict, "The account has %d webhooks, and may have no more.", have).With("limit", webhook.MaxEndpoints)
			full.Cure = "Delete a webhook that is no longer needed."
			return full
		}
		now, err := s.now(ctx)
		if err != nil {
			return err
		}
		e = &endpoint{
			Account: account, URL: p.URL, Events: typesOf(p.Events), Description: sqldb.Text(p.Description), Status: webhook.Active,
			SigningKey: signs.Bytes(), Slow: true, CreatedAt: sqldb.Moment(now), UpdatedAt: sqldb.Moment(now),
		}
		if e.ID, err = newID(now); err != nil {
			return err
		}
		if _, err := tx.SQL().NewInsert().Model(e).Exec(ctx); err != nil {
			return sqldb.Wrap("insert webhook", err)
		}
		if err := s.ask(ctx, tx, e, now, false); err != nil {
			return err
		}
		if err := oldest(ctx, tx.SQL(), e); err != nil {
			return err
		}
		return tx.Idempotency.Record(ctx, key, answerWith(e, signs), true)
	})
	if err != nil {
		return nil, fmt.Errorf("webhooks: making a webhook: %w", err)
	}
	return s.created(e, signs)
}

func (s *Store) created(e *endpoint, k webhooksign.Key) (*webhook.Created, error) {
	shown, err := s.endpoint(e)
	if err != nil {
		return nil, err
	}
	return &webhook.Created{Webhook: *shown, Secret: webhook.NewSecret(k.Secret())}, nil
}

// List returns the endpoints of the account, newest first.
func (s *Store) List(ctx context.Context, account string) ([]webhook.Endpoint, error) {
	var rows []endpoint
	err := s.db.SQL().Reader().NewSelect().Model(&rows).ColumnExpr("w.*").ColumnExpr(oldestAt).
		Where("account = ?", account).Order("id DESC").Scan(ctx)
	if err != nil {
		return nil, sqldb.Wrap("webhooks", err)
	}
	all := make([]webhook.Endpoint, len(rows))
	for i := range rows {
		shown, err := s.endpoint(&rows[i])
		if err != nil {
			return nil, err
		}
		all[i] = *shown
	}
	return all, nil
}

// Get returns an endpoint of the account. The error is NOT_FOUND if the account has no
// such endpoint.
func (s *Store) Get(ctx context.Context, account, id string) (*webhook.Endpoint, error) {
	e, err := s.owned(ctx, account, id)
	if err != nil {
		return nil, known(err)
	}
	return s.endpoint(e)
}

// Change changes an endpoint of the account. The error is NOT_FOUND as for Get. If an endpoint
// becomes active, its earlier failures no longer count. An endpoint whose address has not
// answered a test event yet gets a test event.
func (s *Store) Change(ctx context.Context, account, id string, c webhook.Change) (*webhook.Endpoint, error) {
	var e *endpoint
	err := s.onEndpoint(ctx, account, id, func(ctx context.Context, tx *db.Tx, locked *endpoint) error {
		e = locked
		proves := false // whether the address may have to be verified
		now, err := s.now(ctx)
		if err != nil {
			return err
		}
		if c.URL != nil && *c.URL != e.URL {
			e.URL, e.Slow, e.Failures, e.FailingSince, e.NotBefore = *c.URL, true, 0, nil, nil
			proves = true
		}
		if c.Events != nil {
			e.Events = typesOf(*c.Events)
		}
		if c.Description != nil {
			e.Description = sqldb.Text(*c.Description)
		}
		if c.Status != nil && *c.Status != e.Status {
			e.Status, e.DisabledReason, e.Failures, e.FailingSince, e.NotBefore = *c.Status, "", 0, nil, nil
			proves = true
		}
		e.UpdatedAt = sqldb.Moment(now)
		if err := save(ctx, tx, e); err != nil {
			return err
		}
		if proves {
			if err := s.ask(ctx, tx, e, now, true); err != nil {
				return err
			}
			if err := s.wake(ctx, tx, e, now, now); err != nil { // waiting deliveries may be due, or may have to fail
				return err
			}
		}
		return oldest(ctx, tx.SQL(), e)
	})
	if err != nil {
		return nil, fmt.Errorf("webhooks: changing a webhook: %w", known(err))
	}
	return s.endpoint(e)
}

// Delete removes an endpoint of the account with its deliveries. A running attempt continues.
// The error is NOT_FOUND as for Get.
func (s *Store) Delete(ctx context.Context, account, id string) error {
	err := s.onEndpoint(ctx, account, id, func(ctx context.Context, tx *db.Tx, e *endpoint) error {
		e.Account, e.URL, e.VerifiedURL, e.Description, e.SigningKey, e.PreviousKey, e.PreviousUntil = "", "", nil, "", []byte{}, nil, nil
		e.Status, e.StepAt, e.Step = webhook.Disabled, nil, e.Step+1
		return save(ctx, tx, e)
	})
	if err == nil {
		// From now on, the endpoint exists for nobody. If this fails, the sweep removes the
		// rows.
		if err := s.remove(db.Unhurried(ctx), id); err != nil {
			s.log.WarnContext(ctx, "the deliveries of a deleted webhook are removed later", "webhook", id, "err", err)
		}
		return nil
	}
	return fmt.Errorf("webhooks: deleting a webhook: %w", known(err))
}

// RemoveAll removes the endpoints of an account with their deliveries, and returns the
// number of endpoints. A running attempt continues.
func (s *Store) RemoveAll(ctx context.Context, account string) (n int64, err error) {
	for {
		var ids []string
		err := s.db.SQL().Reader().NewSelect().Model((*endpoint)(nil)).Column("id").Where("account = ?", account).Limit(webhook.MaxEndpoints).Scan(ctx, &ids)
		if err != nil || len(ids) == 0 {
			return n, errors.Join(sqldb.Wrap("webhooks of "+account, err), s.forget(ctx, account))
		}
		for _, id := range ids {
			var coded *transcript.Error // if the error is NOT_FOUND, another process has removed it
			if err := s.Delete(ctx, account, id); err != nil && !errors.As(err, &coded) {
				return n, err
			}
			n++
		}
	}
}

// typesOf never returns nil, so that the column always has an array.
func typesOf(types []webhook.EventType) []webhook.EventType {
	return append([]webhook.EventType{}, types...)
}

// one converts the error of a query for a single row into an error of package db.
func one(what string, err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("%s: %w", what, db.ErrNotFound)
	}
	return sqldb.Wrap(what, err)
}

// owned reads an endpoint of an account. For an endpoint of another account, the error is
// ErrNotFound.
func (s *Store) owned(ctx context.Context, account, id string) (*endpoint, error) {
	e := new(endpoint)
	err := s.db.SQL().Reader().NewSelect().Model(e).ColumnExpr("w.*").ColumnExpr(oldestAt).Where("account = ? AND id = ?", account, id).Scan(ctx)
	return e, one("webhook "+id, err)
}

// oldestAt is the column OldestAt of an endpoint.
const oldestAt = `(SELECT d.created_at FROM webhook_deliveries AS d WHERE d.endpoint_id = w.id AND d.status = 'pending' ORDER BY d.id LIMIT 1) AS oldest_at`

// oldest reads the OldestAt of an endpoint.
func oldest(ctx context.Context, from interface{ NewSelect() *bun.SelectQuery }, e *endpoint) error {
	err := from.NewSelect().Model(e).ColumnExpr(oldestAt).WherePK().Scan(ctx)
	return sqldb.Wrap("oldest delivery that waits", err)
}

// onEndpoint runs fn in a transaction that has locked an endpoint of an account.
func (s *Store) onEndpoint(ctx context.Context, account, id string, fn func(ctx context.Context, tx *db.Tx, e *endpoint) error) error {
	return s.db.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		e := new(endpoint)
		err := tx.SQL().ForUpdate(tx.SQL().NewSelect().Model(e).Where("w.account = ? AND w.id = ?", account, id)).Scan(ctx)
		if err != nil {
			return one("webhook "+id, err)
		}
		return fn(ctx, tx, e)
	})
}

// save writes all columns of an endpoint.
func save(ctx context.Context, tx *db.Tx, e *endpoint) error {
	_, err := tx.SQL().NewUpdate().Model(e).WherePK().Exec(ctx)
	return sqldb.Wrap("save webhook", err)
}
