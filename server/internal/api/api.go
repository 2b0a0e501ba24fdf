// Package api puts the resources of the service together. Each room below it has a feature: small
// types with their routes and handlers, on package edge. A handler reads the request, calls the
// pipeline or the store once or twice, and writes the answer. The routes about the service itself
// stand here.
package api

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/api/bulk"
	"github.com/transcriptkit/transcriptkit/server/internal/api/discovery"
	"github.com/transcriptkit/transcriptkit/server/internal/api/endpoints"
	"github.com/transcriptkit/transcriptkit/server/internal/api/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/api/jobs"
	"github.com/transcriptkit/transcriptkit/server/internal/api/published"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/api/saved"
	"github.com/transcriptkit/transcriptkit/server/internal/api/subscriptions"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/openapi"
	"github.com/transcriptkit/transcriptkit/server/internal/pipeline"
	"github.com/transcriptkit/transcriptkit/server/internal/shares"
	"github.com/transcriptkit/transcriptkit/server/internal/shortlink"
	"github.com/transcriptkit/transcriptkit/server/internal/textfeed"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// Config is what an API is made of. Every member is required but Admit and Unconfined.
type Config struct {
	Edge       *edge.Edge
	Lifetime   *edge.Lifetime
	Pipeline   *pipeline.Pipeline
	Metrics    *metrics.Metrics
	Log        *slog.Logger
	Sites      *site.Table
	ShortLinks *shortlink.Follower
	// DirectMedia takes links of no platform, see server.Config.
	DirectMedia bool
	Feeds       *textfeed.Feeds
	Shares      *shares.Shares
	Judge       func(ctx context.Context, job, link string) error // refuses an address where no request may go
	Checker     edge.AccountChecker                               // says whether an account may use the service now
	Admit       resource.Admit                                    // has the last word on new work; nil: the plan decides
	BasePath    string                                            // the start of the paths in answers; empty: the root
	Version     string                                            // of the program, for GET /healthz
	Unconfined  func() error                                      // why the kernel does not hold programs to the egress guard; nil: it does

	Timeout func(context.Context, time.Duration) (context.Context, context.CancelFunc)
}

// API is the resources of the service, each with its routes.
type API struct {
	Intake    *intake.Intake
	Jobs      *jobs.Jobs
	Captions  *discovery.Captions
	Discovery *discovery.Discovery
	Batches   *bulk.Batches
	Follows   *subscriptions.Subscriptions
	Library   *saved.Texts
	Shares    *published.Shares
	Feeds     *published.Feeds
	Webhooks  *endpoints.Endpoints
	Usage     *usage
	Health    *health
	Docs      *docs
}

// New makes an API.
func New(c Config) *API {
	found := &resource.Contents{Sites: c.Sites, Direct: c.DirectMedia, ShortLinks: c.ShortLinks, Timeout: c.Timeout}
	recent, streams := resource.NewRecentAnswers(), &resource.StreamCounter{Metrics: c.Metrics}
	library := &saved.Texts{Pipeline: c.Pipeline, Lifetime: c.Lifetime, Sites: c.Sites, Recent: recent}
	a := &API{
		Intake: &intake.Intake{
			Edge: c.Edge, Lifetime: c.Lifetime, Pipeline: c.Pipeline, Contents: found, Admit: c.Admit, Recent: recent, Pages: intake.NewPages(),
			Timeout: c.Timeout, BasePath: c.BasePath,
		},
		Jobs: &jobs.Jobs{
			Edge: c.Edge, Lifetime: c.Lifetime, Pipeline: c.Pipeline, Log: c.Log, Streams: streams, Timeout: c.Timeout, BasePath: c.BasePath,
		},
		Captions:  &discovery.Captions{Pipeline: c.Pipeline, Lifetime: c.Lifetime, Contents: found},
		Discovery: &discovery.Discovery{Pipeline: c.Pipeline, Contents: found},
		Batches: &bulk.Batches{
			Edge: c.Edge, Lifetime: c.Lifetime, Pipeline: c.Pipeline, Sites: c.Sites, Admit: c.Admit, Streams: streams,
			Timeout: c.Timeout, Log: c.Log, BasePath: c.BasePath,
		},
		Follows:  &subscriptions.Subscriptions{Edge: c.Edge, Pipeline: c.Pipeline, Sites: c.Sites, Admit: c.Admit, Judge: c.Judge, BasePath: c.BasePath},
		Library:  library,
		Shares:   &published.Shares{Edge: c.Edge, Links: c.Shares, Texts: library, Checker: c.Checker, BasePath: c.BasePath},
		Feeds:    &published.Feeds{Store: c.Feeds, Checker: c.Checker, Recent: recent, BasePath: c.BasePath},
		Webhooks: &endpoints.Endpoints{Edge: c.Edge, Store: c.Pipeline.Webhooks, Judge: c.Judge, BasePath: c.BasePath},
		Usage:    &usage{pipeline: c.Pipeline},
		Health:   &health{pipeline: c.Pipeline, lifetime: c.Lifetime, version: c.Version, unconfined: c.Unconfined},
	}
	a.Docs = &docs{
		document: sync.OnceValues(func() (openapi.Document, error) { return openapi.New(a.Routes(), c.BasePath) }),
		page:     sync.OnceValues(openapi.NewPage),
	}
	return a
}

// Routes are the routes of the whole API. A new resource is a line in one of the parts.
func (a *API) Routes() []edge.Route {
	return slices.Concat(
		a.Transcripts(), a.Captions.Routes(), a.Discovery.Routes(), a.Batches.Routes(), a.Follows.Routes(), a.Webhooks.Routes(), a.Usage.Routes(), a.Library.Routes(), a.Shares.OwnRoutes(), a.Shares.OpenRoutes(), a.Feeds.Routes(), a.Health.Routes(), a.Docs.Routes(),
	)
}

// Transcripts are the routes of POST /v1/transcript, of uploads and of jobs.
func (a *API) Transcripts() []edge.Route {
	return slices.Concat(a.Intake.Routes(), a.Jobs.Routes())
}
