// Package pipeline turns an accepted request into a published transcript. It knows nothing
// of HTTP.
//
//	p, err := pipeline.New(config)
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
// The parts of a Pipeline, from the lower to the higher: audio and Disks keep files;
// claims moves extractions and claims from state to state; processor runs the steps;
// rescue takes up lost work; hookDelivery calls the hooks. Package batches submits the
// items of batches, package follows those of follows, and package ask answers questions without a job.
package pipeline

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/ask"
	"github.com/transcriptkit/transcriptkit/server/internal/batches"
	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/corrections"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/follows"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/throttle"
	"github.com/transcriptkit/transcriptkit/server/internal/webhooks"
)

// Pipeline accepts requests and works on them. Safe for concurrent use.
type Pipeline struct {
	Ask     *ask.Service // answers questions without a job; it stops with the pipeline
	Batches *batches.Batches
	Follows *follows.Follows
	Jobs    *Jobs
	Library *Library
	// Corrections changes the texts of libraries.
	Corrections *corrections.Texts
	Disks       *Disks
	// Expiry removes what plans keep no longer.
	Expiry *Expiry
	// Removals removes accounts.
	Removals *Removals
	// Resumable keeps files that arrive in several requests.
	Resumable *Resumable
	// Webhooks has the endpoints of accounts, and delivers to them.
	Webhooks *webhooks.Store

	cfg       Config
	store     *db.Store
	engine    engine.Engine // its sources keep the pace
	pace      *throttle.Throttle
	cluster   *cluster.Cluster
	reach     *cluster.Reach
	life      *cluster.Life // nil: the pipeline is idle
	sources   *ask.Sources
	claims    *claims
	processor *processor
	rescue    *rescue
	hooks     *hookDelivery
	audio     *audio
	log       *slog.Logger
	metrics   *metrics.Metrics
	stopLife  context.CancelFunc
	living    sync.WaitGroup
}

// New checks the configuration and prepares a pipeline. Until Start it accepts
// requests but does no work.
func New(c Config) (*Pipeline, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	c.tuning = c.withDefaults()
	c.Retention = cmp.Or(c.Retention, DefaultRetention())
	if c.PlanOf == nil {
		c.PlanOf = func(context.Context, string) account.Plan { return account.Plan{} }
	}
	keep, err := throttle.New(c.Pace, c.Guard, c.Log)
	if err != nil {
		return nil, fmt.Errorf("pipeline: Config.Pace: %w", err)
	}
	p := &Pipeline{cfg: c, store: c.Store, engine: keep.Engine(withDirect(c.Engine)), pace: keep, log: c.Log, metrics: c.Metrics}
	self := cluster.Config{Self: cluster.AbilitiesOf(p.engine), Idle: c.Idle, Log: c.Log}
	if c.Store.Shared() {
		self.Processes = c.Store.Processes
	}
	p.cluster, p.reach = cluster.New(self), cluster.NewReach(p.engine.Recognizer)
	p.sources = ask.NewSources(p.engine.Captions, c.Log, c.Metrics)
	p.Ask = ask.New(ask.Config{
		Store: c.Store, Engine: p.engine, Cluster: p.cluster, Sites: c.Sites, Log: c.Log, Metrics: c.Metrics,
		LookupBudget: c.LookupBudget, DiscoveryBudget: c.DiscoveryBudget, MaxMediaDuration: c.MaxMediaDuration,
	}, p.sources)
	p.assemble()
	if c.Idle {
		return p, nil
	}
	if p.life, err = cluster.NewLife(p.newRunner, p.log); err != nil {
		return nil, fmt.Errorf("pipeline: %w", err)
	}
	p.rescue.life = p.life
	return p, nil
}

