package api

import (
	"slices"

	"github.com/transcriptkit/transcriptkit/server/internal/edge"
)

// Routes are the routes of the whole API. A new resource is a line in one of the parts.
func (a *API) Routes() []edge.Route {
	return slices.Concat(
		a.Transcripts(), a.Captions.Routes(), a.Discovery.Routes(), a.Batches.Routes(), a.Follows.Routes(), a.Webhooks.Routes(), a.Usage(), a.Library.Routes(), a.Shares.OwnRoutes(), a.Shares.OpenRoutes(), a.Feeds.Routes(), a.Health(), a.Docs(),
	)
}

// Transcripts are the routes of POST /v1/transcript, of uploads and of jobs.
func (a *API) Transcripts() []edge.Route {
	return slices.Concat(a.Intake.Routes(), a.Jobs.Routes())
}

// Usage are the routes about the limits of an account.
func (a *API) Usage() []edge.Route { return a.usage.Routes() }

// Health are the routes that say whether the service works.
func (a *API) Health() []edge.Route { return a.health.Routes() }

// Docs are the routes of the API's own description.
func (a *API) Docs() []edge.Route { return a.docs.Routes() }
