package follower

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/library/follow"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// line is a line of an account in which checks wait. Checks that take long wait in the
// slow line, so that they do not delay others. A line with checks has one step in the
// queue.
type line struct {
	bun.BaseModel `bun:"table:follow_lines,alias:n"`

	Account string `bun:",pk"`
	Slow    bool   `bun:",pk"`
	Step    int64
	StepAt  *time.Time // nil if no check waits
}

// queued is the place of a source in the line of an account that follows it.
type queued struct {
	bun.BaseModel `bun:"table:follow_looks,alias:l"`

	SourceID     string `bun:",pk"`
	Account      string
	Host         string
	Slow         bool
	DueAt        *time.Time // nil if no check waits or is running
	LookingSince *time.Time // nil if no check is running
	MovedTo      string     // the target of permanent redirects in the last check
	MovedLooks   int        // how many consecutive checks were redirected there
}

// wake makes sure that a step of a line runs at a time, or earlier.
func wake(ctx context.Context, tx *db.Tx, account string, slow bool, now, at time.Time) error {
	l := &line{Account: account, Slow: slow}
	if _, err := tx.SQL().NewInsert().Model(l).On("CONFLICT DO NOTHING").Exec(ctx); err != nil {
		return sqldb.Wrap("insert line of follows", err)
	}
	if err := lockLine(ctx, tx, l); err != nil {
		return err
	}
	if l.StepAt != nil && !l.StepAt.After(at) {
		return nil
	}
	return l.plan(ctx, tx, now, at)
}

// lockLine locks a line and reads it.
func lockLine(ctx context.Context, tx *db.Tx, l *line) error {
	return sqldb.One("line of follows", tx.SQL().ForUpdate(tx.SQL().NewSelect().Model(l).WherePK()).Scan(ctx))
}

// plan makes a new step for a locked line. The previous step then has no work.
func (l *line) plan(ctx context.Context, tx *db.Tx, now, at time.Time) error {
	l.Step, l.StepAt = l.Step+1, new(sqldb.Moment(at))
	if err := saveLine(ctx, tx, l); err != nil {
		return err
	}
	step := Step{Account: l.Account, Slow: l.Slow, Number: l.Step}
	if pause := at.Sub(now); pause > 0 {
		return tx.Queue.EnqueueAt(ctx, step, time.Now().Add(pause))
	}
	return tx.Queue.EnqueueFor(ctx, step, queue.One(l.Account)) // the accounts take turns
}

func saveLine(ctx context.Context, tx *db.Tx, l *line) error {
	_, err := tx.SQL().NewUpdate().Model(l).Column("step", "step_at").WherePK().Exec(ctx)
	return sqldb.Wrap("save line of follows", err)
}

// mostQueued is how many due sources one transaction puts into lines.
const mostQueued = 200

// queueDue puts due sources into the lines of accounts that follow them, and returns
// their number. A source that several accounts follow waits in a line of the account with
// the fewest follows, so that an account with many follows delays no other.
func (lk *looker) queueDue(ctx context.Context, now time.Time) (n int, err error) {
	err = lk.Store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		var due []string
		q := tx.SQL().NewSelect().Model((*source)(nil)).Column("id").
			Where("next_look_at <= ?", sqldb.Moment(now)).
			// A lease of a process of the previous version. A lease that ends too late was taken
			// before the clock was set back.
			Where("(looking_until IS NULL OR looking_until <= ? OR looking_until > ?)", sqldb.Moment(now), sqldb.Moment(now.Add(lease+time.Minute))).
			Where("NOT EXISTS (SELECT 1 FROM follow_looks AS l WHERE l.source_id = s.id AND l.due_at IS NOT NULL)").
			Order("next_look_at").Limit(mostQueued)
		if err := tx.SQL().SkipLocked(q).Scan(ctx, &due); err != nil {
			return sqldb.Wrap("due sources of follows", err)
		}
		n = len(due)
		return lineUp(ctx, tx, due, "", now)
	})
	return n, err
}

