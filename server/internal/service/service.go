// Package service connects the work and its features. To make something happen when a job ends, add
// a listener to Service.listeners.
//
//	s, err := service.New(config)
//	err = s.Start(ctx)
//	u, err := s.ReceiveFor(ctx, expected, body, limit)   // package uploads
//	outcome, err := s.Submit(ctx, submission)            // package intake
//	err = s.Stop(ctx)
package service

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync/atomic"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/ask"
	"github.com/transcriptkit/transcriptkit/server/internal/audio"
	"github.com/transcriptkit/transcriptkit/server/internal/batcher"
	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/corrections"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/delivery"
	"github.com/transcriptkit/transcriptkit/server/internal/disks"
	"github.com/transcriptkit/transcriptkit/server/internal/follower"
	"github.com/transcriptkit/transcriptkit/server/internal/hooks"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/server/internal/recognize"
	"github.com/transcriptkit/transcriptkit/server/internal/recordings"
	"github.com/transcriptkit/transcriptkit/server/internal/retention"
	"github.com/transcriptkit/transcriptkit/server/internal/savedtexts"
	"github.com/transcriptkit/transcriptkit/server/internal/step"
	"github.com/transcriptkit/transcriptkit/server/internal/throttle"
	"github.com/transcriptkit/transcriptkit/server/internal/uploads"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/server/internal/wordindex"
	"github.com/transcriptkit/transcriptkit/server/internal/work"
	"github.com/transcriptkit/transcriptkit/server/pace"
)

// Service is the work with its features. It is safe for concurrent use.
type Service struct {
	*intake.Intake   // takes requests
	*uploads.Uploads // takes files
	*work.Work       // does the work of this process
	Jobs             *view.Jobs
	Disks            *disks.Disks
	Ask              *ask.Service // answers questions without a job
	Batches          *batcher.Batches
	Follows          *follower.Follows
	Webhooks         *delivery.Store // the endpoints of accounts, and the deliveries to them
	Library          *savedtexts.Library
	Corrections      *corrections.Texts // changes the texts of libraries
	Removals         *retention.Removals
	Expiry           *retention.Expiry

	hooks  *hooks.Delivery
	copies *recordings.Copies
	sweep  retention.Sweep
	store  *db.Store

	throttle     *throttle.Throttle
	blockedAfter atomic.Int64 // Config.RecognizeBlockedAfter, in nanoseconds
}

// SetPace replaces the pace of visits to platforms.
func (s *Service) SetPace(c pace.Config) error { return s.throttle.SetPace(c) }

// SetRecognizeBlockedAfter replaces Config.RecognizeBlockedAfter, from the next check of a waiting
// job on.
func (s *Service) SetRecognizeBlockedAfter(d time.Duration) { s.blockedAfter.Store(int64(d)) }

// RecognizeBlockedAfter returns the present Config.RecognizeBlockedAfter.
func (s *Service) RecognizeBlockedAfter() time.Duration { return time.Duration(s.blockedAfter.Load()) }

// parts are a configuration with its defaults, an engine that respects the pace, and the objects
// that the rooms share.
type parts struct {
	Config
	throttle *throttle.Throttle
	sources  *ask.Sources
	cluster  *cluster.Cluster
	reach    *cluster.Reach
	audio    *audio.Files
	disks    *disks.Disks
}

// New checks the configuration and prepares a service. Until Start, it accepts requests but does
// no work.
func New(c Config) (*Service, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	with, err := makeParts(c.withDefaults())
	if err != nil {
		return nil, err
	}
	s := &Service{
		Jobs: &view.Jobs{Store: c.Store}, Disks: with.disks, Corrections: corrections.New(c.Store), store: c.Store,
		throttle: with.throttle,
	}
	s.SetRecognizeBlockedAfter(c.RecognizeBlockedAfter)
	s.Intake = intake.New(intake.Config{
		Store: c.Store, Cluster: with.cluster, Disks: with.disks, Metrics: c.Metrics, Tracer: c.Tracer, MaxMediaDuration: c.MaxMediaDuration,
		Listeners: s.listeners(c.ended),
	})
	s.Ask = ask.New(ask.Config{
		Store: c.Store, Engine: with.Engine, Cluster: with.cluster, Sites: c.Sites, Log: c.Log, Metrics: c.Metrics,
		LookupBudget: c.LookupBudget, DiscoveryBudget: c.DiscoveryBudget, MaxMediaDuration: c.MaxMediaDuration,
	}, with.sources)
	s.makeLibrary(with)
	s.makeHooks(with)
	s.makeWebhooks(with)
	s.makeBatches(with)
	s.makeFollows(with)
	s.makeRetention(with)
	return s, s.makeWork(with)
}

