package delivery

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/library/webhook"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// JobsEnded writes the deliveries for jobs of work, in the transaction that ends the
// jobs. A canceled job has no event, because the account itself has canceled it.
func (s *Store) JobsEnded(ctx context.Context, tx *db.Tx, e *db.Work, jobs []db.Job, end db.End) error {
	if len(jobs) == 0 || end.Status == transcript.JobCancelled {
		return nil
	}
	accounts := make([]string, len(jobs))
	for i := range jobs {
		accounts[i] = jobs[i].Account
	}
	endpoints, err := lockOf(ctx, tx, accounts)
	if err != nil || len(endpoints) == 0 {
		return err
	}
	event := webhook.Event{Type: webhook.TranscriptCompleted, Data: webhook.Data{Platform: e.Platform, ExternalID: e.ExternalID}}
	if end.Error != nil {
		event.Type, event.Data.Error = webhook.TranscriptFailed, &end.Error.Code
	}
	for i := range jobs {
		event.Data.JobID = jobs[i].ID
		if err := s.tell(ctx, tx, endpoints[jobs[i].Account], event); err != nil {
			return err
		}
	}
	return nil
}

// BatchEnded writes the deliveries for a batch, in the transaction that ends the batch. A
// canceled batch has no event. A batch that ends again after a retry has an event again.
func (s *Store) BatchEnded(ctx context.Context, tx *db.Tx, b *db.Batch) error {
	if b.Status == batch.Cancelled {
		return nil
	}
	endpoints, err := lockOf(ctx, tx, []string{b.Account})
	if err != nil || len(endpoints) == 0 {
		return err
	}
	counts, err := tx.Items.Counts(ctx, b.ID)
	if err != nil {
		return err
	}
	event := webhook.Event{Type: webhook.BatchCompleted, Data: webhook.Data{BatchID: b.ID, Counts: &counts}}
	if b.Status == batch.Failed {
		event.Type = webhook.BatchFailed
		if b.Error != nil {
			event.Data.Error = &b.Error.Code
		}
	}
	return s.tell(ctx, tx, endpoints[b.Account], event)
}

// FollowsEnded writes the deliveries for follows whose feed the publisher has ended, in the
// transaction that ends them. ended are their ids, by account.
func (s *Store) FollowsEnded(ctx context.Context, tx *db.Tx, ended map[string][]string) error {
	if len(ended) == 0 {
		return nil
	}
	accounts := slices.Sorted(maps.Keys(ended))
	endpoints, err := lockOf(ctx, tx, accounts)
	if err != nil {
		return err
	}
	for _, account := range accounts {
		for _, id := range ended[account] {
			if err := s.tell(ctx, tx, endpoints[account], webhook.Event{Type: webhook.FollowEnded, Data: webhook.Data{FollowID: id}}); err != nil {
				return err
			}
		}
	}
	return nil
}

// lockOf locks the endpoints of accounts, in the order of their ids, and returns them by account.
func lockOf(ctx context.Context, tx *db.Tx, accounts []string) (map[string][]*endpoint, error) {
	var rows []endpoint
	err := tx.SQL().ForUpdate(tx.SQL().NewSelect().Model(&rows).Where("w.account IN (?)", bun.List(accounts)).Order("w.id")).Scan(ctx)
	if err != nil || len(rows) == 0 {
		return nil, sqldb.Wrap("webhooks of accounts", err)
	}
	all := map[string][]*endpoint{}
	for i := range rows {
		e := &rows[i]
		all[e.Account] = append(all[e.Account], e)
	}
	return all, nil
}

// tell writes a delivery of an event for each locked endpoint that wants the event.
func (o *outbox) tell(ctx context.Context, tx *db.Tx, endpoints []*endpoint, event webhook.Event) error {
	now, err := o.now(ctx)
	if err != nil {
		return err
	}
	for _, e := range endpoints {
		if !e.wants(event.Type) {
			continue
		}
		if _, err := o.add(ctx, tx, e, event, now); err != nil {
			return err
		}
	}
	return nil
}

// add writes a delivery of an event for a locked endpoint. The deliveries of an inactive
// endpoint have failed from the start, so that the account can resend them later.
func (o *outbox) add(ctx context.Context, tx *db.Tx, e *endpoint, event webhook.Event, now time.Time) (*delivery, error) {
	event.Timestamp = transcript.At(now)
	body, err := json.Marshal(event)
	if err != nil {
		return nil, err
	}
	if len(body) > webhook.MaxBody {
		return nil, fmt.Errorf("webhooks: an event of %d bytes", len(body))
	}
	d := &delivery{EndpointID: e.ID, Type: event.Type, Body: string(body), CreatedAt: sqldb.Moment(now)}
	if d.ID, err = newID(now); err != nil {
		return nil, err
	}
	if e.Status == webhook.Active {
		d.begin(now)
	} else {
		d.Status, d.EndedAt, d.LastError = webhook.Failed, new(sqldb.Moment(now)), new(idleReason(e))
	}
	if _, err := tx.SQL().NewInsert().Model(d).Exec(ctx); err != nil {
		return nil, sqldb.Wrap("insert delivery", err)
	}
	switch {
	case d.Status != webhook.Pending:
		return d, nil
	case o.onlyTests(e) && event.Type != webhook.Test: // the delivery waits
		return d, o.ask(ctx, tx, e, now, false)
	}
	return d, o.wake(ctx, tx, e, now, now)
}

// idleReason is why an inactive endpoint receives nothing.
func idleReason(e *endpoint) string { return "The webhook is " + string(e.Status) + "." }