// assemble makes the parts of the pipeline, the lower parts first.
func (p *Pipeline) assemble() {
	c := p.cfg
	p.Jobs, p.Library, p.Corrections = &Jobs{c.Store}, &Library{c.Store, &audio{c.Store, c.Log}}, corrections.New(c.Store)
	p.Disks = &Disks{store: c.Store, log: c.Log, minFree: c.MinFreeDisk}
	p.Resumable = &Resumable{pipeline: p, joins: semaphore.NewWeighted(joinsAtOnce)}
	if !c.Idle {
		p.Disks.scratch = c.Dir
	}
	p.audio = &audio{c.Store, c.Log}
	p.hooks = &hookDelivery{Hooks: c.Hooks, store: c.Store, jobs: p.Jobs, log: c.Log, kept: c.Retention.Jobs, pause: c.hookPause}
	p.Webhooks = webhooks.New(webhooks.Config{
		Store: c.Store, Log: c.Log, Client: c.ShortLinks.Client, Trust: c.TrustWebhooks, Tuning: c.Webhooks,
		Count: webhooks.Counts{Attempted: c.Metrics.WebhookAttempted, Disabled: c.Metrics.WebhookDisabled},
	})
	p.hooks.webhooks = p.Webhooks
	p.Batches = batches.New(batches.Config{
		Store: c.Store, Cluster: p.cluster, Lists: p.engine.Lists, Sites: c.Sites, ShortLinks: c.ShortLinks, DirectMedia: c.DirectMedia, Pauses: c.pauses, Log: c.Log,
		Trace:  func(ctx context.Context) string { return traceOf(ctx, c.Tracer) },
		TakeUp: p.takeUpItem, CancelClaims: p.cancelClaims, Ended: p.hooks.batchEnded,
	})
	p.Follows = follows.New(follows.Config{
		Store: c.Store, Cluster: p.cluster, Lists: p.engine.Lists, Sites: c.Sites, DirectMedia: c.DirectMedia, Log: c.Log, Client: c.ShortLinks.Client,
		Trace:  func(ctx context.Context) string { return traceOf(ctx, c.Tracer) },
		Submit: p.submitFollowed, Failing: p.hooks.queueFollowCall, Webhooks: p.Webhooks, Tuning: c.Follows,
		Count: follows.Counts{Looked: c.Metrics.FollowLooked, Taken: c.Metrics.FollowTaken, Failing: c.Metrics.FollowFailing},
	})
	p.claims = &claims{store: c.Store, metrics: c.Metrics, audio: p.audio, hooks: p.hooks, batches: p.Batches, follows: p.Follows, settled: c.settled}
	p.Expiry = &Expiry{c.Store, p.audio, c.Retention, c.PlanOf}
	p.Removals = &Removals{c.Store, p.claims, p.audio, p.Follows, p.Webhooks}
	p.processor = &processor{
		cfg: c, store: c.Store, engine: p.engine, cluster: p.cluster, reach: p.reach, sources: p.sources, ask: p.Ask,
		claims: p.claims, batches: p.Batches, follows: p.Follows, webhooks: p.Webhooks, hooks: p.hooks, audio: p.audio, disks: p.Disks, metrics: c.Metrics, log: c.Log,
		expiry: p.Expiry, removals: p.Removals, recognizers: make(recognizerSlots, max(c.ASRWorkers, 1)),
	}
	p.rescue = &rescue{
		store: c.Store, cluster: p.cluster, claims: p.claims, batches: p.Batches, metrics: c.Metrics, log: c.Log, lookEvery: c.Retention.Stranded,
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
	if err := p.hooks.announce(ctx); err != nil {
		return fmt.Errorf("pipeline: noting the hooks: %w", err)
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
	p.living.Go(func() { p.hooks.keepAnnouncing(life) })
	p.living.Go(func() {
		p.audio.keepForLost(life, p.cfg.Retention.Audio, cmp.Or(p.cfg.audioLook, min(audioLook, p.cfg.Retention.Audio)), p.Disks)
	})
	return nil
}

// Stop ends the work: running steps are given back, to be run again, without
// counting an attempt. It returns nil when all of them have ended. When ctx ends
// first it returns ctx's error; the steps, which then have been told to end, keep
// what they use, and Stop may be called again to wait on. One call at a time.
func (p *Pipeline) Stop(ctx context.Context) error {
	err := p.Ask.Stop(ctx)
	if p.stopLife != nil { // it was started
		err = errors.Join(err, p.stopWork(ctx))
	}
	if err != nil {
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
