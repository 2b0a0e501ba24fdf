// Package service assembles the pipeline and its features. To have something happen when a job ends,
// add a listener to Service.features.
//
//	s, err := service.New(config)
//	err = s.Start(ctx)
//	…
//	err = s.Stop(ctx)
package service

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/ask"
	"github.com/transcriptkit/transcriptkit/server/internal/batches"
	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/corrections"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/follows"
	"github.com/transcriptkit/transcriptkit/server/internal/hooks"
	"github.com/transcriptkit/transcriptkit/server/internal/pipeline"
	"github.com/transcriptkit/transcriptkit/server/internal/recordings"
	"github.com/transcriptkit/transcriptkit/server/internal/retention"
	"github.com/transcriptkit/transcriptkit/server/internal/savedtexts"
	"github.com/transcriptkit/transcriptkit/server/internal/shortlink"
	"github.com/transcriptkit/transcriptkit/server/internal/throttle"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/server/internal/webhooks"
	"github.com/transcriptkit/transcriptkit/server/internal/wordindex"
	"github.com/transcriptkit/transcriptkit/server/pace"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// Config has what a service needs: what its pipeline needs, and what the features need.
type Config struct {
	// Config is the pipeline's: New fills Throttle, Sources and Cluster, and its Engine is any engine.
	pipeline.Config
	// Sites says what the links of lists mean, and ShortLinks where short ones lead.
	Sites      *site.Table
	ShortLinks *shortlink.Follower
	// Pace is how often this process visits each platform.
	Pace pace.Config
	// Guard has the exits by which this process visits platforms; nil: the one exit "direct".
	Guard *egress.Guard
	// LookupBudget is how long a reader waits for a platform. A later answer goes into
	// the cache.
	LookupBudget time.Duration
	// DiscoveryBudget is how long a reader waits for what the video site has.
	DiscoveryBudget time.Duration
	// DirectMedia takes links of no platform as items of batches and follows, see server.Config.
	DirectMedia bool
	// Hooks are called for what ends. The members of hooks.Config that New fills are not set.
	Hooks hooks.Config
	// PlanOf returns the plan of an account; the zero value if it cannot be found out. nil: no plan
	// bounds how long things are kept.
	PlanOf func(ctx context.Context, account string) account.Plan
	// Follows is how often followed addresses are looked at; the zero value: as usual.
	Follows follows.Tuning
	// TrustWebhooks sends events to addresses that have not answered, see server.Config.
	TrustWebhooks bool
	// Webhooks is how deliveries are made; the zero value: as usual.
	Webhooks webhooks.Tuning
}

// Service is the pipeline with its features. Safe for concurrent use.
type Service struct {
	*pipeline.Pipeline
	Ask         *ask.Service // answers questions without a job
	Batches     *batches.Batches
	Follows     *follows.Follows
	Webhooks    *webhooks.Store // the endpoints of accounts, and the deliveries to them
	Library     *savedtexts.Library
	Corrections *corrections.Texts // changes the texts of libraries
	Removals    *retention.Removals
	Expiry      *retention.Expiry

	hooks  *hooks.Delivery
	copies *recordings.Copies
	sweep  retention.Sweep
	store  *db.Store
}

// New checks the configuration and prepares a service. Until Start it accepts requests but does no
// work.
func New(c Config) (*Service, error) {
	p, err := newPipeline(c)
	if err != nil {
		return nil, err
	}
	c.Config = p.Config()
	s := &Service{Pipeline: p, Corrections: corrections.New(c.Store), store: c.Store}
	s.Ask = ask.New(ask.Config{
		Store: c.Store, Engine: c.Engine, Cluster: c.Cluster, Sites: c.Sites, Log: c.Log, Metrics: c.Metrics,
		LookupBudget: c.LookupBudget, DiscoveryBudget: c.DiscoveryBudget, MaxMediaDuration: c.MaxMediaDuration,
	}, c.Sources)
	s.makeLibrary(c)
	s.makeHooks(c)
	s.makeWebhooks(c)
	s.makeBatches(c)
	s.makeFollows(c)
	s.makeRetention(c)
	return s, p.Join(s.features())
}

