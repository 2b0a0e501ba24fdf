// Package intake decides who may have what: it takes requests, and holds them to their plans until
// their jobs have ended.
//
//	in := intake.New(config)
//	out, err := in.Submit(ctx, intake.Submission{…})  // a transcript, or a job
//	job, err := in.Cancel(ctx, account, out.Job.JobID, nil)
//
// The work on one content serves all jobs that wait for it, of any account. Submit answers from the
// cache, joins running work, or begins new work. The other rooms do the work. They move the work and
// its jobs from state to state by the methods of Moves, which end jobs too: a job that ends pays,
// leaves its place to another job, and is told to the listeners, all in one transaction.
package intake

import (
	"context"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/disks"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
)

// Config has what an intake needs. All members except Tracer are required.
type Config struct {
	Store   *db.Store
	Cluster *cluster.Cluster // the processes that share the work
	Disks   *disks.Disks
	Metrics *metrics.Metrics
	// Tracer says what to keep of the trace of a request; nil means nothing.
	Tracer engine.Tracer
	// MaxMediaDuration is the longest media that is decoded.
	MaxMediaDuration time.Duration
	Listeners        Listeners
}

// Intake takes requests. Safe for concurrent use.
type Intake struct {
	store   *db.Store
	cluster *cluster.Cluster
	disks   *disks.Disks
	metrics *metrics.Metrics
	tracer  engine.Tracer
	longest time.Duration
	jobs    *view.Jobs
	moves   *Moves
}

// New makes an intake.
func New(c Config) *Intake {
	return &Intake{
		store: c.Store, cluster: c.Cluster, disks: c.Disks, metrics: c.Metrics, tracer: c.Tracer, longest: c.MaxMediaDuration,
		jobs:  &view.Jobs{Store: c.Store},
		moves: &Moves{store: c.Store, metrics: c.Metrics, listeners: c.Listeners},
	}
}

// Moves move the work and the jobs that the intake has begun.
func (i *Intake) Moves() *Moves { return i.moves }

// maxTrace bounds what is kept of a trace, in characters.
const maxTrace = 256

// Trace is what to keep of the trace of a request.
func (i *Intake) Trace(ctx context.Context) string {
	if i.tracer == nil {
		return ""
	}
	trace := i.tracer.Trace(ctx)
	if len(trace) > maxTrace {
		return ""
	}
	for _, c := range []byte(trace) {
		if c <= ' ' || c > '~' {
			return ""
		}
	}
	return trace
}
