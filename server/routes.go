package server

import (
	"net/http"
	"slices"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/pipeline"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Handler is the whole API.
func (s *Server) Handler() http.Handler { return s.handler(s.routes()) }

// Transcripts serves POST /v1/transcript and the job routes, and nothing else.
func (s *Server) Transcripts() http.Handler { return s.handler(s.transcriptRoutes()) }

// Captions serves GET /v1/video_site/captions and GET /v1/transcript/info, which
// start no job.
func (s *Server) Captions() http.Handler { return s.handler(s.captionRoutes()) }

// Health serves /healthz and /readyz, which need no credential.
func (s *Server) Health() http.Handler { return s.handler(s.healthRoutes()) }

// Docs serves /docs/openapi.json, which needs no credential.
func (s *Server) Docs() http.Handler { return s.handler(s.docsRoutes()) }

// routes is the whole API. A new resource is a function like those below and a
// file with its handlers.
func (s *Server) routes() []route {
	return slices.Concat(s.transcriptRoutes(), s.captionRoutes(), s.healthRoutes(), s.docsRoutes())
}

func (s *Server) transcriptRoutes() []route {
	return []route{
		{
			method: http.MethodPost, pattern: "/v1/transcript",
			operation: "createTranscript", tag: "transcripts",
			summary: "Turn a link or an uploaded file into a timestamped transcript.",
			scope:   account.Transcripts, handle: s.createTranscript,
			body: newLinkRequest().table, form: newUploadForm().table,
			answers: []answer{
				{status: http.StatusOK, body: resultAnswer{}, headers: []header{headerReplayed}},
				{status: http.StatusAccepted, body: accepted{}, headers: []header{headerLocation, headerRetryAfter, headerReplayed}},
			},
			codes: []transcript.Code{
				transcript.InvalidRequest, transcript.InvalidVideo, transcript.UnsupportedPlatform, transcript.UploadInvalid,
				transcript.MediaTooLarge, transcript.NoTranscript, transcript.LanguageNotAvailable, transcript.Unavailable,
				transcript.IdempotencyConflict, transcript.IdempotencyInProgress, transcript.StateConflict,
				transcript.UpstreamFailed, transcript.IPBlocked, transcript.POTokenRequired, transcript.LoginRequired,
				transcript.ConfigError, transcript.NotImplemented,
			},
		},
		{
			method: http.MethodGet, pattern: "/v1/transcript/job/{id}",
			operation: "getTranscriptJob", tag: "jobs",
			summary: "Read a job, and its transcript when it has succeeded. A failed job is a 200 with an error.",
			scope:   account.Transcripts, handle: s.getTranscriptJob,
			path: idPath(new(string)), query: jobQuery(new(pipeline.View)),
			answers: []answer{
				{status: http.StatusOK, body: jobAnswer{}, headers: []header{headerETag, headerMayRetryAfter}},
				{status: http.StatusNotModified, headers: []header{headerETag}},
			},
			codes: []transcript.Code{transcript.InvalidRequest, transcript.NotFound},
		},
		{
			method: http.MethodPost, pattern: "/v1/transcript/job/{id}/cancel",
			operation: "cancelTranscriptJob", tag: "jobs",
			summary: "Cancel a job that has not ended.",
			scope:   account.Transcripts, handle: s.cancelTranscriptJob,
			path:    idPath(new(string)),
			answers: []answer{{status: http.StatusAccepted, body: jobAnswer{}, headers: []header{headerLocation, headerReplayed}}},
			codes: []transcript.Code{
				transcript.InvalidRequest, transcript.NotFound, transcript.StateConflict,
				transcript.IdempotencyConflict, transcript.IdempotencyInProgress,
			},
		},
		{
			method: http.MethodGet, pattern: "/v1/transcript/job/{id}/events",
			operation: "streamTranscriptJob", tag: "jobs",
			summary: "Follow a job as server-sent events, from the one named by Last-Event-ID.",
			scope:   account.Transcripts, handle: s.streamTranscriptJob,
			path: idPath(new(string)), header: streamHeader(),
			answers: []answer{
				{status: http.StatusOK, body: "", contentType: "text/event-stream"},
				{status: http.StatusNoContent},
			},
			codes: []transcript.Code{transcript.NotFound},
			events: map[transcript.EventType]any{
				transcript.EventSnapshot:  jobAnswer{},
				transcript.EventProgress:  wire.Progress{},
				transcript.EventCompleted: jobAnswer{},
				transcript.EventFailed:    jobAnswer{},
				transcript.EventCancelled: jobAnswer{},
				transcript.EventClosing:   transcript.Closing{},
			},
		},
	}
}

// captionRoutes ask a platform and start no job.
func (s *Server) captionRoutes() []route {
	codes := []transcript.Code{
		transcript.InvalidRequest, transcript.InvalidVideo, transcript.Unavailable, transcript.UpstreamFailed, transcript.IPBlocked,
		transcript.POTokenRequired, transcript.LoginRequired, transcript.ConfigError, transcript.NotImplemented,
	}
	return []route{
		{
			method: http.MethodGet, pattern: "/v1/video_site/captions",
			operation: "getCaptions", tag: "captions",
			summary: "List the caption tracks of a video, with the text of the first that is wanted.",
			scope:   account.Transcripts, handle: s.getCaptions,
			query:   new(captionsRequest).table(),
			answers: []answer{{status: http.StatusOK, body: transcript.CaptionReport{}}},
			codes:   codes,
			report:  transcript.CaptionReport{},
		},
		{
			method: http.MethodGet, pattern: "/v1/transcript/info",
			operation: "getTranscriptInfo", tag: "captions",
			summary: "Tell what a link, or a platform with its id, leads to, and in which languages it can be had.",
			handle:  s.getTranscriptInfo,
			query:   infoQuery(new(source)),
			answers: []answer{{status: http.StatusOK, body: transcript.Info{}}},
			codes:   append([]transcript.Code{transcript.UnsupportedPlatform}, codes...),
		},
	}
}

func (s *Server) healthRoutes() []route {
	return []route{
		{
			method: http.MethodGet, pattern: "/healthz", open: true,
			operation: "getHealth", tag: "service", summary: "Tell that the process is alive.",
			handle:  s.getHealth,
			answers: []answer{{status: http.StatusOK, body: health{}}},
		},
		{
			method: http.MethodGet, pattern: "/readyz", open: true,
			operation: "getReadiness", tag: "service", summary: "Tell whether the service can take requests.",
			handle: s.getReadiness,
			answers: []answer{
				{status: http.StatusOK, body: readiness{}},
				{status: http.StatusServiceUnavailable, body: readiness{}},
			},
		},
	}
}

func (s *Server) docsRoutes() []route {
	return []route{{
		method: http.MethodGet, pattern: "/docs/openapi.json", open: true,
		operation: "getOpenAPI", tag: "service", summary: "This document.",
		handle: s.getOpenAPI,
		answers: []answer{
			{status: http.StatusOK, body: map[string]any{}, headers: []header{headerETag}},
			{status: http.StatusNotModified, headers: []header{headerETag}},
		},
	}}
}
