package page_test

import (
	"flag"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/transcript"
)

var update = flag.Bool("update", false, "write the golden files anew")

// me is the account of the only user of a site.
const me = "me"

// put saves a text in the library of the only user.
func (s *site) put(t *testing.T, saved transcript.Transcript) {
	t.Helper()
	_, err := s.PutTranscript(t.Context(), me, saved)
	require.NoError(t, err)
}

// everything is a text that has all that a page can show of one.
func everything() transcript.Transcript {
	title, channel, page, published := `A "talk" <b>of</b> the sea`, "Talks & more", "https://talks.example/about", transcript.At(time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC))
	return transcript.Transcript{
		Platform: transcript.VideoSite, ExternalID: "dQw4w9WgXcQ", Lang: "en-GB", Title: &title, Channel: &channel, CreatorURL: &page, PublishedAt: &published,
		Metadata: map[string]any{
			"trackKind": "auto", "trackName": "English <auto>", "lostCues": 2, "prompted": true,
			"gaps":     []any{map[string]any{"start": 20, "duration": 12.5, "reason": "silence"}, map[string]any{"start": 40, "duration": 2, "reason": "later"}},
			"chapters": []any{map[string]any{"title": "The <sea>", "start": 0}, map[string]any{"title": "البحر", "start": 33}, map[string]any{"title": "After it", "start": 4000}},
			"recognizers": []any{
				map[string]any{"engine": "whisper-cli", "model": "base", "quality": "good", "language": "en"}, map[string]any{"engine": "other"},
			},
			"tried": []any{map[string]any{"source": "video_site_downloader", "code": "IP_BLOCKED", "reason": "the platform blocks"}},
		},
		Segments: []transcript.Segment{
			{Text: "Once <script>alert(1)</script> upon", Start: 0, Duration: 2.5, Speaker: "Ada"},
			{Text: "a time,", Start: 2.48, Duration: 0, Speaker: "Ada"},
			{Text: "at once,", Start: 2.48, Duration: 4, Speaker: "B (part 2)"},
			{Text: "nobody knows who\nsaid it.", Start: 32.5, Duration: 3},
			{Text: "&amp; هذا هو البحر", Start: 3661, Duration: 1, Speaker: "Ada"},
		},
	}
}

// whole is the part of a page that a test looks at, with what differs from run to run put
// aside.
func whole(t *testing.T, page string) string {
	t.Helper()
	from, to := strings.Index(page, "<article"), strings.Index(page, "</article>")
	require.Positive(t, from)
	require.Greater(t, to, from)
	return regexp.MustCompile(`<time datetime="20[^"]*(.)">[^<]*</time></dd>`).ReplaceAllString(page[from:to], "<time>today</time></dd>")
}

func TestTranscriptShowsEverything(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	s.put(t, everything())
	other := everything()
	other.Lang = "de"
	s.put(t, other)
	related := everything()
	related.ExternalID, related.Title = "9bZkp7q19f0", nil
	s.put(t, related)

	got := s.get(t, "/transcripts/video_site/dQw4w9WgXcQ?language=en-GB")
	require.Equal(t, http.StatusOK, got.status)
	golden := filepath.Join("testdata", "transcript.html")
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(whole(t, got.body)), 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), whole(t, got.body))
	_ = url.QueryEscape
}

func TestTranscriptDownloads(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	s.put(t, everything())
	for query, want := range map[string]struct{ media, name, begins string }{
		"format=txt&times=yes":              {"text/plain; charset=utf-8", "a-talk-b-of-b-the-sea.txt", "[00:00:00] Once <script>"},
		"format=txt":                        {"text/plain; charset=utf-8", "a-talk-b-of-b-the-sea.txt", "Once <script>"},
		"format=srt&times=yes&speakers=yes": {"application/x-subrip; charset=utf-8", "a-talk-b-of-b-the-sea.srt", "1\n00:00:00,000 --> 00:00:02,480\nAda: Once"},
		"format=vtt":                        {"text/vtt; charset=utf-8", "a-talk-b-of-b-the-sea.vtt", "WEBVTT"},
		"format=json":                       {"application/json; charset=utf-8", "a-talk-b-of-b-the-sea.json", "{"},
		"format=md&times=yes":               {"text/markdown; charset=utf-8", "a-talk-b-of-b-the-sea.md", "# "},
	} {
		got := s.get(t, "/transcripts/video_site/dQw4w9WgXcQ/download?language=en-GB&"+query)
		assert.Equal(t, http.StatusOK, got.status, query)
		assert.Equal(t, want.media, got.header.Get("Content-Type"), query)
		assert.Contains(t, got.header.Get("Content-Disposition"), "attachment; filename="+want.name, query)
		assert.True(t, strings.HasPrefix(got.body, want.begins), got.body)
	}
}
