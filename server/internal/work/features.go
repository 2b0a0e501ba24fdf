package work

import (
	"context"

	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
)

// Features are the parts next to the work on jobs that use its queue and its processes: batches,
// follows, webhooks and the like. This package knows none of them.
type Features struct {
	// Workers run the steps of the features, and Queues says how many steps of each of their
	// queues run at the same time.
	Workers  []queue.Worker
	Queues   map[string]int
	Periodic []queue.Periodic
	// Takes says whether this process takes steps from a queue. For a queue that is not in Takes,
	// Needs decides.
	Takes map[string]bool
	// Needs says what a process must be able to do for the steps of a queue. Every process can do
	// the steps of a queue that is in neither.
	Needs map[string]func(cluster.Abilities) bool
	// QueueBatch queues the steps of a batch that are missing from every queue. It calls
	// found in the transaction that does so.
	QueueBatch func(ctx context.Context, batch string, found func(*db.Tx)) error
	// Start is called before the work begins, and Live runs while it lasts; nil means that
	// nothing does.
	Start func(context.Context) error
	Live  func(context.Context)
}