// newPipeline makes the pipeline on an engine that keeps the pace.
func newPipeline(c Config) (*pipeline.Pipeline, error) {
	switch {
	case c.Store == nil || c.Sites == nil || c.ShortLinks == nil || c.Log == nil || c.Metrics == nil:
		return nil, errors.New("service: Config.Store, Sites, ShortLinks, Log and Metrics are required")
	case c.LookupBudget <= 0 || c.DiscoveryBudget <= 0:
		return nil, errors.New("service: Config.LookupBudget and DiscoveryBudget must be greater than 0")
	}
	keep, err := throttle.New(c.Pace, c.Guard, c.Log)
	if err != nil {
		return nil, fmt.Errorf("service: Config.Pace: %w", err)
	}
	c.Throttle, c.Engine = keep, keep.Engine(pipeline.WithDirect(c.Engine))
	self := cluster.Config{Self: cluster.AbilitiesOf(c.Engine), Idle: c.Idle, Log: c.Log}
	if c.Store.Shared() {
		self.Processes = c.Store.Processes
	}
	c.Cluster, c.Sources = cluster.New(self), ask.NewSources(c.Engine.Captions, c.Log, c.Metrics)
	return pipeline.New(c.Config)
}

// Stop ends the work, see [pipeline.Pipeline.Stop], and what answers questions.
func (s *Service) Stop(ctx context.Context) error {
	return errors.Join(s.Ask.Stop(ctx), s.Pipeline.Stop(ctx))
}

// features says in which order the features are told of jobs that end: a promised recording is kept,
// a follow may open its item again, a batch names the jobs whose results it does not use, the
// accounts pay, and then the calls of hooks and the deliveries to webhooks are queued.
func (s *Service) features() pipeline.Features {
	f := pipeline.Features{
		Ended: []pipeline.Listener{
			func(ctx context.Context, tx *db.Tx, told *pipeline.Ended) error {
				if !told.Over || told.Status != transcript.JobSuccess {
					return nil
				}
				return recordings.KeepPromised(ctx, tx, told.Work)
			},
			func(ctx context.Context, tx *db.Tx, told *pipeline.Ended) error {
				return s.Follows.Reopen(ctx, tx, told.IDs(), told.Error)
			},
			func(ctx context.Context, tx *db.Tx, told *pipeline.Ended) (err error) {
				told.ForNobody, err = s.Batches.EndItems(ctx, tx, told.Jobs, told.End)
				return err
			},
			pipeline.PayUp,
			func(ctx context.Context, tx *db.Tx, told *pipeline.Ended) error {
				return s.hooks.JobsEnded(ctx, tx, told.Jobs)
			},
			func(ctx context.Context, tx *db.Tx, told *pipeline.Ended) error {
				return s.Webhooks.JobsEnded(ctx, tx, told.Work, told.Jobs, told.End)
			},
		},
		Ending: func(ctx context.Context, tx *db.Tx, jobs []db.Job) error {
			_, err := batches.Lock(ctx, tx, jobs)
			return err
		},
		NeedsSound: batches.MakeRoom,
		Workers:    append(s.hooks.Workers(), s.workers()...),
		Queues:     maps.Clone(queues),
		Periodic:   []db.Periodic{s.sweep.Periodic(), s.Follows.Periodic(), s.Webhooks.Periodic()},
		Takes:      s.hooks.Takes(),
		Needs:      needs,
		QueueBatch: s.Batches.QueueStranded,
		Start:      s.hooks.Announce,
		Live:       s.hooks.KeepAnnouncing,
	}
	maps.Copy(f.Queues, s.hooks.Queues())
	return f
}

func (s *Service) workers() []db.Worker {
	return []db.Worker{
		db.NewWorker(ask.StepTimeout, s.Ask.ForOthers),
		db.NewWorker(batches.ExpandTimeout, s.Batches.Expand),
		db.NewWorker(batches.FeedTimeout, s.Batches.Feed),
		db.NewWorker(follows.Timeout, s.Follows.Work),
		db.NewWorker(webhooks.StepTimeout, s.Webhooks.Sender.Work),
		db.NewWorker(webhooks.StepTimeout, s.Webhooks.Sweep),
		db.NewWorker(recordings.Timeout, s.copies.Run),
		db.NewWorker(0, s.sweep.Run),
		db.NewWorker(0, s.index),
	}
}

// needs says what a process must be able to do for the steps of a queue.
var needs = map[string]func(cluster.Abilities) bool{
	ask.CaptionsQueue:  func(a cluster.Abilities) bool { return len(a.Captions) > 0 },
	ask.DiscoveryQueue: func(a cluster.Abilities) bool { return a.Discovery },
	recordings.Queue:   func(a cluster.Abilities) bool { return a.Media },
}

