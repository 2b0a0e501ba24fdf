package follower

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/library/follow"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// taker submits the entries that follows have not submitted yet. A taker is safe for
// concurrent use.
type taker struct{ *Config }

// due returns the ids of at most n follows with entries to submit.
func (t taker) due(ctx context.Context, now time.Time, n int) ([]string, error) {
	due, err := t.takenAt(ctx, n, "next_take_at <= ?", now)
	if err != nil || len(due) == n {
		return due, err
	}
	// A time that is too late was written before the clock was set back. For two statements,
	// PostgreSQL reads the index; for one statement with both conditions, it reads the whole table.
	late, err := t.takenAt(ctx, n-len(due), "next_take_at > ?", now.Add(t.Wait+time.Minute))
	return append(due, late...), err
}

// takenAt returns the ids of at most n follows whose next time meets a condition.
func (t taker) takenAt(ctx context.Context, n int, condition string, at time.Time) (ids []string, err error) {
	err = t.Store.SQL().Reader().NewSelect().Model((*following)(nil)).Column("id").
		Where(condition, sqldb.Moment(at)).Order("next_take_at").Limit(int64(n)).Scan(ctx, &ids)
	return ids, sqldb.Wrap("due follows", err)
}

// takeMost limits how many entries of a follow are submitted before those of others.
const takeMost = 20

// take submits entries of a follow, each in its own transaction. It returns only errors
// of the database.
func (t taker) take(ctx context.Context, id string) error {
	for range takeMost {
		more, err := t.takeOne(ctx, id)
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// takeOne submits the next entry of a follow, and reports whether there may be more.
func (t taker) takeOne(ctx context.Context, id string) (more bool, err error) {
	if ctx.Err() != nil {
		return false, fmt.Errorf("follows: the service stops: %w", context.Canceled) // puts the step back into the queue (queue.Runner)
	}
	f, e, err := t.next(ctx, id)
	switch {
	case errors.Is(err, db.ErrNotFound): // it was deleted
		return false, nil
	case err != nil:
		return false, err
	case e == nil:
		return false, t.rest(ctx, f)
	}
	switch suspended, err := t.suspended(ctx, f.Account); {
	case err != nil:
		return false, err
	case suspended:
		return false, t.wait(ctx, f, transcript.Errorf(transcript.UpgradeRequired, "The account is suspended."))
	}
	skip := reasonToSkip(f, e)
	var submit func(context.Context, *db.Tx) (string, error)
	plan, err := t.planOf(ctx, f.Account)
	switch {
	case errors.Is(err, db.ErrNotFound): // the account was removed, with the follow
		return false, nil
	case err != nil:
		return false, err
	}
	if skip == "" {
		submit = t.Submit(ctx, f.item(e, plan))
	}
	taken := false
	err = t.Store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		taken = false
		if skip != "" {
			return t.settle(ctx, tx, f, &item{Status: follow.ItemSkipped, Position: e.Position, Reason: skip})
		}
		job, err := submit(ctx, tx)
		if err != nil {
			return err
		}
		taken = true
		if err := t.spend(ctx, tx, f.Account, plan); err != nil {
			return err
		}
		return t.settle(ctx, tx, f, &item{Status: follow.ItemSubmitted, Position: e.Position, JobID: job})
	})
	var coded *transcript.Error
	switch {
	case err == nil:
		if taken && t.Count.Taken != nil {
			t.Count.Taken()
		}
		return true, nil
	case errors.Is(err, errMoved), errors.Is(err, db.ErrNotFound): // another run has the entry
		return false, nil
	case attempt.Own(err), ctx.Err() != nil:
		return false, err
	case errors.As(err, &coded) && !passes(coded.Code):
		return true, t.Store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
			err := t.settle(ctx, tx, f, &item{Status: follow.ItemFailed, Position: e.Position, Reason: coded.Message})
			if errors.Is(err, errMoved) {
				return nil
			}
			return err
		})
	}
	if coded == nil {
		t.Log.ErrorContext(ctx, "an item of a follow could not be submitted", "follow", f.ID, "position", e.Position, "err", err)
	}
	return false, t.wait(ctx, f, attempt.Coded(err))
}

