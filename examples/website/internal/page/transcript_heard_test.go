package page_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// listener hears the speech of ten seconds by one speaker, in the second of two tracks of a file
// that is cut off.
type listener struct{ engine.MediaTool }

func (l listener) Normalize(ctx context.Context, in, out string, o engine.NormalizeOptions) (engine.Sound, error) {
	sound, err := l.MediaTool.Normalize(ctx, in, out, o)
	sound.CutOff, sound.Unread = &transcript.CutOff{HeldSec: 70, AnnouncedSec: 100}, 2048
	sound.Tracks = []transcript.AudioTrack{{Index: 1, Title: new("<b>Comments</b>")}, {Index: 2, Language: new("de"), Used: true}}
	return sound, err
}

func (listener) Speech(context.Context, engine.Audio) ([]engine.Span, error) {
	return []engine.Span{{End: 10}}, nil
}

func (listener) Info() engine.DiarizerInfo {
	return engine.DiarizerInfo{Name: "turns", Model: "small"}
}

func (listener) Diarize(context.Context, engine.Audio, engine.DiarizeOptions) ([]engine.Turn, error) {
	return []engine.Turn{{Span: engine.Span{End: 10}, Speaker: 1}}, nil
}

// A reader learns what is missing from the text of a recording, which of its tracks it is of, and
// who speaks.
func TestTranscriptSaysWhatWasHeard(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User, servertest.Configure(func(c *server.Config) {
		makeEngine := c.Engine
		c.Engine = func(h engine.Host) (engine.Engine, error) {
			e, err := makeEngine(h)
			l := listener{e.Media}
			e.Media, e.Voices, e.Diarizer = l, l, l
			return e, err
		}
	}))
	show := func(content string, wordsSec float64) string {
		s.Engine.SetRecognize(func(context.Context, int, engine.Audio, engine.RecognizeOptions) (engine.Recognition, error) {
			return engine.Recognition{Segments: []transcript.Segment{{Text: "Hello.", Duration: wordsSec}}, Language: "en"}, nil
		})
		open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(content)), nil }
		_, err := s.api(t).Transcripts.Get(t.Context(), transcript.Request{Source: transcript.Media("talk.wav", int64(len(content)), open)})
		require.NoError(t, err)
		sum := sha256.Sum256([]byte(content))
		got := s.get(t, "/transcripts/upload/"+hex.EncodeToString(sum[:16])+"?language=en")
		require.Equal(t, http.StatusOK, got.status, got.body)
		return got.body
	}
	page := show("a talk", 8)
	for _, want := range []string{
		"the file holds 1:10 of 1:40", "The last 2 KiB of the file could not be read", "0:02 of 0:10 of speech have no words",
		"<li>1 · <bdi>&lt;b&gt;Comments&lt;/b&gt;</bdi></li>", "<li>2 · German · used for this text</li>",
		"<bdi>turns</bdi> · <bdi>small</bdi>", `<h3 data-tone="1"><bdi>Speaker 1</bdi></h3>`,
	} {
		assert.Contains(t, page, want)
	}
	assert.NotContains(t, show("another talk", 9), "have no words", "a tenth is breath")
}
