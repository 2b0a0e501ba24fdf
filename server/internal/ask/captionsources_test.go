package ask_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/ask"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// says is a caption source that always says the same of a content.
type says struct {
	origin transcript.Origin
	tracks []transcript.Track
	err    error
}

func (s says) Origin(transcript.Platform) (transcript.Origin, bool) { return s.origin, true }

func (s says) Captions(_ context.Context, _ engine.Content, pick func([]transcript.Track) (int, bool)) (engine.Captions, error) {
	found := engine.Captions{Tracks: s.tracks}
	if n, ok := pick(s.tracks); ok && s.err == nil {
		found.Track = &s.tracks[n]
	}
	return found, s.err
}

// TestSourcesThatDisagree: if one source has captions and another says that there are none, the
// operator learns of it by a metric and by one line of the log.
func TestSourcesThatDisagree(t *testing.T) {
	t.Parallel()
	german := []transcript.Track{{ID: "de.manual", Lang: "de", Kind: transcript.TrackManual}}
	gone, blocked := transcript.Errorf(transcript.Unavailable, "Gone."), transcript.Errorf(transcript.IPBlocked, "No.")
	for _, test := range []struct {
		name          string
		first, second says
		line          string // a part of the log's line; empty: they do not disagree
	}{
		{"tracks that were withheld, and none", says{tracks: german, err: blocked}, says{}, `source=video_site_downloader says="0 tracks" other=video_site_transcript_api said=IP_BLOCKED`},
		{"tracks that were withheld, and gone", says{tracks: german, err: blocked}, says{err: gone}, "says=UNAVAILABLE"},
		{"not found, and tracks", says{err: transcript.Errorf(transcript.Unavailable, "Not found.").Because(engine.ErrNothingFound)}, says{tracks: german}, `says="1 tracks" other=video_site_transcript_api said=UNAVAILABLE`},
		{"a block, and none", says{err: blocked}, says{}, ""},
		{"a block, and tracks", says{err: blocked}, says{tracks: german}, ""},
		{"tracks twice", says{tracks: german, err: blocked}, says{tracks: german}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			m := metrics.New("test")
			test.first.origin, test.second.origin = transcript.OriginCaptionAPI, transcript.OriginDownloader
			sources := ask.NewSources([]engine.CaptionSource{test.first, test.second}, slog.New(slog.NewTextHandler(&log, nil)), m)
			sub := subject.Of(engine.Content{Platform: transcript.VideoSite, ExternalID: "talk-000001"}, transcript.LanguageList{{Tag: "fr"}})
			_, _ = sources.Ask(t.Context(), sub, func(ask.Finding, error) {}) // other tests check the answer

			scrape := httptest.NewRecorder()
			m.Handler().ServeHTTP(scrape, httptest.NewRequest(http.MethodGet, "/metrics", nil))
			const counted = `transcriptkit_caption_sources_disagree_total{platform="video_site"} `
			if test.line == "" {
				assert.NotContains(t, log.String(), "disagree")
				assert.Contains(t, scrape.Body.String(), counted+"0")
				return
			}
			assert.Contains(t, log.String(), `msg="caption sources disagree"`)
			assert.Contains(t, log.String(), test.line)
			assert.Contains(t, scrape.Body.String(), counted+"1")
		})
	}
}