// lineUp puts the due sources among the locked ones into lines. The lines belong to an
// account, or to an account that follows the sources if account is empty.
func lineUp(ctx context.Context, tx *db.Tx, sources []string, account string, now time.Time) error {
	if len(sources) == 0 {
		return nil
	}
	var due []struct {
		ID, URL, FeedURL, Account string
	}
	err := tx.SQL().NewRaw(`SELECT s.id, s.url, s.feed_url, coalesce((SELECT f.account FROM follows AS f LEFT JOIN follow_accounts AS a ON a.account = f.account
			WHERE f.source_id = s.id AND NOT f.paused AND (f.account = ?0 OR ?0 = '') ORDER BY a.follows LIMIT 1), '') AS account
		FROM follow_sources AS s WHERE s.id IN (?1) AND s.next_look_at <= ?2`, account, bun.List(sources), sqldb.Moment(now)).Scan(ctx, &due)
	if err != nil {
		return sqldb.Wrap("accounts of due sources", err)
	}
	var rows []queued
	for _, s := range due {
		if s.Account == "" { // the follows have been paused meanwhile
			continue
		}
		rows = append(rows, queued{
			SourceID: s.ID, Account: s.Account, Host: (&source{URL: s.URL, FeedURL: s.FeedURL}).host(), DueAt: new(sqldb.Moment(now)),
			Slow: s.FeedURL == "", // the program that reads lists takes seconds
		})
	}
	if len(rows) == 0 {
		return nil
	}
	slices.SortFunc(rows, func(a, b queued) int { return cmp.Compare(a.SourceID, b.SourceID) }) // no two transactions wait for each other
	// A running check stays in its line.
	_, err = tx.SQL().NewInsert().Model(&rows).On("CONFLICT (source_id) DO UPDATE").
		Set("account = CASE WHEN l.looking_since IS NULL THEN excluded.account ELSE l.account END").
		Set("due_at = coalesce(l.due_at, excluded.due_at)").
		Returning("account, slow").Exec(ctx, &rows)
	if err != nil {
		return sqldb.Wrap("queue looks", err)
	}
	return wakeAll(ctx, tx, rows, now)
}

// wakeAll wakes the lines in which checks wait, in one order for all transactions.
func wakeAll(ctx context.Context, tx *db.Tx, rows []queued, now time.Time) error {
	slices.SortFunc(rows, func(a, b queued) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(fmt.Sprint(a.Slow), fmt.Sprint(b.Slow)))
	})
	for i, r := range rows {
		if i > 0 && r.Account == rows[i-1].Account && r.Slow == rows[i-1].Slow {
			continue // the line is awake
		}
		if err := wake(ctx, tx, r.Account, r.Slow, now, now); err != nil {
			return err
		}
	}
	return nil
}

// nextLooks returns at most n sources in a line that may be checked next. The hosts take
// turns, and busy hosts are left out. feedsOnly leaves playlists and channels to other
// processes.
func (lk *looker) nextLooks(ctx context.Context, step Step, n int, busy []string, feedsOnly bool) (some []queued, err error) {
	due := lk.Store.SQL().Reader().NewSelect().Model((*queued)(nil)).Column("source_id", "host", "due_at").
		ColumnExpr("row_number() OVER (PARTITION BY host ORDER BY due_at) AS turn").
		Where("account = ? AND slow = ? AND due_at IS NOT NULL", step.Account, step.Slow)
	if len(busy) > 0 {
		due.Where("host NOT IN (?)", bun.List(busy))
	}
	if feedsOnly {
		due.Where("EXISTS (SELECT 1 FROM follow_sources AS s WHERE s.id = l.source_id AND s.kind = ?)", follow.Feed)
	}
	err = lk.Store.SQL().Reader().NewSelect().TableExpr("(?) AS d", due).Column("source_id", "host").
		Where("turn <= ?", hostMostOfAccount).Order("turn", "due_at").Limit(int64(n)).Scan(ctx, &some)
	return some, sqldb.Wrap("next looks", err)
}

