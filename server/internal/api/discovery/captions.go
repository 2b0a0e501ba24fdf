package discovery

import (
	"net/http"
	"strconv"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/ask"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Captions shows the captions of a video, and the content of a link, without a job.
type Captions struct{ *resource.Shared }

// Routes are the routes that show captions, and the content of a link.
func (c *Captions) Routes() []edge.Route {
	return []edge.Route{
		{
			Method: http.MethodGet, Pattern: "/v1/video_site/captions",
			Operation: "getCaptions", Tag: "captions",
			Summary: "List the caption tracks of a video, with the text of the best match.",
			Scope:   account.Transcripts, Handle: c.getCaptions,
			Query:   new(captionsRequest).table(),
			Answers: []edge.Answer{{Status: http.StatusOK, Body: transcript.CaptionReport{}}},
			Codes:   append(codesOfPlatforms(), transcript.TranscriptQuotaExceeded),
			Report:  transcript.CaptionReport{},
		},
		c.infoRoute(),
	}
}

// codesOfPlatforms are the error codes of a request that asks a platform.
func codesOfPlatforms() []transcript.Code {
	return []transcript.Code{
		transcript.InvalidRequest, transcript.InvalidVideo, transcript.Unavailable, transcript.UpstreamFailed, transcript.IPBlocked,
		transcript.POTokenRequired, transcript.LoginRequired, transcript.ConfigError, transcript.NotImplemented,
	}
}

// captionsRequest is the query of GET /v1/video_site/captions.
type captionsRequest struct {
	videoID   string
	languages transcript.LanguageList // nil means that the request has none
}

func (req *captionsRequest) table() request.Table {
	return request.Table{Fields: []*request.Field{
		request.New("videoId", &req.videoID, request.Text(0, 0)).Required().About("The id of a video, not a link."),
		resource.LanguageField(&req.languages).ShowDefault(resource.DefaultLanguage).About("Language tags in the order of preference."),
	}}
}

// getCaptions is GET /v1/video_site/captions.
func (c *Captions) getCaptions(w http.ResponseWriter, r *http.Request) error {
	var req captionsRequest
	if err := req.table().ReadQuery(r.URL.RawQuery); err != nil {
		return err
	}
	video, err := c.Sites.Content(transcript.VideoSite, req.videoID)
	if err != nil {
		return err
	}
	p := edge.Principal(r)
	report, err := c.Pipeline.Ask.Captions(r.Context(), ask.Question{
		Account:   p.Account,
		Plan:      p.Plan,
		Content:   engine.Content{Platform: video.Platform, ExternalID: video.ExternalID, URL: video.URL},
		Languages: req.languages,
	})
	if err != nil {
		return err
	}
	return c.respondReport(w, r, report)
}

// respondReport sends a report. If the report has an error with a status, it is also an
// error envelope. A fault of the service itself is not a report.
func (c *Captions) respondReport(w http.ResponseWriter, r *http.Request, report *ask.CaptionReport) error {
	status := http.StatusOK
	if failure := report.Failure; failure != nil {
		if _, business := edge.BusinessFailure(failure); !business || c.Lifetime.Excuses(failure) {
			return failure
		}
		edge.LogCause(r, failure)
		status = failure.HTTPStatus()
		if failure.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(failure.RetryAfter))
		}
	}
	if report.Error != nil {
		shown := *report.Error
		shown.RequestID = edge.RequestID(r.Context())
		report.Error = &shown
	}
	var packed *packed.Bytes
	if report.Text != nil {
		packed = report.Text.SegmentsJSON
	}
	body, err := resource.Around(packed, func(dst, segments []byte) ([]byte, error) {
		return wire.AppendCaptionReport(dst, &report.CaptionReport, segments)
	})
	if err != nil {
		return err
	}
	return edge.RespondPacked(w, r, "application/json", status, body)
}