func makeParts(c Config) (*parts, error) {
	keep, err := throttle.New(c.Pace, c.Guard, c.Log)
	if err != nil {
		return nil, fmt.Errorf("service: Config.Pace: %w", err)
	}
	c.Engine = keep.Engine(recognize.WithDirect(c.Engine))
	self := cluster.Config{Self: cluster.AbilitiesOf(c.Engine), Idle: c.Idle, Log: c.Log}
	if c.Store.Shared() {
		self.Processes = c.Store.Queue.Processes
	}
	p := &parts{
		Config: c, throttle: keep, sources: ask.NewSources(c.Engine.Captions, c.Log, c.Metrics),
		cluster: cluster.New(self), reach: cluster.NewReach(c.Engine.Recognizer),
		audio: &audio.Files{Store: c.Store, Log: c.Log},
		disks: &disks.Disks{Store: c.Store, Log: c.Log, MinFree: c.MinFreeDisk},
	}
	if !c.Idle {
		p.disks.Scratch = c.Dir
	}
	return p, nil
}

// makeWork makes the parts that run the steps of jobs and of features.
func (s *Service) makeWork(c *parts) (err error) {
	steps := recognize.New(recognize.Config{
		Store: c.Store, Moves: s.Moves(), Engine: c.Engine, Sources: c.sources, Cluster: c.cluster, Reach: c.reach, Audio: c.audio, Disks: c.disks,
		Metrics: c.Metrics, Log: c.Log, Dir: c.Dir, ASRWorkers: c.ASRWorkers, MaxMediaDuration: c.MaxMediaDuration,
		RecognizeBlockedAfter: s.RecognizeBlockedAfter, ProgressInterval: c.ProgressInterval, HearAfter: c.hearAfter, NeedsSound: batcher.MakeRoom,
	})
	s.Uploads = uploads.New(uploads.Config{Store: c.Store, Intake: s.Intake, Steps: steps, Audio: c.audio, Disks: c.disks, Log: c.Log})
	s.Work, err = work.New(work.Config{
		Store: c.Store, Moves: s.Moves(), Steps: steps, Engine: c.Engine, Throttle: c.throttle, Sources: c.sources, Reach: c.reach, Cluster: c.cluster,
		Audio: c.audio, Disks: c.disks, Metrics: c.Metrics, Log: c.Log, Idle: c.Idle, Dir: c.Dir, Tracer: c.Tracer, ASRWorkers: c.ASRWorkers,
		RecognizeBlockedAfter: s.RecognizeBlockedAfter, Retention: c.Retention, Pauses: c.pauses, AudioLook: c.audioLook, Features: s.features(),
	})
	return err
}

// Stop ends the work, see [work.Work.Stop], and the parts that answer questions.
func (s *Service) Stop(ctx context.Context) error {
	s.Resumable.Stop(ctx)
	return errors.Join(s.Ask.Stop(ctx), s.Work.Stop(ctx))
}

// features are the parts that the features add to the work of this process.
func (s *Service) features() work.Features {
	f := work.Features{
		Workers:    append(s.hooks.Workers(), s.workers()...),
		Queues:     maps.Clone(queues),
		Periodic:   []queue.Periodic{s.sweep.Periodic(), s.Follows.Periodic(), s.Webhooks.Periodic()},
		Takes:      s.hooks.Takes(),
		Needs:      needs,
		QueueBatch: s.Batches.QueueStranded,
		Start:      s.hooks.Announce,
		Live:       s.hooks.KeepAnnouncing,
	}
	maps.Copy(f.Queues, s.hooks.Queues())
	return f
}