// claim records that a line's sources are being checked, and reads them. It leaves out
// sources that other transactions hold, and sources that are no longer due.
func claim(ctx context.Context, s *db.Store, ids []string, now time.Time) (sources []source, err error) {
	err = s.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		sources = nil
		var held []string
		err := tx.SQL().SkipLocked(tx.SQL().NewSelect().Model((*source)(nil)).Column("id").Where("id IN (?)", bun.List(ids)).Order("id")).Scan(ctx, &held)
		if err != nil || len(held) == 0 {
			return err
		}
		err = tx.SQL().NewRaw("UPDATE follow_sources SET looking_until = ? WHERE id IN (?) AND next_look_at <= ? RETURNING *",
			sqldb.Moment(now.Add(lease)), bun.List(held), sqldb.Moment(now)).Scan(ctx, &sources)
		if err != nil {
			return err
		}
		looked := []string{""}
		for i := range sources {
			looked = append(looked, sources[i].ID)
		}
		if _, err = tx.SQL().NewRaw("UPDATE follow_looks SET due_at = NULL, looking_since = NULL WHERE source_id IN (?) AND source_id NOT IN (?)",
			bun.List(held), bun.List(looked)).Exec(ctx); err != nil {
			return err
		}
		_, err = tx.SQL().NewRaw("UPDATE follow_looks SET looking_since = ? WHERE source_id IN (?)", sqldb.Moment(now), bun.List(looked)).Exec(ctx)
		return err
	})
	return sources, sqldb.Wrap("claim looks", err)
}

// slower moves a source from the quick line to the slow line of its account.
func (lk *looker) slower(ctx context.Context, s *source, now time.Time) error {
	err := lk.Store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := lockSource(ctx, tx, &source{ID: s.ID}); err != nil {
			return err
		}
		if _, err := tx.SQL().NewRaw("UPDATE follow_sources SET looking_until = NULL WHERE id = ?", s.ID).Exec(ctx); err != nil {
			return sqldb.Wrap("end look", err)
		}
		var rows []queued
		err := tx.SQL().NewRaw("UPDATE follow_looks SET slow = ?, looking_since = NULL WHERE source_id = ? RETURNING account, slow", true, s.ID).Scan(ctx, &rows)
		if err != nil {
			return sqldb.Wrap("move look", err)
		}
		return wakeAll(ctx, tx, rows, now)
	})
	if errors.Is(err, db.ErrNotFound) { // its last follow was deleted meanwhile
		return nil
	}
	return err
}

// slowHost moves the other sources of a slow host to the slow line of their account.
func (lk *looker) slowHost(ctx context.Context, account, host string) error {
	for {
		moved := 0
		err := lk.Store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
			var ids []string
			err := tx.SQL().SkipLocked(tx.SQL().NewSelect().Model((*queued)(nil)).Column("source_id").
				Where("account = ? AND host = ? AND NOT slow AND looking_since IS NULL", account, host).Limit(mostQueued)).Scan(ctx, &ids)
			if moved = len(ids); err != nil || moved == 0 {
				return err
			}
			_, err = tx.SQL().NewRaw("UPDATE follow_looks SET slow = ? WHERE source_id IN (?)", true, bun.List(ids)).Exec(ctx)
			return err
		})
		if err != nil || moved < mostQueued {
			return sqldb.Wrap("move looks of a host", err)
		}
	}
}

// endLook removes a source from its line after a check.
func endLook(ctx context.Context, tx *db.Tx, q *queued) error {
	_, err := tx.SQL().NewRaw("UPDATE follow_looks SET due_at = NULL, looking_since = NULL, host = ?, slow = ?, moved_to = ?, moved_looks = ? WHERE source_id = ?",
		q.Host, q.Slow, q.MovedTo, q.MovedLooks, q.SourceID).Exec(ctx)
	return sqldb.Wrap("end look", err)
}
