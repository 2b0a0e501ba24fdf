package server

import (
	"net/http"
	"slices"
)

// Handler returns the handler of the whole API. To mount it under a prefix, set
// [Config.BasePath] and use [http.StripPrefix]: see the example.
func (s *Server) Handler() http.Handler {
	return s.edge.Handler(slices.Concat(s.api.Routes(), s.api.Docs.PageRoutes(), s.mcp.Routes(), s.openAI.Routes()))
}

// OpenAI returns the handler of POST /v1/audio/transcriptions and GET /v1/models. The
// handler answers like OpenAI's API, for programs that are written for that API: see
// docs/guides/openai.md. A mux needs both patterns, "/v1/audio/" and "/v1/models".
func (s *Server) OpenAI() http.Handler { return s.edge.Handler(s.openAI.Routes()) }

// Transcripts returns the handler of POST /v1/transcript, and of the routes of uploads
// and jobs below it. A mux needs both patterns, "/v1/transcript" and "/v1/transcript/".
func (s *Server) Transcripts() http.Handler {
	return s.edge.Handler(s.api.Transcripts())
}

// Captions returns the handler of GET /v1/video_site/captions and GET
// /v1/transcript/info. These routes start no job. A mux needs both patterns,
// "/v1/video_site/captions" and "/v1/transcript/info".
func (s *Server) Captions() http.Handler {
	return s.edge.Handler(s.api.Captions.Routes())
}

// Discovery returns the handler of searches and lists of the video site: GET
// /v1/video_site/search and the like. It starts no job and stores nothing. A mux needs
// the pattern "/v1/video_site/". The handler answers "/v1/video_site/captions" with
// 404: mount [Server.Captions] there.
func (s *Server) Discovery() http.Handler { return s.edge.Handler(s.api.Discovery.Routes()) }

// Library returns the handler of the paths below "/v1/library/": the saved transcripts
// of an account. It starts no job and charges nothing. A mux needs the pattern
// "/v1/library/".
func (s *Server) Library() http.Handler {
	return s.edge.Handler(slices.Concat(s.api.Library.Routes(), s.api.Shares.OwnRoutes()))
}

// Shared returns the handler of GET /v1/shared/{token} and the paths below: the texts
// that accounts share by a link. They need no credential. A mux needs the pattern
// "/v1/shared/". The routes that make such links are in [Server.Library]. If you set
// [Config.Authenticator], see [AccountChecker].
func (s *Server) Shared() http.Handler { return s.edge.Handler(s.api.Shares.OpenRoutes()) }

// Feeds returns the handler of /v1/feed and /v1/feeds/. Under /v1/feed, an account gets
// the private address of a feed of its new texts. The feeds under /v1/feeds/ need no
// credential. A mux needs both patterns, "/v1/feed" and "/v1/feeds/". If you set
// [Config.Authenticator], see [AccountChecker].
func (s *Server) Feeds() http.Handler { return s.edge.Handler(s.api.Feeds.Routes()) }

// Batches returns the handler of /v1/batch and the paths below: batches and their
// exports. A mux needs both patterns, "/v1/batch" and "/v1/batch/".
func (s *Server) Batches() http.Handler {
	return s.edge.Handler(s.api.Batches.Routes())
}

// Follows returns the handler of /v1/follows and the paths below: the channels,
// playlists and feeds that an account follows. A mux needs both patterns, "/v1/follows"
// and "/v1/follows/".
func (s *Server) Follows() http.Handler { return s.edge.Handler(s.api.Follows.Routes()) }

// MCP returns the handler of POST /mcp: tools for language models, by the Model Context
// Protocol without sessions. Each tool needs the scope of the route that it calls, and
// counts as a request to that route. A mux needs the pattern "/mcp".
func (s *Server) MCP() http.Handler { return s.edge.Handler(s.mcp.Routes()) }

// Webhooks returns the handler of /v1/webhooks and the paths below: the addresses to
// which the service sends the events of an account. A mux needs both patterns,
// "/v1/webhooks" and "/v1/webhooks/".
func (s *Server) Webhooks() http.Handler { return s.edge.Handler(s.api.Webhooks.Routes()) }

// Usage returns the handler of GET /v1/usage: the limits of an account, and how much of
// them is used. A mux needs the pattern "/v1/usage".
func (s *Server) Usage() http.Handler { return s.edge.Handler(s.api.Usage.Routes()) }

// Health returns the handler of "/healthz" and "/readyz". They need no credential. A
// mux needs both patterns.
func (s *Server) Health() http.Handler { return s.edge.Handler(s.api.Health.Routes()) }

// Metrics returns a handler of the service's metrics in the Prometheus text format: see
// docs/operate/metrics.md. The handler needs no credential, so serve it on a listener that
// callers cannot reach. If your program has metrics of its own, serve these under
// another path. An answer takes at most two seconds, even if the database cannot be
// reached.
func (s *Server) Metrics() http.Handler { return s.metrics.Handler() }

// Docs returns the handler of /docs, the documents for people, and /docs/openapi.json. They
// need no credential. A mux needs both patterns, "/docs" and "/docs/". To show the documents
// in a layout of your own, use package docs.
func (s *Server) Docs() http.Handler {
	return s.edge.Handler(slices.Concat(s.api.Docs.Routes(), s.api.Docs.PageRoutes()))
}
