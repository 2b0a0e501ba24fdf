package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Info describes the content behind a link or an id, and lists the languages of its
// transcripts. Info costs nothing and starts no job. source is a [transcript.URL] or a
// [transcript.ID]. Info returns an error for any other source, because the service
// knows a file only after its upload.
func (s *TranscriptService) Info(ctx context.Context, source transcript.Source, opts ...RequestOption) (*transcript.Info, error) {
	query, err := sourceQuery(source)
	if err != nil {
		return nil, err
	}
	answer, err := s.client.send(ctx, http.MethodGet, "/v1/transcript/info?"+query.Encode(), payload{}, opts)
	if err != nil {
		return nil, err
	}
	var info transcript.Info
	if err := answer.decode(&info); err != nil {
		return nil, err
	}
	if info.Platform == "" || info.ExternalID == "" {
		return nil, answer.malformed(errors.New("it has no platform or no externalId"))
	}
	return &info, nil
}

func sourceQuery(source transcript.Source) (url.Values, error) {
	if _, _, _, ok := source.Upload(); ok {
		return nil, errors.New("client: a file has no info before it is transcribed")
	}
	if link, ok := source.Link(); ok {
		return url.Values{"url": {link}}, nil
	}
	switch platform, id, ok := source.Content(); {
	case !ok:
		return nil, errors.New("client: Info needs a source")
	case platform == "" || id == "":
		return nil, fmt.Errorf("client: platform %q and id %q: both are needed", platform, id)
	default:
		return url.Values{"platform": {string(platform)}, "externalId": {id}}, nil
	}
}

// Captions returns the caption tracks of a video on the video site, and the text of the
// track that fits languages best. languages is a priority list of language tags. If it
// is nil, the service's default applies. Captions never starts speech recognition.
//
// If the video has no such text, Captions returns a report and no error: the report's
// Status is "error", its Error says why, and RequiresAsync says whether
// [TranscriptService.Get] could help. If the service cannot ask the video site,
// Captions returns an error with a code such as IP_BLOCKED or UPSTREAM_FAILED, together
// with a report of the tracks that are known so far. That report is nil if no track is
// known, or if it is larger than 1 MiB.
func (s *TranscriptService) Captions(ctx context.Context, videoID string, languages []string, opts ...RequestOption) (*transcript.CaptionReport, error) {
	if videoID == "" {
		return nil, errors.New("client: empty video id")
	}
	query := url.Values{"videoId": {videoID}}
	if len(languages) > 0 {
		query.Set("language", strings.Join(languages, ","))
	}
	answer, err := s.client.send(ctx, http.MethodGet, "/v1/video_site/captions?"+query.Encode(), payload{}, opts)
	if err != nil {
		return refusedReport(err), err
	}
	var report transcript.CaptionReport
	if err := answer.decode(&report); err != nil {
		return nil, err
	}
	if !isReport(report) {
		return nil, answer.malformed(errors.New("it has no videoId or no status"))
	}
	return &report, nil
}

// refusedReport is the report in the body of a refusal; nil if the body has no report.
func refusedReport(err error) *transcript.CaptionReport {
	var refused *Error
	var report transcript.CaptionReport
	if !errors.As(err, &refused) || json.Unmarshal(refused.Body, &report) != nil || !isReport(report) {
		return nil
	}
	return &report
}

func isReport(r transcript.CaptionReport) bool { return r.VideoID != "" && r.Status != "" }
