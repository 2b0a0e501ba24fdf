// Package pipeline turns an accepted request into a published transcript. It knows nothing
// of HTTP.
//
//	p, err := pipeline.New(config)
//	err = p.Join(features)
//	err = p.Start(ctx)
//	upload, err := p.Receive(ctx, file, limit)             // streamed, hashed
//	outcome, err := p.Submit(ctx, pipeline.Submission{…})  // a transcript, or a job
//	job, err := p.Jobs.Wait(ctx, account, outcome.Job.JobID, nil)
//	err = p.Stop(ctx)
//
// The work on one content is an extraction. The job of an account is a claim on an
// extraction. An extraction moves in short steps, and each step is a job of the queue. The
// first step of a link reads the captions. If no captions answer the request, prepare
// downloads, decodes and cuts the media, one step recognizes each chunk of speech, and
// publish stores the transcript.
//
// Every step first looks at what is already done, so a step may run again after a crash.
// The transaction that ends a step also writes the results for the next step. The
// transaction fails if another process has taken the step over.
//
// The parts of a Pipeline, from the lower to the higher: audio keeps files;
// claims moves extractions and claims from state to state; processor runs the steps; and
// rescue takes up lost work. Features stand beside the pipeline: see Join.
package pipeline

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/ask"
	"github.com/transcriptkit/transcriptkit/server/internal/audio"
	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/disks"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/throttle"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
)

// Pipeline accepts requests and works on them. Safe for concurrent use.
type Pipeline struct {
	Jobs  *view.Jobs
	Disks *disks.Disks
	// Resumable keeps files that arrive in several requests.
	Resumable *Resumable

	cfg       Config
	store     *db.Store
	engine    engine.Engine // its sources keep the pace
	pace      *throttle.Throttle
	cluster   *cluster.Cluster
	reach     *cluster.Reach
	life      *cluster.Life // nil: the pipeline is idle
	sources   *ask.Sources
	features  Features
	claims    *claims
	processor *processor
	rescue    *rescue
	audio     *audio.Files
	log       *slog.Logger
	metrics   *metrics.Metrics
	stopLife  context.CancelFunc
	living    sync.WaitGroup
}

// New checks the configuration and prepares a pipeline. After Join and until Start it accepts
// requests but does no work.
func New(c Config) (*Pipeline, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	c.times = c.withDefaults()
	c.Retention = cmp.Or(c.Retention, DefaultRetention())
	p := &Pipeline{
		cfg: c, store: c.Store, engine: c.Engine, pace: c.Throttle, cluster: c.Cluster, sources: c.Sources, log: c.Log, metrics: c.Metrics,
		reach: cluster.NewReach(c.Engine.Recognizer),
	}
	p.assemble()
	return p, nil
}

// assemble makes the parts of the pipeline, the lower parts first.
func (p *Pipeline) assemble() {
	c := p.cfg
	p.Jobs = &view.Jobs{Store: c.Store}
	p.Disks = &disks.Disks{Store: c.Store, Log: c.Log, MinFree: c.MinFreeDisk}
	p.Resumable = &Resumable{pipeline: p, joins: semaphore.NewWeighted(joinsAtOnce)}
	if !c.Idle {
		p.Disks.Scratch = c.Dir
	}
	p.audio = &audio.Files{Store: c.Store, Log: c.Log}
	p.claims = &claims{store: c.Store, metrics: c.Metrics, audio: p.audio, settled: c.settled}
	p.processor = &processor{
		cfg: c, store: c.Store, engine: p.engine, cluster: p.cluster, reach: p.reach, sources: p.sources,
		claims: p.claims, audio: p.audio, disks: p.Disks, metrics: c.Metrics, log: c.Log,
		recognizers: make(recognizerSlots, max(c.ASRWorkers, 1)),
	}
	p.rescue = &rescue{
		store: c.Store, cluster: p.cluster, claims: p.claims, metrics: c.Metrics, log: c.Log, lookEvery: c.Retention.Stranded,
	}
}

// Start takes up the work, also what a process that died has left behind.
// Before it, on SQLite, the caller must hold db.Serve. A pipeline is started
// once. An idle one has nothing to take up.
func (p *Pipeline) Start(ctx context.Context) error {
	if p.cfg.Idle {
		return nil
	}
	if !p.store.Shared() {
		if err := p.rescue.buryAll(ctx); err != nil {
			return fmt.Errorf("pipeline: joining the workers: %w", err)
		}
	}
	if err := p.rescue.takeUpLost(ctx); err != nil { // no reason to leave the rest undone; it is tried again
		p.log.ErrorContext(ctx, "looking for lost work failed", "err", err)
	}
	stranded, err := p.rescue.firstLook(ctx)
	if err != nil { // as above
		p.log.ErrorContext(ctx, "looking for stranded work failed", "err", err)
	}
	if p.features.Start != nil {
		if err := p.features.Start(ctx); err != nil {
			return fmt.Errorf("pipeline: starting the features: %w", err)
		}
	}
	if err := p.life.Runner().Start(ctx); err != nil {
		return fmt.Errorf("pipeline: starting the workers: %w", err)
	}
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	p.stopLife = cancel
	p.living.Go(func() { p.life.Beat(life) })
	p.living.Go(func() { p.rescue.watchOver(life) })
	p.living.Go(func() { p.rescue.watchSessions(life) })
	p.living.Go(func() { p.rescue.watchStranded(life, stranded) })
	if p.features.Live != nil {
		p.living.Go(func() { p.features.Live(life) })
	}
	p.living.Go(func() {
		p.audio.RemoveEnded(life, p.cfg.Retention.Audio, cmp.Or(p.cfg.audioLook, min(audio.Look, p.cfg.Retention.Audio)), p.Disks.Short)
	})
	return nil
}

// Stop ends the work: running steps are given back, to be run again, without
// counting an attempt. It returns nil when all of them have ended. When ctx ends
// first it returns ctx's error; the steps, which then have been told to end, keep
// what they use, and Stop may be called again to wait on. One call at a time.
func (p *Pipeline) Stop(ctx context.Context) error {
	if p.stopLife == nil {
		return nil // it was not started
	}
	if err := p.stopWork(ctx); err != nil {
		return fmt.Errorf("pipeline: stopping: %w", err)
	}
	return nil
}

func (p *Pipeline) stopWork(ctx context.Context) error {
	if err := p.life.Stop(ctx); err != nil {
		return err // steps still run: no other process may take this one for dead
	}
	p.stopLife()
	p.living.Wait()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	if err := p.life.Runner().Leave(ctx); err != nil {
		p.log.WarnContext(ctx, "the other processes were not told that this one has stopped; they find out", "err", err)
	}
	return nil
}

// newRunner prepares work on the queue under the name of a process.
func (p *Pipeline) newRunner(process string) (db.Runner, error) {
	workers := p.processor.workers(process)
	said, err := json.Marshal(p.cluster.Self())
	if err != nil {
		return nil, fmt.Errorf("writing the abilities of the process: %w", err)
	}
	workers.Abilities = said
	return p.store.NewRunner(workers)
}
