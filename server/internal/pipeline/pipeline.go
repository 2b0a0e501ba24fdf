// Package pipeline does the work: from an accepted request to a published
// transcript. It knows no HTTP, and no status of it.
//
//	p, err := pipeline.New(config)
//	err = p.Start(ctx)
//	upload, err := p.Receive(ctx, file, limit)             // streamed, hashed
//	outcome, err := p.Submit(ctx, pipeline.Submission{…})  // a transcript, or a job
//	job, err := p.Wait(ctx, account, outcome.Job.JobID, nil)
//	err = p.Stop(ctx)
//
// The work on one content is an extraction; an account's job is a claim on the
// extraction. An extraction moves in short steps, each a job of the queue: captions (of
// a link that may have some), then, without captions, prepare (download, probe, decode,
// cut), one step for each chunk of speech, and publish. Every step first looks at what
// is already done, so it may run again after a crash. A step hands its result to the
// next step in the transaction that ends the step. This transaction proves that no
// other process has taken the step over meanwhile.
package pipeline

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/shortlink"
	"github.com/transcriptkit/transcriptkit/server/pace"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// Config has what a pipeline needs. All members except Tracer are required: the
// defaults are those of server.Config.
type Config struct {
	Store  *db.Store
	Engine engine.Engine // one that lacks everything refuses all work
	// Idle is a pipeline that does no work: it accepts requests for the processes that
	// share the database, by the abilities that these processes declare. The Engine of
	// an idle pipeline lacks everything, and Dir is not used.
	Idle bool
	// Sites says what the links of lists mean, and ShortLinks where short ones lead.
	Sites      *site.Table
	ShortLinks *shortlink.Follower
	// Pace is how often this process visits each platform.
	Pace pace.Config
	// Dir is for scratch files; the caller removes it after Stop.
	Dir string
	// Log receives what operators should know.
	Log *slog.Logger
	// Metrics count what is done.
	Metrics *metrics.Metrics
	// Tracer hears of each step; nil: no trace is made.
	Tracer engine.Tracer
	// ASRWorkers is how many chunks this process recognizes at once.
	ASRWorkers int
	// MaxMediaDuration is the longest media that is decoded.
	MaxMediaDuration time.Duration
	// MinFreeDisk is how many bytes are to stay free on each local disk: with less,
	// no new work is taken.
	MinFreeDisk int64
	// ProgressInterval is the shortest time between two progress reports of a job.
	ProgressInterval time.Duration
	// LookupBudget is how long a reader waits for a platform. A later answer goes into
	// the cache.
	LookupBudget time.Duration
	// Hooks are told of what ends.
	Hooks Hooks
	// DiscoveryBudget is how long a reader waits for what the video site has.
	DiscoveryBudget time.Duration
	// Retention is how long what has ended is kept; the zero value: DefaultRetention.
	Retention Retention

	tuning
}

// tuning is what only tests change.
type tuning struct {
	pauses   [maxAttempts - 1]time.Duration // after a failed attempt
	lastWait time.Duration                  // for what passes: see the constant
	tellTime time.Duration                  // how long a hook may take
	// tellPause is the pause after the nth call of a hook that has failed.
	tellPause func(n int) time.Duration
	settled   func(ended []db.Job) // is told what settle ends, in its transaction
}

func (t tuning) withDefaults() tuning {
	t.pauses = cmp.Or(t.pauses, pauses())
	t.lastWait = cmp.Or(t.lastWait, lastWait)
	t.tellTime = cmp.Or(t.tellTime, tellTimeout)
	if t.tellPause == nil {
		t.tellPause = tellPause
	}
	if t.settled == nil {
		t.settled = func([]db.Job) {}
	}
	return t
}

