package follower

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// lease is how long a process of the previous version does not check a source that this process
// is checking.
const lease = 5 * time.Minute

// planAgain plans checks again that were planned by a clock that has been set back. It
// spreads them over the time between two checks.
func planAgain(ctx context.Context, s *db.Store, now time.Time, spread func() time.Time) error {
	return s.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		var ids []string
		err := tx.SQL().SkipLocked(tx.SQL().NewSelect().Model((*source)(nil)).Column("id").
			Where("next_look_at IS NOT NULL AND looked_at > ?", sqldb.Moment(now.Add(time.Minute))).Limit(claimedAgain)).Scan(ctx, &ids)
		if err != nil {
			return sqldb.Wrap("sources ahead of the clock", err)
		}
		for _, id := range ids {
			_, err := tx.SQL().NewRaw("UPDATE follow_sources SET looked_at = ?, next_look_at = ? WHERE id = ?",
				sqldb.Moment(now), sqldb.Moment(spread()), id).Exec(ctx)
			if err != nil {
				return sqldb.Wrap("plan a look again", err)
			}
		}
		return nil
	})
}

// claimedAgain is how many checks are planned again in one transaction.
const claimedAgain = 200

// saveSource writes the changes of a check.
func saveSource(ctx context.Context, tx *db.Tx, s *source) error {
	s.Title = sqldb.Text(s.Title)
	for _, at := range []*time.Time{s.NextLookAt, s.LookedAt, s.NewAt, s.FailingSince} {
		if at != nil {
			*at = sqldb.Moment(*at)
		}
	}
	_, err := tx.SQL().NewUpdate().Model(s).Column("feed_url", "title", "etag", "modified", "rules", "last_entry", "next_look_at", "looking_until",
		"looked_at", "new_at", "failures", "failing_since", "told", "last_error").WherePK().Exec(ctx)
	return sqldb.Wrap("save followed source", err)
}

// atOnce is how many values are in one statement.
const atOnce = 500

// knownOf returns the guids of the items that the source already has.
func knownOf(ctx context.Context, r bun.IDB, source string, items []found) (map[string]bool, error) {
	known := map[string]bool{}
	guids := make([]string, len(items))
	for i, f := range items {
		guids[i] = f.guid
	}
	for some := range slices.Chunk(guids, atOnce) {
		var have []string
		err := r.NewSelect().Model((*entry)(nil)).Column("guid").Where("source_id = ? AND guid IN (?)", source, bun.List(some)).Scan(ctx, &have)
		if err != nil {
			return nil, sqldb.Wrap("known items of followed source", err)
		}
		for _, guid := range have {
			known[guid] = true
		}
	}
	return known, nil
}

// newestOf returns the guids of the newest entries of a source.
func newestOf(ctx context.Context, s *db.Store, source string, n int) (map[string]bool, error) {
	var guids []string
	err := s.SQL().Reader().NewSelect().Model((*entry)(nil)).Column("guid").Where("source_id = ?", source).Order("position DESC").Limit(int64(n)).Scan(ctx, &guids)
	known := map[string]bool{}
	for _, guid := range guids {
		known[guid] = true
	}
	return known, sqldb.Wrap("newest items of followed source", err)
}

// mostFirst is the largest number of existing items that a follow of a source wants.
func mostFirst(ctx context.Context, s *db.Store, source string) (n int, err error) {
	err = s.SQL().Reader().NewRaw("SELECT coalesce(max(max_items), 0) FROM follows WHERE source_id = ?", source).Scan(ctx, &n)
	return n, sqldb.Wrap("wishes of follows", err)
}

func insertEntries(ctx context.Context, tx *db.Tx, fresh []entry) error {
	for some := range slices.Chunk(fresh, atOnce) {
		if _, err := tx.SQL().NewInsert().Model(&some).Exec(ctx); err != nil {
			return sqldb.Wrap("insert items of followed source", err)
		}
	}
	return nil
}

// beginFollows lets the follows of a source continue after a check that began at a time.
// A follow that was made before the check begins now. All existing entries are done for
// it, except as many of the newest as it wants, and except those that were published
// after the follow was made.
func beginFollows(ctx context.Context, tx *db.Tx, s *source, began, now, next time.Time) error {
	since := `(SELECT min(e.position) - 1 FROM follow_entries AS e
		WHERE e.source_id = follows.source_id AND e.published_at > follows.created_at AND e.published_at <= ?)`
	_, err := tx.SQL().NewRaw(`UPDATE follows SET begun = TRUE,
			position = CASE WHEN `+since+` < ? - max_items THEN `+since+` WHEN ? > max_items THEN ? - max_items ELSE 0 END
		WHERE source_id = ? AND NOT begun AND created_at <= ?`,
		sqldb.Moment(now), s.LastEntry, sqldb.Moment(now), s.LastEntry, s.LastEntry, s.ID, sqldb.Moment(began)).Exec(ctx)
	if err != nil {
		return sqldb.Wrap("begin follows", err)
	}
	_, err = tx.SQL().NewRaw("UPDATE follows SET next_take_at = ? WHERE source_id = ? AND begun AND NOT paused AND next_take_at IS NULL AND position < ?",
		sqldb.Moment(now), s.ID, s.LastEntry).Exec(ctx)
	if err != nil {
		return sqldb.Wrap("wake follows", err)
	}
	// A follow that was made during the check waits for the next one.
	_, err = tx.SQL().NewRaw(`UPDATE follow_sources SET next_look_at = ? WHERE id = ?
		AND EXISTS (SELECT 1 FROM follows WHERE source_id = ? AND NOT begun AND NOT paused)`, sqldb.Moment(next), s.ID, s.ID).Exec(ctx)
	return sqldb.Wrap("plan the next look", err)
}

// activeOf returns the ids of the active follows of a source.
func activeOf(ctx context.Context, tx *db.Tx, source string) (ids []string, err error) {
	err = tx.SQL().NewSelect().Model((*following)(nil)).Column("id").Where("source_id = ? AND NOT paused", source).Order("id").Scan(ctx, &ids)
	return ids, sqldb.Wrap("active follows", err)
}