// passes reports whether a refusal is temporary, so that the item waits.
func passes(code transcript.Code) bool {
	switch code {
	case transcript.TranscriptQuotaExceeded, transcript.ASRQuotaExceeded, transcript.ASRConcurrencyLimit, transcript.InsufficientCredits,
		transcript.ServiceUnavailable, transcript.RateLimited, transcript.NotImplemented, transcript.Internal, transcript.UpstreamFailed, transcript.IPBlocked:
		return true
	}
	return false
}

// next reads a follow, and its next entry, or nil if there is none to submit.
func (t taker) next(ctx context.Context, id string) (*following, *entry, error) {
	f := new(following)
	r := t.Store.SQL().Reader()
	if err := r.NewSelect().Model(f).Where("id = ?", id).Scan(ctx); err != nil {
		return nil, nil, sqldb.One("follow "+id, err)
	}
	if f.Paused || !f.Begun {
		return f, nil, nil
	}
	e := new(entry)
	err := r.NewSelect().Model(e).
		Where("source_id = ? AND position IN (SELECT position FROM follow_items WHERE follow_id = ? AND status = 'waiting')", f.SourceID, f.ID).
		Order("position").Limit(1).Scan(ctx)
	if err = sqldb.One("entry that waits", err); !errors.Is(err, db.ErrNotFound) {
		return f, e, err
	}
	err = r.NewSelect().Model(e).Where("source_id = ? AND position > ?", f.SourceID, f.Position).Order("position").Limit(1).Scan(ctx)
	if err = sqldb.One("next entry", err); errors.Is(err, db.ErrNotFound) {
		return f, nil, nil
	}
	return f, e, err
}

// late is how much older than a follow an item may be and still count as new, because
// clocks and feeds lag.
const late = 24 * time.Hour

// reasonToSkip returns why an entry is not submitted, or "" if it is.
func reasonToSkip(f *following, e *entry) string {
	switch {
	case e.Platform == "":
		return "The link of the item names no content that this service reads."
	case e.Below && e.PublishedAt != nil && e.PublishedAt.Before(f.CreatedAt.Add(-late)):
		return datedBefore // the next item, after this item was removed from the feed
	}
	return ""
}

func (f *following) item(e *entry, plan account.Plan) Item {
	i := Item{
		Account: f.Account, Plan: plan, Trace: f.Trace,
		Content: engine.Content{Platform: e.Platform, ExternalID: e.ExternalID, URL: e.URL},
	}
	if f.Languages != "" {
		i.Languages, _ = transcript.ParseLanguageList(f.Languages) // only canonical lists are stored, and they can always be read
	}
	return i
}

// suspended reports whether the operator has suspended an account. Its items wait
// meanwhile. The service does not know this about an account that it does not manage
// itself.
func (t taker) suspended(ctx context.Context, owner string) (bool, error) {
	a, err := t.Store.Accounts.ByID(ctx, owner)
	if errors.Is(err, db.ErrNotFound) {
		return false, nil
	}
	return a.Suspended, err
}

// planOf is the plan under which an account follows.
func (t taker) planOf(ctx context.Context, owner string) (plan account.Plan, err error) {
	var text string
	err = t.Store.SQL().Reader().NewRaw("SELECT plan FROM follow_accounts WHERE account = ?", owner).Scan(ctx, &text)
	if err != nil {
		return plan, sqldb.One("plan of follows", err)
	}
	return plan, json.Unmarshal([]byte(text), &plan)
}

// errMoved means that another run has handled the entry.
var errMoved = errors.New("follows: the follow has gone on")

