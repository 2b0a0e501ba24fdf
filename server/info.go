package server

import (
	"net/http"

	"github.com/transcriptkit/transcriptkit/server/internal/pipeline"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func (s *Server) infoRoutes() []route {
	return []route{
		{
			method: http.MethodGet, pattern: "/v1/transcript/info",
			operation: "getTranscriptInfo", tag: "captions",
			summary: "Tell what a link, or a platform with its id, leads to, and in which languages it can be had.",
			handle:  s.getTranscriptInfo,
			query:   infoQuery(new(source)),
			answers: []answer{{status: http.StatusOK, body: transcript.Info{}}},
			codes:   append(codesOfPlatforms(), transcript.UnsupportedPlatform),
		},
	}
}

// infoQuery is the query of GET /v1/transcript/info.
func infoQuery(src *source) request.Table {
	return request.Table{Fields: src.fields(), OneOf: oneSource}
}

// getTranscriptInfo is GET /v1/transcript/info.
func (s *Server) getTranscriptInfo(w http.ResponseWriter, r *http.Request) error {
	var src source
	if err := infoQuery(&src).ReadQuery(r.URL.RawQuery); err != nil {
		return err
	}
	content, err := s.find(r.Context(), src)
	if err != nil {
		return err
	}
	p := principal(r)
	info, err := s.pipeline.Info(r.Context(), pipeline.Question{Account: p.Account, Plan: p.Plan, Content: content})
	if err != nil {
		return err
	}
	s.respondJSON(r.Context(), w, http.StatusOK, info)
	return nil
}
