// Package api connects the resources of the service. Each room below it implements a feature:
// small types with their routes and handlers, on top of package edge. A handler reads the
// request, calls the pipeline or the store once or twice, and writes the answer.
package api

import (
	"slices"
	"sync"

	"github.com/transcriptkit/transcriptkit/server/internal/api/about"
	"github.com/transcriptkit/transcriptkit/server/internal/api/bulk"
	"github.com/transcriptkit/transcriptkit/server/internal/api/discovery"
	"github.com/transcriptkit/transcriptkit/server/internal/api/endpoints"
	"github.com/transcriptkit/transcriptkit/server/internal/api/jobs"
	"github.com/transcriptkit/transcriptkit/server/internal/api/published"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/api/saved"
	"github.com/transcriptkit/transcriptkit/server/internal/api/submitting"
	"github.com/transcriptkit/transcriptkit/server/internal/api/subscriptions"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/openapi"
	"github.com/transcriptkit/transcriptkit/server/internal/shares"
	"github.com/transcriptkit/transcriptkit/server/internal/textfeed"
)

// Config is what an API is made of. Every member except Admit and Unconfined is required. New makes
// the members Recent and Streams.
type Config struct {
	resource.Shared
	Metrics    *metrics.Metrics
	Feeds      *textfeed.Feeds
	Shares     *shares.Shares
	Version    string       // of the program, for GET /healthz
	Unconfined func() error // why the kernel does not confine programs to the egress guard; nil means that it does
}

// API is all resources of the service, each with its routes.
type API struct {
	Intake    *submitting.Intake
	Jobs      *jobs.Jobs
	Captions  *discovery.Captions
	Discovery *discovery.Discovery
	Batches   *bulk.Batches
	Follows   *subscriptions.Subscriptions
	Library   *saved.Texts
	Shares    *published.Shares
	Feeds     *published.Feeds
	Webhooks  *endpoints.Endpoints
	Usage     *about.Usage
	Health    *about.Probes
	Docs      *about.Docs
}

// New makes an API.
func New(c Config) *API {
	s := &c.Shared
	s.Recent, s.Streams = resource.NewRecentAnswers(), &resource.StreamCounter{Metrics: c.Metrics}
	library := &saved.Texts{Shared: s}
	a := &API{
		Intake:    &submitting.Intake{Shared: s, Pages: submitting.NewPages()},
		Jobs:      &jobs.Jobs{Shared: s},
		Captions:  &discovery.Captions{Shared: s},
		Discovery: &discovery.Discovery{Shared: s},
		Batches:   &bulk.Batches{Shared: s},
		Follows:   &subscriptions.Subscriptions{Shared: s},
		Library:   library,
		Shares:    &published.Shares{Shared: s, Links: c.Shares, Texts: library},
		Feeds:     &published.Feeds{Shared: s, Store: c.Feeds},
		Webhooks:  &endpoints.Endpoints{Shared: s},
		Usage:     &about.Usage{Shared: s},
		Health:    &about.Probes{Shared: s, Version: c.Version, Unconfined: c.Unconfined},
	}
	a.Docs = &about.Docs{
		Document: sync.OnceValues(func() (openapi.Document, error) { return openapi.New(a.Routes(), c.BasePath) }),
		Pages:    &openapi.Pages{Root: c.BasePath + "/docs"},
	}
	return a
}

// Routes are the routes of the whole API. For a new room, add a line here.
func (a *API) Routes() []edge.Route {
	return slices.Concat(
		a.Transcripts(), a.Captions.Routes(), a.Discovery.Routes(), a.Batches.Routes(), a.Follows.Routes(), a.Webhooks.Routes(), a.Usage.Routes(), a.Library.Routes(), a.Shares.OwnRoutes(), a.Shares.OpenRoutes(), a.Feeds.Routes(), a.Health.Routes(), a.Docs.Routes(),
	)
}

// Transcripts are the routes of POST /v1/transcript, of uploads and of jobs.
func (a *API) Transcripts() []edge.Route {
	return slices.Concat(a.Intake.Routes(), a.Jobs.Routes())
}