// settle writes the result of an entry, and moves the follow on. It proves that no other
// run has done this.
func (t taker) settle(ctx context.Context, tx *db.Tx, f *following, i *item) error {
	now, err := t.Now(ctx)
	if err != nil {
		return err
	}
	i.FollowID = f.ID
	res, err := tx.SQL().NewRaw("UPDATE follows SET position = ?, last_error = NULL, next_take_at = ? WHERE id = ? AND position = ? AND NOT paused",
		max(f.Position, i.Position), sqldb.Moment(now), f.ID, f.Position).Exec(ctx)
	if err != nil {
		return sqldb.Wrap("move follow", err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(errMoved, err)
	}
	if i.Position <= f.Position { // it waited
		res, err = tx.SQL().NewRaw("UPDATE follow_items SET status = ?, job_id = ?, reason = ? WHERE follow_id = ? AND position = ? AND status = 'waiting'",
			i.Status, i.JobID, i.Reason, i.FollowID, i.Position).Exec(ctx)
	} else {
		res, err = tx.SQL().NewInsert().Model(i).On("CONFLICT DO NOTHING").Exec(ctx)
	}
	if err != nil {
		return sqldb.Wrap("write item of follow", err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(errMoved, err)
	}
	return nil
}

// spend counts an item for the current day. The refusal ends at midnight.
func (t taker) spend(ctx context.Context, tx *db.Tx, owner string, plan account.Plan) error {
	now, err := t.Now(ctx)
	if err != nil || plan.FollowItemsPerDay == account.Unlimited {
		return err
	}
	day, taken := now.UTC().Format(time.DateOnly), 0
	err = tx.SQL().NewRaw(`UPDATE follow_accounts SET day = ?, taken = CASE WHEN day = ? THEN taken + 1 ELSE 1 END
		WHERE account = ? RETURNING taken`, day, day, owner).Scan(ctx, &taken)
	if err != nil {
		return sqldb.One("count of follows", err)
	}
	if taken > plan.FollowItemsPerDay {
		e := transcript.Errorf(transcript.RateLimited, "The plan permits %d items of follows in a day, and today's are used up.", plan.FollowItemsPerDay)
		e.Cure = "The item becomes a transcript on another day."
		return e
	}
	return nil
}

// rest lets a follow without entries to submit rest until the next check finds one.
func (t taker) rest(ctx context.Context, f *following) error {
	return t.Store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		// A check also takes the lock of the source, so it cannot find an entry meanwhile.
		s := &source{ID: f.SourceID}
		if err := lockSource(ctx, tx, s); err != nil {
			if errors.Is(err, db.ErrNotFound) {
				return nil
			}
			return err
		}
		_, err := tx.SQL().NewRaw(`UPDATE follows SET next_take_at = NULL WHERE id = ? AND (paused OR NOT begun OR position >= ?
			AND NOT EXISTS (SELECT 1 FROM follow_items WHERE follow_id = follows.id AND status = 'waiting'))`, f.ID, s.LastEntry).Exec(ctx)
		return sqldb.Wrap("rest follow", err)
	})
}

// wait schedules another attempt at the next entry of a follow, and stores the reason.
func (t taker) wait(ctx context.Context, f *following, why *transcript.Error) error {
	now, err := t.Now(ctx)
	if err != nil {
		return err
	}
	f.LastError = attempt.Last(why, 1, now)
	f.NextTakeAt = new(sqldb.Moment(now.Add(t.Wait)))
	return t.Store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.SQL().NewUpdate().Model(f).Column("last_error", "next_take_at").WherePK().Where("NOT paused").Exec(ctx)
		return sqldb.Wrap("let follow wait", err)
	})
}

// Reopen schedules another attempt at items whose jobs have ended for a temporary reason,
// such as an allowance that is used up. It is called in the transaction that ends the
// jobs.
func (fs *Follows) Reopen(ctx context.Context, tx *db.Tx, jobs []string, why *transcript.Error) error {
	if why == nil || len(jobs) == 0 || !used(why.Code) {
		return nil
	}
	now, err := fs.cfg.Now(ctx)
	if err != nil {
		return err
	}
	var ids []string
	err = tx.SQL().NewRaw(`UPDATE follow_items SET status = 'waiting', job_id = '', reason = ?
		WHERE job_id <> '' AND job_id IN (?) AND status = 'submitted' RETURNING follow_id`, why.Message, bun.List(jobs)).Scan(ctx, &ids)
	if err != nil || len(ids) == 0 {
		return sqldb.Wrap("reopen items of follows", err)
	}
	last, err := json.Marshal(attempt.Last(why, 1, now))
	if err != nil {
		return err
	}
	_, err = tx.SQL().NewRaw("UPDATE follows SET next_take_at = ?, last_error = ? WHERE id IN (?) AND NOT paused",
		sqldb.Moment(now.Add(fs.cfg.Wait)), string(last), bun.List(ids)).Exec(ctx)
	return sqldb.Wrap("let follows wait", err)
}

// used reports whether a job ended because the plan had nothing left.
func used(code transcript.Code) bool {
	return code == transcript.TranscriptQuotaExceeded || code == transcript.ASRQuotaExceeded || code == transcript.ASRConcurrencyLimit || code == transcript.InsufficientCredits
}
