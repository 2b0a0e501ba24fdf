package server

import (
	"net/http"
)

// Handler is the whole API. Under a prefix of another server's mux it needs
// [Config.BasePath] and http.StripPrefix: see the example.
func (s *Server) Handler() http.Handler { return s.edge.Handler(s.api.Routes()) }

// Transcripts serves POST /v1/transcript and the job routes, and nothing else.
func (s *Server) Transcripts() http.Handler {
	return s.edge.Handler(s.api.Transcripts())
}

// Captions serves GET /v1/video_site/captions and GET /v1/transcript/info, which
// start no job.
func (s *Server) Captions() http.Handler {
	return s.edge.Handler(s.api.Captions())
}

// Discovery serves what is found on the video site: GET /v1/video_site/search and the
// like. It starts no job and keeps nothing. A mux wants the pattern "/v1/video_site/", and
// "/v1/video_site/captions" for [Server.Captions], which this handler answers with 404.
func (s *Server) Discovery() http.Handler { return s.edge.Handler(s.api.Discovery()) }

// Library serves /v1/library/: what an account has saved. It starts no job and charges
// nothing.
func (s *Server) Library() http.Handler {
	return s.edge.Handler(s.api.Library())
}

// Batches serves /v1/batch and what is below it: batches and their exports. A mux wants
// both patterns, "/v1/batch" and "/v1/batch/".
func (s *Server) Batches() http.Handler {
	return s.edge.Handler(s.api.Batches())
}

// Usage serves GET /v1/usage: what an account may have, and how much of it is used.
func (s *Server) Usage() http.Handler { return s.edge.Handler(s.api.Usage()) }

// Health serves /healthz and /readyz, which need no credential.
func (s *Server) Health() http.Handler { return s.edge.Handler(s.api.Health()) }

// Metrics shows the counts of the service and the figures of its database in
// Prometheus's text format; see server/METRICS.md. Metrics needs no credential, and is
// meant for a listener that callers do not reach. A program with metrics of its own
// serves Metrics under another path. An answer takes at most two seconds, also while the
// database is away.
func (s *Server) Metrics() http.Handler { return s.metrics.Handler() }

// Docs serves /docs, a page for people, and /docs/openapi.json, which need no credential.
// A mux wants both patterns, "/docs" and "/docs/".
func (s *Server) Docs() http.Handler { return s.edge.Handler(s.api.Docs()) }
