package delivery

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/transcriptkit/transcriptkit/library/webhook"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// pauses are the pauses after the failed attempts of a delivery. If the attempt after the
// last pause fails, the delivery has failed. Each pause is randomly up to a tenth longer.
var pauses = [...]time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

const (
	// An endpoint is disabled after failures without a success for failFor, if there are at
	// least failMost failures.
	failFor  = 5 * 24 * time.Hour
	failMost = 6
	// After failFew failures in a row, or an answer that asks for a pause, an endpoint gets no
	// attempt for some time. The pause doubles with each further failure.
	failFew      = 8
	firstPause   = time.Second
	patientPause = 5 * time.Second
	longestPause = 5 * time.Minute
	// slowAnswer is how long an endpoint in the quick queue may take to answer.
	slowAnswer = time.Second
)

// note writes the results of attempts at an address, and reports whether more attempts may be due
// now.
func (s *Sender) note(ctx context.Context, step Step, address string, due []delivery, results []result) (more bool, err error) {
	held, err := s.onStep(ctx, step, func(ctx context.Context, tx *db.Tx, e *endpoint) error {
		now, err := s.now(ctx)
		if err != nil {
			return err
		}
		was := e.Status
		for i := range results {
			if results[i].stopped {
				continue
			}
			if results[i].reason == "" {
				e.VerifiedURL = &address
			}
			if err := s.settle(ctx, tx, e, due[i], results[i], now); err != nil {
				return err
			}
		}
		if was == webhook.Active && e.Status == webhook.Disabled {
			tx.AfterCommit(func() {
				s.cfg.Count.Disabled()
				s.log.Info("a webhook was switched off", "webhook", e.ID, "account", e.Account, "failures", e.Failures)
			})
		}
		more = e.Status == webhook.Active && (e.NotBefore == nil || !now.Before(*e.NotBefore))
		_, err = tx.SQL().NewUpdate().Model(e).WherePK().
			Column("status", "disabled_reason", "failures", "failing_since", "not_before", "slow", "verified_url").Exec(ctx)
		return sqldb.Wrap("save webhook", err)
	})
	return held && more, err
}

// settle writes the result of an attempt, and what it says about the endpoint.
func (s *Sender) settle(ctx context.Context, tx *db.Tx, e *endpoint, d delivery, r result, now time.Time) error {
	d.Attempts++
	d.LastStatus, d.LastError = nil, nil
	if r.status != 0 {
		d.LastStatus = &r.status
	}
	e.Slow = r.took > slowAnswer
	switch pause := pauseAfter(d.Attempts); {
	case r.reason == "":
		d.Status, d.NextAt, d.EndedAt = webhook.Delivered, nil, new(sqldb.Moment(now))
		e.Failures, e.FailingSince, e.NotBefore = 0, nil, nil
	case pause == 0:
		d.Status, d.NextAt, d.EndedAt, d.LastError = webhook.Failed, nil, new(sqldb.Moment(now)), &r.reason
		e.failed(r, now)
		if d.Type == webhook.Test && s.onlyTests(e) {
			e.disable(fmt.Sprintf("The address has answered none of %d attempts at a test event with 2xx. The last one failed: %s", d.Attempts, r.reason))
		}
	default:
		d.NextAt, d.LastError = new(sqldb.Moment(now.Add(max(pause, r.after)))), &r.reason
		e.failed(r, now)
	}
	tx.AfterCommit(func() { s.cfg.Count.Attempted(r.reason == "") })
	// The account may have asked for a resend meanwhile; then the attempt counts as that
	// resend.
	_, err := tx.SQL().NewUpdate().Model(&d).WherePK().Where("status = 'pending'").
		Column("status", "attempts", "last_status", "last_error", "next_at", "ended_at").Exec(ctx)
	return sqldb.Wrap("save delivery", err)
}

// pauseAfter returns the pause after the nth attempt; 0 means that there is no other
// attempt.
func pauseAfter(n int) time.Duration {
	if n > len(pauses) {
		return 0
	}
	pause := pauses[n-1]
	return pause + rand.N(pause/10)
}

// failed handles a failure.
func (e *endpoint) failed(r result, now time.Time) {
	e.Failures++
	if e.FailingSince == nil {
		e.FailingSince = new(sqldb.Moment(now))
	}
	if pause := max(endpointPause(e.Failures, r.busy), r.after); pause > 0 {
		if at := now.Add(pause); e.NotBefore == nil || at.After(*e.NotBefore) {
			e.NotBefore = new(sqldb.Moment(at))
		}
	}
	switch since := now.Sub(*e.FailingSince); {
	case e.Status != webhook.Active:
	case r.gone:
		e.disable(r.reason)
	case since >= failFor && e.Failures >= failMost:
		e.disable(fmt.Sprintf("No delivery has succeeded for %d days. The last of %d attempts failed: %s",
			int(since.Hours()/24), e.Failures, r.reason))
	}
}

// disable disables an endpoint.
func (e *endpoint) disable(reason string) { e.Status, e.DisabledReason = webhook.Disabled, reason }

// endpointPause is the pause of an endpoint after its nth failure in a row; 0 means that
// there is none.
func endpointPause(n int, busy bool) time.Duration {
	first := firstPause
	if busy {
		first = patientPause
	} else if n -= failFew; n < 0 {
		return 0
	}
	return min(first<<min(n, 10), longestPause)
}

// failMany is how many deliveries one transaction fails or removes.
const failMany = 500

// failAll makes the pending deliveries of an endpoint fail if the endpoint receives
// nothing now, and reports whether there are more of them.
func (s *Sender) failAll(ctx context.Context, e *endpoint, why string, now time.Time) (more bool, err error) {
	held, err := s.onStep(ctx, Step{Endpoint: e.ID, Number: e.Step}, func(ctx context.Context, tx *db.Tx, locked *endpoint) error {
		if locked.Status != e.Status { // the account has activated it meanwhile
			more = true
			return nil
		}
		some := tx.SQL().NewSelect().Model((*delivery)(nil)).Column("id").
			Where("endpoint_id = ? AND status = 'pending'", e.ID).Order("next_at").Limit(failMany)
		res, err := tx.SQL().NewUpdate().Model((*delivery)(nil)).
			Set("status = ?, next_at = NULL, ended_at = ?, last_error = ?", webhook.Failed, sqldb.Moment(now), why).
			Where("id IN (?)", some).Exec(ctx)
		if err != nil {
			return sqldb.Wrap("fail deliveries", err)
		}
		n, err := res.RowsAffected()
		more = n == failMany
		return err
	})
	return held && more, err
}
