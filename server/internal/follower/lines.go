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

// line is a line of an account in which looks wait. Looks that take long stand in the slow
// line, so that they hold up no others. A line with looks has one step in the queue.
type line struct {
	bun.BaseModel `bun:"table:follow_lines,alias:n"`

	Account string `bun:",pk"`
	Slow    bool   `bun:",pk"`
	Step    int64
	StepAt  *time.Time // nil means that no look waits
}

// queued is the place of a source in the line of an account that follows it.
type queued struct {
	bun.BaseModel `bun:"table:follow_looks,alias:l"`

	SourceID     string `bun:",pk"`
	Account      string
	Host         string
	Slow         bool
	DueAt        *time.Time // nil means that no look waits or is under way
	LookingSince *time.Time // nil means that no look is under way
	MovedTo      string     // where the last look was led for good
	MovedLooks   int        // how many looks in a row were led there
}

// wake sees to it that a step of a line runs at a time, or before.
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

// plan makes a new step for a locked line, and leaves the step before without work.
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

// queueDue puts due sources into the lines of accounts that follow them, and reports how
// many. A source that several accounts follow goes with the account that has the fewest
// follows, so that an account with many follows holds up no other.
func (lk *looker) queueDue(ctx context.Context, now time.Time) (n int, err error) {
	err = lk.Store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		var due []string
		q := tx.SQL().NewSelect().Model((*source)(nil)).Column("id").
			Where("next_look_at <= ?", sqldb.Moment(now)).
			// A lease of a process of the version before. One that ends too late was taken before
			// the clock was put back.
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

// lineUp puts those of the locked sources into lines that are due. They stand in the lines of
// an account, or of an account that follows them if account is empty.
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
	slices.SortFunc(rows, func(a, b queued) int { return cmp.Compare(a.SourceID, b.SourceID) }) // no transaction waits for another crosswise
	// A look that is under way stays in its line.
	_, err = tx.SQL().NewInsert().Model(&rows).On("CONFLICT (source_id) DO UPDATE").
		Set("account = CASE WHEN l.looking_since IS NULL THEN excluded.account ELSE l.account END").
		Set("due_at = coalesce(l.due_at, excluded.due_at)").
		Returning("account, slow").Exec(ctx, &rows)
	if err != nil {
		return sqldb.Wrap("queue looks", err)
	}
	return wakeAll(ctx, tx, rows, now)
}

// wakeAll wakes the lines in which looks stand, in one order for all transactions.
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

// nextLooks are the sources in a line that may be looked at next, at most n. The hosts take
// turns, and the busy hosts are left out. feedsOnly leaves playlists and channels to other
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

// claim notes that a line's sources are looked at, and reads them. It leaves out those that
// other transactions hold, and those that are not due any more.
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

// slower moves a source of the quick line into the slow line of its account.
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

// slowHost moves the other sources of a slow host into the slow line of their account.
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

// endLook takes a source out of its line after a look.
func endLook(ctx context.Context, tx *db.Tx, q *queued) error {
	_, err := tx.SQL().NewRaw("UPDATE follow_looks SET due_at = NULL, looking_since = NULL, host = ?, slow = ?, moved_to = ?, moved_looks = ? WHERE source_id = ?",
		q.Host, q.Slow, q.MovedTo, q.MovedLooks, q.SourceID).Exec(ctx)
	return sqldb.Wrap("end look", err)
}
