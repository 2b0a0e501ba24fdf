// Package joblist lists the jobs of all accounts, for the operator of a service. It shows no
// content: neither links nor titles.
package joblist

import (
	"context"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// latest is how many of the jobs that ended last are searched for failed ones.
const latest = 1000

// Job is a job of an account.
type Job struct {
	ID, Account string
	Stage       transcript.Stage
	Error       *transcript.Error     // why the job failed; nil for a running job
	LastError   *transcript.LastError // why the last attempt of a running job failed; nil if none failed
	CreatedAt   time.Time
	EndedAt     *time.Time // nil for a running job
}

const columns = `SELECT id, account, stage, error, last_error, created_at, ended_at FROM jobs `

// Running returns at most n running jobs, the oldest first.
func Running(ctx context.Context, db *sqldb.DB, n int) ([]Job, error) {
	return list(ctx, db, columns+`WHERE status IN ('pending', 'processing') ORDER BY created_at, id LIMIT ?`, n)
}

// Failed returns at most n failed jobs, the latest first. It finds those among the last 1,000
// jobs that have ended.
func Failed(ctx context.Context, db *sqldb.DB, n int) ([]Job, error) {
	return list(ctx, db, `SELECT * FROM (`+columns+`WHERE ended_at IS NOT NULL ORDER BY ended_at DESC LIMIT ?) AS j
		WHERE error IS NOT NULL ORDER BY ended_at DESC, id LIMIT ?`, latest, n)
}

func list(ctx context.Context, db *sqldb.DB, query string, args ...any) (jobs []Job, err error) {
	err = db.Reader().NewRaw(query, args...).Scan(ctx, &jobs)
	return jobs, sqldb.Wrap("list jobs", err)
}
