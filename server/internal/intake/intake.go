// Package intake decides what each account may do: it accepts requests, and applies their plans
// until their jobs have ended.
//
//	in := intake.New(config)
//	out, err := in.Submit(ctx, intake.Submission{…})  // a transcript, or a job
//	job, err := in.Cancel(ctx, account, out.Job.JobID, nil)
//
// The work on one content serves all jobs that wait for it, of all accounts. Submit answers from
// the cache, joins running work, or begins new work. The other rooms do the work. They change the
// states of the work and its jobs with the methods of Moves, which also end jobs. In one
// transaction, a job that ends pays, passes its place to another job, and is reported to the
// listeners.
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

// Config has what an Intake needs. All members except Tracer are required.
type Config struct {
	Store   *db.Store
	Cluster *cluster.Cluster // the processes that share the work
	Disks   *disks.Disks
	Metrics *metrics.Metrics
	// Tracer says what to store about the trace of a request; nil means nothing.
	Tracer engine.Tracer
	// MaxMediaDuration is the longest media that is decoded.
	MaxMediaDuration time.Duration
	Listeners        Listeners
}

// Intake takes requests. An Intake is safe for concurrent use.
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

// Moves change the states of the work and the jobs that the intake has begun.
func (i *Intake) Moves() *Moves { return i.moves }

// maxTrace limits the stored part of a trace, in characters.
const maxTrace = 256

// Trace returns the part of a request's trace to store.
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
