package text

import (
	"context"
	"net/url"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// recording is the path in the API of a kept recording.
type recording string

// Source returns the address of the copy that browsers play.
func (r recording) Source() string {
	return "/web" + string(r) + "?copy=" + string(library.PlayingCopy)
}

// Speeds returns the speeds at which the page plays a recording.
func (recording) Speeds() []float64 { return []float64{0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3} }

// recordingOf returns the recording of a text; empty if none is kept.
func recordingOf(t *transcript.Transcript) recording {
	if t.Media == nil {
		return ""
	}
	return recording("/v1/library/transcripts/upload/" + url.PathEscape(t.ExternalID) + "/media")
}

// addingTo says for how long the service would keep the recording of a text that has none; nil if the
// visitor cannot add one.
func (p texts) addingTo(ctx context.Context, t *transcript.Transcript) *web.Keeping {
	if t.Platform != transcript.Upload || t.Media != nil {
		return nil
	}
	usage, err := p.API.Usage.Get(ctx)
	switch {
	case err != nil: // the text can be read all the same
		p.Log.WarnContext(ctx, "whether a recording may be added is not known", "err", err)
		return nil
	case !usage.Limits.Upload || !usage.Limits.ASR:
		return nil
	}
	return web.KeepingOf(usage, 0)
}
