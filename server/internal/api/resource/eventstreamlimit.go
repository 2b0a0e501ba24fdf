package resource

import (
	"context"
	"time"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/underway"
)

// StreamCounter counts the open streams of each account.
type StreamCounter struct {
	Metrics *metrics.Metrics
	open    underway.Counter[string]
}

// Take counts the request that ctx belongs to as an open stream until closed is called. It reports
// false if the account has no stream left, or no request left that may wait.
func (c *StreamCounter) Take(ctx context.Context, p account.Principal) (closed func(), ok bool) {
	if !c.open.Take(p.Account, p.Plan.EventStreams) {
		return nil, false
	}
	release, ok := edge.TakeWait(ctx)
	if !ok {
		c.open.Release(p.Account)
		return nil, false
	}
	counted := c.Metrics.StreamOpened()
	return func() { counted(); release(); c.open.Release(p.Account) }, true
}

// MaxWait is the longest time for which a request may hold its answer.
const MaxWait = 10 * time.Second
