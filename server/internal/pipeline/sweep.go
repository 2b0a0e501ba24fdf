package pipeline

import (
	"context"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
)

const (
	keepJobs    = 7 * 24 * time.Hour // after their end
	keepAnswers = 24 * time.Hour     // of idempotency keys
	sweepEvery  = time.Hour
)

type sweepArgs struct{}

func (sweepArgs) Kind() string  { return "sweep" }
func (sweepArgs) Queue() string { return queueHouse }

// sweep removes what is past its time.
func (p *Pipeline) sweep(ctx context.Context, _ db.Work, _ sweepArgs) error {
	now := time.Now()
	return p.store.Sweep(ctx, now.Add(-keepJobs), now.Add(-keepAnswers))
}
