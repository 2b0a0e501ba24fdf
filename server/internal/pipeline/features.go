package pipeline

import (
	"context"
	"fmt"

	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/audio"
	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
)

// Features are what stands beside the work on jobs and uses its queue, its processes and its ends:
// batches, follows, webhooks and the like. The pipeline knows none of them.
type Features struct {
	// Ended are told of jobs that end, one after the other. PayUp is among them.
	Ended []Listener
	// Ending is called before a transaction ends several jobs one after the other. It locks the rows
	// that the ends change, before the transaction changes what accounts have used.
	Ending func(ctx context.Context, tx *db.Tx, jobs []db.Job) error
	// NeedsSound is called in the transaction that finds that captions do not answer an extraction,
	// so that it goes on with its sound.
	NeedsSound func(ctx context.Context, tx *db.Tx, e *db.Extraction) error
	// Workers do the steps of the features, and Queues says how many steps of each of their queues
	// run at once.
	Workers  []queue.Worker
	Queues   map[string]int
	Periodic []queue.Periodic
	// Takes says whether this process takes steps from a queue. For a queue that is not in Takes,
	// Needs decides.
	Takes map[string]bool
	// Needs says what a process must be able to do for the steps of a queue. Every process can do
	// the steps of a queue that is in neither.
	Needs map[string]func(cluster.Abilities) bool
	// QueueBatch queues the steps of a batch that stand in no queue. It calls found in the
	// transaction that does so.
	QueueBatch func(ctx context.Context, batch string, found func(*db.Tx)) error
	// Start is called before the work begins, and Live runs while it lasts; nil: nothing does.
	Start func(context.Context) error
	Live  func(context.Context)
}

// Join adds the features to a new pipeline. It is called once, before Start.
func (p *Pipeline) Join(f Features) (err error) {
	p.features, p.processor.features, p.rescue.features, p.claims.features = f, f, f, f
	if p.cfg.Idle {
		return nil
	}
	if p.life, err = cluster.NewLife(p.newRunner, p.log); err != nil {
		return fmt.Errorf("pipeline: %w", err)
	}
	p.rescue.life = p.life
	return nil
}

// Audio are the files of extractions.
func (p *Pipeline) Audio() *audio.Files { return p.audio }

// Trace is what to keep of the trace of a request.
func (p *Pipeline) Trace(ctx context.Context) string { return traceOf(ctx, p.cfg.Tracer) }

// Pauses are the pauses between attempts.
func (p *Pipeline) Pauses() attempt.Pauses { return p.cfg.pauses }

// Config returns the configuration with its defaults.
func (p *Pipeline) Config() Config { return p.cfg }
