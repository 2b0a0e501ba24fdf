package queue

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// Waiting describes the accounts that wait for a step.
type Waiting struct {
	Turns []string // the names under which the accounts take turns; none if no account waits
	Asked bool     // one of the accounts has made a single request, outside of a batch
}

// One is an account with a single request.
func One(account string) Waiting { return Waiting{Turns: []string{account}, Asked: true} }

// priority is the priority of a step for River.
func (w Waiting) priority() int {
	if w.Asked || len(w.Turns) == 0 {
		return singlePriority
	}
	return batchPriority
}

// Waiting returns the accounts that wait for a piece of work.
func (q *Queue) Waiting(ctx context.Context, work string) (Waiting, error) {
	return waitingFor(ctx, q.sql.Reader(), work)
}

// waitingFor returns the accounts with running jobs of work. This is the only statement
// of the package on rows of other packages.
func waitingFor(ctx context.Context, db bun.IDB, work string) (w Waiting, err error) {
	var rows []struct {
		Turn  string
		Asked int
	}
	err = db.NewSelect().TableExpr("jobs AS j").
		ColumnExpr("coalesce(nullif(j.turn, ''), j.account) AS turn").ColumnExpr("max(CASE WHEN j.asked THEN 1 ELSE 0 END) AS asked").
		Where("j.extraction_id = ?", work).Where("j.status IN ('pending', 'processing')").
		GroupExpr("1").OrderExpr("1").
		Scan(ctx, &rows)
	for _, row := range rows {
		w.Turns, w.Asked = append(w.Turns, row.Turn), w.Asked || row.Asked > 0
	}
	return w, sqldb.Wrap("claims on extraction "+work, err)
}
