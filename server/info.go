package server

import (
	"net/http"

	"github.com/transcriptkit/transcriptkit/server/internal/pipeline"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// infoRequest is the query of GET /v1/transcript/info: a link, or a platform
// with its id.
type infoRequest struct {
	URL        *string              `query:"url" minLength:"1" maxLength:"2048" description:"A link, a short link, or a bare id of the video site; it stands alone."`
	Platform   *transcript.Platform `query:"platform" enum:"video_site,short_video_site,photo_site,professional_site,microblog_site" description:"Stands with externalId."`
	ExternalID *string              `query:"externalId" minLength:"1" maxLength:"512" description:"The platform's own id."`
}

// getTranscriptInfo is GET /v1/transcript/info (contract 5.1).
func (s *Server) getTranscriptInfo(w http.ResponseWriter, r *http.Request) error {
	q := readQuery(r)
	src := source{url: q.text("url"), platform: (*transcript.Platform)(q.text("platform")), externalID: q.text("externalId")}
	src.check(&q.problems)
	if err := q.err(); err != nil {
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
