package server

import (
	"net/http"
	"slices"
)

// Handler is the whole API. Under a prefix of another server's mux it needs
// [Config.BasePath] and http.StripPrefix: see the example.
func (s *Server) Handler() http.Handler {
	return s.edge.Handler(slices.Concat(s.api.Routes(), s.mcp.Routes(), s.openAI.Routes()))
}

// OpenAI serves POST /v1/audio/transcriptions and GET /v1/models as OpenAI's API does, for programs
// that send recordings there: see server/OPENAI.md. A mux needs both patterns, "/v1/audio/" and
// "/v1/models".
func (s *Server) OpenAI() http.Handler { return s.edge.Handler(s.openAI.Routes()) }

// Transcripts serves POST /v1/transcript, and the routes of uploads and jobs below it. A mux needs
// both patterns, "/v1/transcript" and "/v1/transcript/".
func (s *Server) Transcripts() http.Handler {
	return s.edge.Handler(s.api.Transcripts())
}

// Captions serves GET /v1/video_site/captions and GET /v1/transcript/info. These routes
// start no job. A mux needs both patterns, "/v1/video_site/captions" and "/v1/transcript/info".
func (s *Server) Captions() http.Handler {
	return s.edge.Handler(s.api.Captions.Routes())
}

// Discovery serves searches and lists of the video site: GET /v1/video_site/search and the
// like. Discovery starts no job and stores nothing. A mux needs the pattern "/v1/video_site/",
// and "/v1/video_site/captions" for [Server.Captions], which this handler answers with 404.
func (s *Server) Discovery() http.Handler { return s.edge.Handler(s.api.Discovery.Routes()) }

// Library serves the paths below "/v1/library/": the saved transcripts of an account. Library starts no job and
// charges nothing.
func (s *Server) Library() http.Handler {
	return s.edge.Handler(slices.Concat(s.api.Library.Routes(), s.api.Shares.OwnRoutes()))
}

// Shared serves GET /v1/shared/{token} and the paths below: the texts that links of accounts show,
// which need no credential. A mux needs the pattern "/v1/shared/". The routes that make such links
// belong to [Server.Library]. With an Authenticator of the program's own, see [AccountChecker].
func (s *Server) Shared() http.Handler { return s.edge.Handler(s.api.Shares.OpenRoutes()) }

// Feeds serves /v1/feed, which gives an account the private address of a feed of its new texts,
// and the feeds under /v1/feeds/, which need no credential. A mux needs both patterns, "/v1/feed"
// and "/v1/feeds/". With an Authenticator of the program's own, see [AccountChecker].
func (s *Server) Feeds() http.Handler { return s.edge.Handler(s.api.Feeds.Routes()) }

// Batches serves /v1/batch and the paths below: batches and their exports. A mux needs both
// patterns, "/v1/batch" and "/v1/batch/".
func (s *Server) Batches() http.Handler {
	return s.edge.Handler(s.api.Batches.Routes())
}

// Follows serves /v1/follows and the paths below: the channels, playlists and feeds that an
// account follows. A mux needs both patterns, "/v1/follows" and "/v1/follows/".
func (s *Server) Follows() http.Handler { return s.edge.Handler(s.api.Follows.Routes()) }

// MCP serves POST at the pattern "/mcp": the tools of the service for language models, by the Model Context
// Protocol without sessions. The tools need the scopes of the routes that they stand for, and
// count as requests of these routes.
func (s *Server) MCP() http.Handler { return s.edge.Handler(s.mcp.Routes()) }

// Webhooks serves /v1/webhooks and the paths below: the addresses to which the service sends
// the events of an account. A mux needs both patterns, "/v1/webhooks" and "/v1/webhooks/".
func (s *Server) Webhooks() http.Handler { return s.edge.Handler(s.api.Webhooks.Routes()) }

// Usage serves GET at the pattern "/v1/usage": the limits of an account, and how much of them is used.
func (s *Server) Usage() http.Handler { return s.edge.Handler(s.api.Usage.Routes()) }

// Health serves "/healthz" and "/readyz", which need no credential. A mux needs both patterns.
func (s *Server) Health() http.Handler { return s.edge.Handler(s.api.Health.Routes()) }

// Metrics shows the counts of the service and the figures of its database in
// Prometheus's text format; see docs/operate/metrics.md. Metrics needs no credential, and is
// meant for a listener that callers do not reach. A program with metrics of its own
// serves Metrics under another path. An answer takes at most two seconds, also while the
// database is away.
func (s *Server) Metrics() http.Handler { return s.metrics.Handler() }

// Docs serves /docs, a page for people, and /docs/openapi.json, which need no credential.
// A mux needs both patterns, "/docs" and "/docs/".
func (s *Server) Docs() http.Handler { return s.edge.Handler(s.api.Docs.Routes()) }
