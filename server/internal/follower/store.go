package follower

import (
	"context"
	"encoding/json"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/library/follow"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// Every transaction that changes a follow locks rows in this order: the account's row of
// follow_accounts, sources, follows, looks, lines.

// lockAccount writes the account's current plan. It locks the account's row and returns
// the number of the account's follows.
func lockAccount(ctx context.Context, tx *db.Tx, account string, plan account.Plan) (have int, err error) {
	text, err := json.Marshal(plan)
	if err != nil {
		return 0, err
	}
	err = tx.SQL().NewRaw(`INSERT INTO follow_accounts (account, plan) VALUES (?, ?)
		ON CONFLICT (account) DO UPDATE SET plan = excluded.plan RETURNING follows`, account, string(text)).Scan(ctx, &have)
	return have, sqldb.Wrap("write the plan of follows", err)
}

// countFollows writes the number of an account's follows.
func countFollows(ctx context.Context, tx *db.Tx, account string, n int) error {
	_, err := tx.SQL().NewRaw("UPDATE follow_accounts SET follows = ? WHERE account = ?", n, account).Exec(ctx)
	return sqldb.Wrap("count follows", err)
}

// ownedAll reads the account's follows among the given ids.
func ownedAll(ctx context.Context, s *db.Store, account string, ids []string) (map[string]*following, error) {
	found := map[string]*following{}
	if len(ids) == 0 {
		return found, nil
	}
	var rows []following
	err := s.SQL().Reader().NewSelect().Model(&rows).Relation("Source").Relation("Look").
		Where("f.id IN (?) AND f.account = ?", bun.List(ids), account).Scan(ctx)
	for i := range rows {
		found[rows[i].ID] = &rows[i]
	}
	return found, sqldb.Wrap("follows", err)
}

// owned reads a follow of an account. For a follow of another account, the error is
// ErrNotFound.
func owned(ctx context.Context, s *db.Store, account, id string) (*following, error) {
	f := new(following)
	err := s.SQL().Reader().NewSelect().Model(f).Relation("Source").Relation("Look").Where("f.account = ? AND f.id = ?", account, id).Scan(ctx)
	return f, sqldb.One("follow "+id, err)
}

// lockOwned locks a follow of an account.
func lockOwned(ctx context.Context, tx *db.Tx, account, id string) (*following, error) {
	f := new(following)
	err := tx.SQL().ForUpdate(tx.SQL().NewSelect().Model(f).Where("f.account = ? AND f.id = ?", account, id)).Scan(ctx)
	return f, sqldb.One("follow "+id, err)
}

// page reads at most n follows of an account, newest first: those that are older than the
// follow before, unless before is empty.
func page(ctx context.Context, s *db.Store, account, before string, n int) ([]following, error) {
	var rows []following
	q := s.SQL().Reader().NewSelect().Model(&rows).Relation("Source").Relation("Look").Where("f.account = ?", account).Order("f.id DESC").Limit(int64(n))
	if before != "" {
		q.Where("f.id < ?", before)
	}
	return rows, sqldb.Wrap("follows", q.Scan(ctx))
}

// history is an entry with its result.
type history struct {
	entry  `bun:",extend"`
	Status *string
	JobID  *string
	Reason *string
}

// items reads at most n entries of a follow, newest first: those before a position,
// unless the position is 0.
func items(ctx context.Context, s *db.Store, f *following, before int64, n int) ([]history, error) {
	var rows []history
	q := s.SQL().Reader().NewSelect().Model(&rows).ColumnExpr("e.*, i.status, i.job_id, i.reason").
		Join("LEFT JOIN follow_items AS i ON i.follow_id = ? AND i.position = e.position", f.ID).
		Where("e.source_id = ?", f.SourceID).Order("e.position DESC").Limit(int64(n))
	if before != 0 {
		q.Where("e.position < ?", before)
	}
	return rows, sqldb.Wrap("items of follow "+f.ID, q.Scan(ctx))
}

// saveFollow writes the changeable columns of a follow.
func saveFollow(ctx context.Context, tx *db.Tx, f *following) error {
	_, err := tx.SQL().NewUpdate().Model(f).Column("paused", "ended_at", "begun", "position", "next_take_at", "last_error", "updated_at").WherePK().Exec(ctx)
	return sqldb.Wrap("save follow", err)
}

// deleteFollow removes a follow with its items.
func deleteFollow(ctx context.Context, tx *db.Tx, id string) error {
	_, err := tx.SQL().NewRaw("DELETE FROM follows WHERE id = ?", id).Exec(ctx)
	return sqldb.Wrap("delete follow", err)
}

// lockSource locks the source with the id, and reads it.
func lockSource(ctx context.Context, tx *db.Tx, s *source) error {
	return sqldb.One("followed source", tx.SQL().ForUpdate(tx.SQL().NewSelect().Model(s).Where("id = ?", s.ID)).Scan(ctx))
}

// leaveSource updates a source after the end or the pause of a follow: a source without
// follows is deleted, and a source without active follows rests.
func leaveSource(ctx context.Context, tx *db.Tx, id string) error {
	_, err := tx.SQL().NewRaw(`UPDATE follow_sources SET next_look_at = NULL
		WHERE id = ?0 AND NOT EXISTS (SELECT 1 FROM follows WHERE source_id = ?0 AND NOT paused)`, id).Exec(ctx)
	if err == nil { // the check waits in a line of another account that follows the source
		_, err = tx.SQL().NewRaw(`UPDATE follow_looks SET due_at = NULL WHERE source_id = ?0 AND looking_since IS NULL
			AND NOT EXISTS (SELECT 1 FROM follows AS f WHERE f.source_id = ?0 AND f.account = follow_looks.account AND NOT f.paused)`, id).Exec(ctx)
	}
	if err == nil {
		_, err = tx.SQL().NewRaw(`DELETE FROM follow_sources
			WHERE id = ?0 AND NOT EXISTS (SELECT 1 FROM follows WHERE source_id = ?0)`, id).Exec(ctx)
	}
	return sqldb.Wrap("leave followed source", err)
}

// ByID reads a follow of any account, for its owner, with the account.
func ByID(ctx context.Context, s *db.Store, id string) (account string, _ *follow.Follow, err error) {
	f := new(following)
	if err := s.SQL().Reader().NewSelect().Model(f).Relation("Source").Relation("Look").Where("f.id = ?", id).Scan(ctx); err != nil {
		return "", nil, sqldb.One("follow "+id, err)
	}
	return f.Account, f.shown(), nil
}
