package server

import (
	"net/http"
	"strconv"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/pipeline"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// captionsRequest is the query of GET /v1/video_site/captions.
type captionsRequest struct {
	VideoID  string  `query:"videoId" required:"true" description:"The id of a video; a link is none."`
	Language *string `query:"language" minLength:"1" maxLength:"200" default:"en" description:"Language tags by priority; recognition is not run."`
}

// getCaptions is GET /v1/video_site/captions (contract 4).
func (s *Server) getCaptions(w http.ResponseWriter, r *http.Request) error {
	q := readQuery(r)
	id, languages := q.required("videoId"), q.languages()
	if err := q.err(); err != nil {
		return err
	}
	video, err := s.cfg.Sites.Content(transcript.VideoSite, id)
	if err != nil {
		return err
	}
	p := principal(r)
	report, err := s.pipeline.Captions(r.Context(), pipeline.Question{
		Account:   p.Account,
		Plan:      p.Plan,
		Content:   engine.Content{Platform: video.Platform, ExternalID: video.ExternalID, URL: video.URL},
		Languages: languages,
	})
	if err != nil {
		return err
	}
	return s.respondReport(w, r, report)
}

// respondReport sends a report, which is an error envelope at the same time
// where it has the status of an error (contract 4). A fault of the service's own
// is no report.
func (s *Server) respondReport(w http.ResponseWriter, r *http.Request, report *pipeline.CaptionReport) error {
	status := http.StatusOK
	if failure := report.Failure; failure != nil {
		if failure.Code == transcript.Internal || s.excused(failure) {
			return failure // which is no report (contract 2)
		}
		s.note(r, failure)
		status = failure.HTTPStatus()
		if failure.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(failure.RetryAfter))
		}
	}
	if report.Error != nil {
		shown := *report.Error
		shown.RequestID = RequestID(r.Context())
		report.Error = &shown
	}
	body, err := wire.AppendCaptionReport(make([]byte, 0, len(report.SegmentsJSON)+4096), &report.CaptionReport, report.SegmentsJSON)
	if err != nil {
		return err
	}
	respond(w, status, body)
	return nil
}