func (s *Service) workers() []queue.Worker {
	return []queue.Worker{
		queue.NewWorker(ask.StepTimeout, s.Ask.ForOthers),
		queue.NewWorker(batcher.ExpandTimeout, s.Batches.Expand),
		queue.NewWorker(batcher.FeedTimeout, s.Batches.Feed),
		queue.NewWorker(follower.Timeout, s.Follows.Work),
		queue.NewWorker(delivery.StepTimeout, s.Webhooks.Sender.Work),
		queue.NewWorker(delivery.StepTimeout, s.Webhooks.Sweep),
		queue.NewWorker(recordings.Timeout, s.copies.Run),
		queue.NewWorker(0, s.sweep.Run),
		queue.NewWorker(0, s.index),
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
	batcher.ListsQueue: 2, batcher.ItemsQueue: 1,
	follower.Queue: 1, follower.LooksQueue: follower.TurnsAtOnce, follower.SlowLooksQueue: follower.TurnsAtOnce,
	delivery.Queue: delivery.StepsAtOnce, delivery.SlowQueue: delivery.StepsAtOnce,
	recordings.Queue: 1, retention.Queue: 1, db.IndexQueue: 1,
}

// Queues are the names of the queues whose lengths the metrics show.
func Queues() []string {
	return append(step.Queues(), recordings.Queue, batcher.ItemsQueue, follower.Queue, follower.LooksQueue, follower.SlowLooksQueue,
		string(db.JobHook), string(db.BatchHook), delivery.Queue, delivery.SlowQueue, retention.Queue)
}

func (s *Service) makeLibrary(c *parts) {
	s.Library = &savedtexts.Library{Store: c.Store, Audio: c.audio}
	s.copies = &recordings.Copies{
		Store: c.Store, Audio: c.audio, Disks: c.disks, Log: c.Log, Dir: c.Dir, MaxDuration: c.MaxMediaDuration,
	}
	s.copies.Media, _ = c.Engine.Media.(engine.PlayingMedia) // other recordings need no copies
}

func (s *Service) makeHooks(c *parts) {
	c.Hooks.Store, c.Hooks.Log, c.Hooks.Kept = c.Store, c.Log, c.Retention.Jobs
	c.Hooks.Show = func(ctx context.Context, job *db.Job) (*view.Job, error) { return s.Jobs.Show(ctx, job, nil) }
	s.hooks = hooks.New(c.Hooks)
}

func (s *Service) makeWebhooks(c *parts) {
	s.Webhooks = delivery.New(delivery.Config{
		Store: c.Store, Log: c.Log, Client: c.ShortLinks.Client, Trust: c.TrustWebhooks, Times: c.Webhooks,
		Count: delivery.Counts{Attempted: c.Metrics.WebhookAttempted, Disabled: c.Metrics.WebhookDisabled},
	})
}

func (s *Service) makeBatches(c *parts) {
	s.Batches = batcher.New(batcher.Config{
		Store: c.Store, Cluster: c.cluster, Lists: c.Engine.Lists, Sites: c.Sites, ShortLinks: c.ShortLinks,
		DirectMedia: c.DirectMedia, Pauses: c.pauses, Log: c.Log, Trace: s.Trace,
		TakeUp: s.takeItem, CancelJobs: s.CancelJobs,
		Ended: func(ctx context.Context, tx *db.Tx, b *db.Batch) error {
			if err := s.hooks.BatchEnded(ctx, tx, b); err != nil {
				return err
			}
			return s.Webhooks.BatchEnded(ctx, tx, b)
		},
	})
}

func (s *Service) makeFollows(c *parts) {
	s.Follows = follower.New(follower.Config{
		Store: c.Store, Cluster: c.cluster, Lists: c.Engine.Lists, Sites: c.Sites, DirectMedia: c.DirectMedia, Log: c.Log,
		Client: c.ShortLinks.Client, Trace: s.Trace, Submit: s.takeFollowed, Failing: s.hooks.FollowFails, Webhooks: s.Webhooks,
		Times: c.Follows,
		Count: follower.Counts{Looked: c.Metrics.FollowLooked, Taken: c.Metrics.FollowTaken, Failing: c.Metrics.FollowFailing},
	})
}

func (s *Service) makeRetention(c *parts) {
	all := Tables()
	s.Expiry = &retention.Expiry{Store: c.Store, Audio: c.audio, Keep: c.Retention, PlanOf: c.PlanOf}
	s.Removals = &retention.Removals{
		Store: c.Store, Audio: c.audio, Log: c.Log, Tables: all, CancelJobs: s.CancelJobs,
		ByFeature: map[string]func(context.Context, string) (int64, error){
			"batches": s.Batches.RemoveAll, "follows": s.Follows.RemoveAll, "webhook_endpoints": s.Webhooks.RemoveAll,
		},
	}
	s.sweep = retention.Sweep{Store: c.Store, Keep: c.Retention, Tables: all, Removals: s.Removals, Expiry: s.Expiry}
}

// index adds the saved texts of an account to the index of its words, or removes the words of
// deleted texts.
func (s *Service) index(ctx context.Context, _ queue.Row, step db.IndexStep) error {
	if step.Gone {
		return s.store.PurgeTexts(ctx, step.Account)
	}
	return s.store.BindTexts(ctx, step.Account, wordindex.Enough)
}
