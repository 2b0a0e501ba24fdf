// Package ask answers questions about contents without a job: the captions of a content,
// what a content is, and what the video site has. It reads the cache first, and asks a
// platform only if the cache has no answer.
//
// All questions are handled in the same way: equal questions at the same time are asked
// once, by a process that can ask the platform, and the number of questions at the same
// time is limited.
package ask

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// The queues of questions for other processes.
const (
	CaptionsQueue  = "lookups"
	DiscoveryQueue = "discovery"
)

// Workers is how many questions of one kind a process asks at the same time: this many
// for its own readers, and this many for the readers of other processes.
const Workers = 4

// StepTimeout limits a question for the readers of other processes.
const StepTimeout = 5 * time.Minute

// Config is what a Service works with. All members are required.
type Config struct {
	Store   *db.Store
	Engine  engine.Engine // its sources respect the pace
	Cluster *cluster.Cluster
	Sites   *site.Table
	Log     *slog.Logger
	Metrics *metrics.Metrics
	// LookupBudget is how long a reader waits for the captions of a platform.
	LookupBudget time.Duration
	// DiscoveryBudget is how long a reader waits for the answer of the video site.
	DiscoveryBudget time.Duration
	// MaxMediaDuration is the length of the longest media that this service decodes.
	MaxMediaDuration time.Duration
}

// Service answers the questions of readers. A Service is safe for concurrent use.
type Service struct {
	cfg     Config
	store   *db.Store
	cluster *cluster.Cluster
	log     *slog.Logger
	metrics *metrics.Metrics

	sources     *Sources
	captions    *desk[captions]
	discoveries *desk[[]byte]
}

// New returns a Service. The caller stops it with Stop.
func New(c Config, sources *Sources) *Service {
	return &Service{
		cfg: c, store: c.Store, cluster: c.Cluster, log: c.Log, metrics: c.Metrics, sources: sources,
		captions:    newDesk[captions](Workers, CaptionsQueue, c, c.LookupBudget, captionsLate),
		discoveries: newDesk[[]byte](Workers, DiscoveryQueue, c, c.DiscoveryBudget, 0),
	}
}

// Stop ends all questions and waits for them, at most until ctx ends. After an error Stop
// may be called again.
func (s *Service) Stop(ctx context.Context) error {
	return errors.Join(s.captions.stop(ctx), s.discoveries.stop(ctx))
}
