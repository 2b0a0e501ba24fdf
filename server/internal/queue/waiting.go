package queue

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// Waiting is who waits for a step.
type Waiting struct {
	Turns []string // the names under which the accounts take turns; none: no account waits
	Asked bool     // one of the accounts has asked by itself, outside of a batch
}

// One is an account that has asked by itself.
func One(account string) Waiting { return Waiting{Turns: []string{account}, Asked: true} }

// priority is the priority of a step for River.
func (w Waiting) priority() int {
	if w.Asked || len(w.Turns) == 0 {
		return singlePriority
	}
	return batchPriority
}

// Waiting returns the accounts that wait for an extraction.
func (q *Queue) Waiting(ctx context.Context, extraction string) (Waiting, error) {
	return waitingFor(ctx, q.sql.Reader(), extraction)
}

// waitingFor returns the accounts whose claims on an extraction run. This is the one statement of the
// package on rows that are not the queue's.
func waitingFor(ctx context.Context, db bun.IDB, extraction string) (w Waiting, err error) {
	var rows []struct {
		Turn  string
		Asked int
	}
	err = db.NewSelect().TableExpr("jobs AS j").
		ColumnExpr("coalesce(nullif(j.turn, ''), j.account) AS turn").ColumnExpr("max(CASE WHEN j.asked THEN 1 ELSE 0 END) AS asked").
		Where("j.extraction_id = ?", extraction).Where("j.status IN ('pending', 'processing')").
		GroupExpr("1").OrderExpr("1").
		Scan(ctx, &rows)
	for _, row := range rows {
		w.Turns, w.Asked = append(w.Turns, row.Turn), w.Asked || row.Asked > 0
	}
	return w, sqldb.Wrap("claims on extraction "+extraction, err)
}
