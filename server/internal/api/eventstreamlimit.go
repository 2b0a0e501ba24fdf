package api

import (
	"context"
	"time"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/underway"
)

// streamCounter counts the open streams of each account.
type streamCounter struct {
	metrics *metrics.Metrics
	open    underway.Counter[string]
}

// errTooManyStreams refuses a stream of an account that has as many as it may.
var errTooManyStreams = edge.RateLimited(5 * time.Second)

// take counts the request that ctx belongs to as an open stream until closed is called. It reports
// false if the account has as many streams as its plan permits, or as many requests that wait.
func (c *streamCounter) take(ctx context.Context, p account.Principal) (closed func(), ok bool) {
	if !c.open.Take(p.Account, p.Plan.EventStreams) {
		return nil, false
	}
	release, ok := edge.TakeWait(ctx)
	if !ok {
		c.open.Release(p.Account)
		return nil, false
	}
	counted := c.metrics.StreamOpened()
	return func() { counted(); release(); c.open.Release(p.Account) }, true
}
