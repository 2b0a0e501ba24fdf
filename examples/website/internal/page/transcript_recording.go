package page

import (
	"context"
	"net/http"
	"net/url"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// recording is the path in the API of a kept recording.
type recording string

// Source returns the address of the copy that browsers play.
func (r recording) Source() string { return "/web" + string(r) + "?copy=play" }

// Speeds returns the speeds at which the page plays a recording.
func (recording) Speeds() []float64 { return []float64{0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3} }

// recording asks the API for the recording of a text; empty if none is kept. Links have no
// recording.
func (p *pages) recording(ctx context.Context, key library.Key) (recording, error) {
	if key.Platform != transcript.Upload {
		return "", nil
	}
	path := "/v1/library/transcripts/upload/" + url.PathEscape(key.ExternalID) + "/media"
	told, err := p.ask(ctx, http.MethodHead, path)
	if err != nil {
		return "", err
	}
	if err := told.Body.Close(); err != nil || told.StatusCode != http.StatusOK {
		return "", err
	}
	return recording(path), nil
}