// queues says how many steps of each queue run at once.
var queues = map[string]int{
	ask.CaptionsQueue: ask.Workers, ask.DiscoveryQueue: ask.Workers,
	batches.ListsQueue: 2, batches.ItemsQueue: 1,
	follows.Queue: 1, follows.LooksQueue: follows.TurnsAtOnce, follows.SlowLooksQueue: follows.TurnsAtOnce,
	webhooks.Queue: webhooks.StepsAtOnce, webhooks.SlowQueue: webhooks.StepsAtOnce,
	recordings.Queue: 1, retention.Queue: 1, db.IndexQueue: 1,
}

// Queues are the names of the queues whose lengths are told.
func Queues() []string {
	return append(pipeline.Queues(), recordings.Queue, batches.ItemsQueue, follows.Queue, follows.LooksQueue, follows.SlowLooksQueue,
		string(db.JobHook), string(db.BatchHook), webhooks.Queue, webhooks.SlowQueue, retention.Queue)
}

func (s *Service) makeLibrary(c Config) {
	s.Library = &savedtexts.Library{Store: c.Store, Audio: s.Audio()}
	s.copies = &recordings.Copies{
		Store: c.Store, Audio: s.Audio(), Disks: s.Disks, Log: c.Log, Dir: c.Dir, MaxDuration: c.MaxMediaDuration,
	}
	s.copies.Media, _ = c.Engine.Media.(engine.PlayingMedia) // others make no copies
}

func (s *Service) makeHooks(c Config) {
	c.Hooks.Store, c.Hooks.Log, c.Hooks.Kept = c.Store, c.Log, c.Retention.Jobs
	c.Hooks.Show = func(ctx context.Context, job *db.Job) (*view.Job, error) { return s.Jobs.Show(ctx, job, nil) }
	s.hooks = hooks.New(c.Hooks)
}

func (s *Service) makeWebhooks(c Config) {
	s.Webhooks = webhooks.New(webhooks.Config{
		Store: c.Store, Log: c.Log, Client: c.ShortLinks.Client, Trust: c.TrustWebhooks, Tuning: c.Webhooks,
		Count: webhooks.Counts{Attempted: c.Metrics.WebhookAttempted, Disabled: c.Metrics.WebhookDisabled},
	})
}

func (s *Service) makeBatches(c Config) {
	s.Batches = batches.New(batches.Config{
		Store: c.Store, Cluster: c.Cluster, Lists: c.Engine.Lists, Sites: c.Sites, ShortLinks: c.ShortLinks,
		DirectMedia: c.DirectMedia, Pauses: s.Pauses(), Log: c.Log, Trace: s.Trace,
		TakeUp: s.takeItem, CancelClaims: s.CancelJobs,
		Ended: func(ctx context.Context, tx *db.Tx, b *db.Batch) error {
			if err := s.hooks.BatchEnded(ctx, tx, b); err != nil {
				return err
			}
			return s.Webhooks.BatchEnded(ctx, tx, b)
		},
	})
}

func (s *Service) makeFollows(c Config) {
	s.Follows = follows.New(follows.Config{
		Store: c.Store, Cluster: c.Cluster, Lists: c.Engine.Lists, Sites: c.Sites, DirectMedia: c.DirectMedia, Log: c.Log,
		Client: c.ShortLinks.Client, Trace: s.Trace, Submit: s.takeFollowed, Failing: s.hooks.FollowFails, Webhooks: s.Webhooks,
		Tuning: c.Follows,
		Count:  follows.Counts{Looked: c.Metrics.FollowLooked, Taken: c.Metrics.FollowTaken, Failing: c.Metrics.FollowFailing},
	})
}

func (s *Service) makeRetention(c Config) {
	if c.PlanOf == nil {
		c.PlanOf = func(context.Context, string) account.Plan { return account.Plan{} }
	}
	files := s.Audio()
	s.Expiry = &retention.Expiry{Store: c.Store, Audio: files, Keep: c.Retention, PlanOf: c.PlanOf}
	all := Tables()
	s.Removals = &retention.Removals{
		Store: c.Store, Audio: files, Tables: all, CancelJobs: s.CancelJobs,
		ByFeature: map[string]func(context.Context, string) (int64, error){
			"batches": s.Batches.RemoveAll, "follows": s.Follows.RemoveAll, "webhook_endpoints": s.Webhooks.RemoveAll,
		},
	}
	s.sweep = retention.Sweep{Store: c.Store, Keep: c.Retention, Tables: all, Removals: s.Removals, Expiry: s.Expiry}
}

// index binds the saved texts of an account into the index of its words, or removes the words of
// texts that have gone.
func (s *Service) index(ctx context.Context, _ db.Work, step db.IndexStep) error {
	if step.Gone {
		return s.store.PurgeTexts(ctx, step.Account)
	}
	return s.store.BindTexts(ctx, step.Account, wordindex.Enough)
}