func (c Config) check() error {
	if c.Store == nil || c.Dir == "" && !c.Idle || c.Sites == nil || c.ShortLinks == nil || c.Log == nil || c.Metrics == nil {
		return errors.New("pipeline: Config.Store, Dir, Sites, ShortLinks, Log and Metrics are required")
	}
	if c.ASRWorkers <= 0 || c.MaxMediaDuration <= 0 || c.MinFreeDisk <= 0 || c.ProgressInterval <= 0 || c.LookupBudget <= 0 || c.DiscoveryBudget <= 0 {
		return errors.New("pipeline: Config.ASRWorkers, MaxMediaDuration, MinFreeDisk, ProgressInterval, LookupBudget and DiscoveryBudget must be greater than 0")
	}
	return nil
}

// Pipeline accepts requests and works on them. Safe for concurrent use.
type Pipeline struct {
	cfg      Config
	store    *db.Store
	engine   engine.Engine // its sources keep the pace
	pace     *pace.Pace
	cluster  *cluster.Cluster
	life     *cluster.Life // nil: the pipeline is idle
	log      *slog.Logger
	metrics  *metrics.Metrics
	running  progressBoard
	reach    *cluster.Reach
	lookups  *lookups
	flights  *flights
	stopLife context.CancelFunc
	living   sync.WaitGroup
}

// New checks the configuration and prepares a pipeline. Until Start it accepts
// requests but does no work.
func New(c Config) (*Pipeline, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	c.tuning = c.withDefaults()
	c.Retention = cmp.Or(c.Retention, DefaultRetention())
	keep, err := pace.New(c.Pace, c.Log)
	if err != nil {
		return nil, fmt.Errorf("pipeline: Config.Pace: %w", err)
	}
	p := &Pipeline{cfg: c, store: c.Store, engine: keep.Engine(c.Engine), pace: keep, log: c.Log, metrics: c.Metrics, lookups: newLookups(), flights: newFlights(discoverers, c.DiscoveryBudget)}
	self := cluster.Config{Self: cluster.AbilitiesOf(p.engine), Idle: c.Idle, Log: c.Log}
	if c.Store.Shared() {
		self.Processes = c.Store.Processes
	}
	p.cluster, p.reach = cluster.New(self), cluster.NewReach(p.engine.Recognizer)
	if c.Idle {
		return p, nil
	}
	if p.life, err = cluster.NewLife(p.newRunner, p.log); err != nil {
		return nil, fmt.Errorf("pipeline: %w", err)
	}
	return p, nil
}

// Start takes up the work, also what a process that died has left behind.
// Before it, on SQLite, the caller must hold db.Serve. A pipeline is started
// once. An idle one has nothing to take up.
func (p *Pipeline) Start(ctx context.Context) error {
	if p.cfg.Idle {
		return nil
	}
	if !p.store.Shared() {
		if err := p.buryAll(ctx); err != nil {
			return fmt.Errorf("pipeline: joining the workers: %w", err)
		}
	}
	if err := p.takeUpLost(ctx); err != nil { // no reason to leave the rest undone; it is tried again
		p.log.ErrorContext(ctx, "looking for lost work failed", "err", err)
	}
	stranded, err := p.firstLook(ctx)
	if err != nil { // as above
		p.log.ErrorContext(ctx, "looking for stranded work failed", "err", err)
	}
	if err := p.setHooks(ctx); err != nil {
		return fmt.Errorf("pipeline: noting the hooks: %w", err)
	}
	if err := p.life.Runner().Start(ctx); err != nil {
		return fmt.Errorf("pipeline: starting the workers: %w", err)
	}
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	p.stopLife = cancel
	p.living.Go(func() { p.life.Beat(life) })
	p.living.Go(func() { p.watchOver(life) })
	p.living.Go(func() { p.watchStranded(life, stranded) })
	p.living.Go(func() { p.keepHooks(life) })
	return nil
}

