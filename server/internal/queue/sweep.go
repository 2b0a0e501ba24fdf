package queue

import (
	"context"
	"database/sql"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// portion is how many rows are removed in one transaction.
const portion = 200

// Sweep removes what is older than a time: the rows of processes that are long dead, and the steps of
// the optional queues that no process has taken. It also removes the accounts that a queue need not
// know any more, and takes such an account for a new one. River itself removes the rows of steps that
// have ended: see Workers.
func (q *Queue) Sweep(ctx context.Context, before time.Time, optional ...string) error {
	for _, queue := range optional {
		if err := q.sweepUntaken(ctx, queue, before); err != nil {
			return err
		}
	}
	if err := q.sweep(ctx, "processes", "id", "beat_at < ?3", sqldb.Moment(before)); err != nil {
		return err
	}
	return q.sweep(ctx, "fair_shares", "queue, priority, turn", oldShares)
}

// sweep removes the old rows of a table, a portion in each transaction. In the condition old, ?3 and
// higher numbers are the values.
func (q *Queue) sweep(ctx context.Context, table, key, old string, values ...any) error {
	for {
		var n int64
		err := q.sql.InTx(ctx, func(ctx context.Context, tx *sqldb.Tx) error {
			// Asked twice: a row that another changes meanwhile may not be old any more.
			res, err := tx.NewRaw(`DELETE FROM ?0 WHERE (?1) IN (SELECT ?1 FROM ?0 WHERE `+old+` LIMIT ?2) AND (`+old+`)`,
				append([]any{bun.Ident(table), bun.Safe(key), portion}, values...)...).Exec(ctx)
			n, err = affected(res, err)
			return err
		})
		if err != nil || n < portion {
			return sqldb.Wrap("sweep "+table, err)
		}
	}
}

func affected(res sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}
