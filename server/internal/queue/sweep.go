package queue

import (
	"context"
	"database/sql"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/server/internal/tables"
)

// SweepUntaken removes the steps of a queue that no process has taken since a time, a portion in each
// transaction. River itself removes the rows of steps that have ended: see Workers.
func (q *Queue) SweepUntaken(ctx context.Context, queue string, before time.Time) error {
	jobs := tables.Table{Name: "river_job", Key: []string{"id"}}
	for {
		var n int64
		err := q.sql.InTx(ctx, func(ctx context.Context, tx *sqldb.Tx) (err error) {
			n, err = jobs.Delete(ctx, tx.Tx, `queue = ?1 AND created_at < ?0
				AND state IN ('available', 'cancelled', 'completed', 'discarded', 'pending', 'retryable', 'scheduled')`, sqldb.Moment(before), queue)
			return err
		})
		if err != nil || n < tables.Some {
			return sqldb.Wrap("sweep the queue "+queue, err)
		}
	}
}

// affected is how many rows a statement has changed.
func affected(res sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}