// Stop ends the work: running steps are given back, to be run again, without
// counting an attempt. It returns nil when all of them have ended. When ctx ends
// first it returns ctx's error; the steps, which then have been told to end, keep
// what they use, and Stop may be called again to wait on. One call at a time.
func (p *Pipeline) Stop(ctx context.Context) error {
	err := errors.Join(p.lookups.stop(ctx), p.flights.stop(ctx))
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

// Check returns what the engine lacks for its work, by capability ("captions",
// "discovery", "audio", "media", "asr"); nil means that nothing is missing.
// "engine.captions." and a platform is [pace.ErrOpen] while none of its working sources
// is asked. An idle pipeline reports the abilities that no living process has. Under
// "workers" it reports [ErrNoWorkers] if no process lives. For /readyz.
func (p *Pipeline) Check(ctx context.Context) map[string]error {
	if p.cfg.Idle {
		return p.checkOthers(ctx)
	}
	var fit []engine.CaptionSource
	var captions, discovery, audio, media, asr error
	var checks sync.WaitGroup // each may take its time
	checks.Go(func() { fit, captions = p.checkCaptions(ctx) })
	checks.Go(func() { discovery = check(ctx, p.engine.Discovery) })
	checks.Go(func() { audio = check(ctx, p.engine.Audio) })
	checks.Go(func() { media = check(ctx, p.engine.Media) })
	checks.Go(func() { asr = p.checkRecognizer(ctx) })
	checks.Wait()
	all := map[string]error{"captions": captions, "discovery": discovery, "audio": audio, "media": media, "asr": asr}
	for _, platform := range transcript.Platforms() {
		if len(p.captionSources(platform)) > 0 {
			all["engine.captions."+string(platform)] = p.pace.Check(fit, platform)
		}
	}
	return all
}

// checkCaptions returns the sources that are fit for work, and why others are not.
func (p *Pipeline) checkCaptions(ctx context.Context) (fit []engine.CaptionSource, err error) {
	if len(p.engine.Captions) == 0 {
		return nil, ErrMissing
	}
	for _, source := range p.engine.Captions {
		if unfit := check(ctx, source); unfit != nil {
			err = errors.Join(err, unfit)
			continue
		}
		fit = append(fit, source)
	}
	return fit, err
}

// ErrNoWorkers tells that no process works on what an idle one accepts.
var ErrNoWorkers = errors.New("no process that works has given a sign of life for half a minute")

func (p *Pipeline) checkOthers(ctx context.Context) map[string]error {
	all := p.cluster.Living(ctx)
	if len(all) == 0 {
		return map[string]error{"workers": ErrNoWorkers}
	}
	lacks := func(can func(cluster.Abilities) bool) error {
		if all.Anyone(can) {
			return nil
		}
		return ErrMissing
	}
	return map[string]error{
		"workers":   nil,
		"captions":  lacks(needs(queueCaptions)),
		"discovery": lacks(needs(queueDiscovery)),
		"audio":     lacks(func(a cluster.Abilities) bool { return a.Audio }),
		"media":     lacks(needs(queueMedia)),
		"asr":       lacks(needs(queueASR)),
	}
}

// newRunner prepares work on the queue under the name of a process.
func (p *Pipeline) newRunner(process string) (db.Runner, error) {
	workers := p.workers(process)
	said, err := json.Marshal(p.cluster.Self())
	if err != nil {
		return nil, fmt.Errorf("writing the abilities of the process: %w", err)
	}
	workers.Abilities = said
	return p.store.NewRunner(workers)
}

func (p *Pipeline) checkRecognizer(ctx context.Context) error {
	if p.engine.Recognizer == nil {
		return ErrMissing
	}
	return p.reach.Check(ctx)
}

// ErrMissing tells that a service has no engine for something.
var ErrMissing = errors.New("not configured")

func check(ctx context.Context, capability any) error {
	if capability == nil {
		return ErrMissing
	}
	if c, ok := capability.(engine.Checker); ok {
		return c.Check(ctx)
	}
	return nil
}
