package page_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// talkOfTwo is a talk of two people in three paragraphs.
func talkOfTwo() transcript.Transcript {
	return transcript.Transcript{Platform: transcript.VideoSite, ExternalID: "dQw4w9WgXcQ", Lang: "en", Segments: []transcript.Segment{
		{Text: "Good morning.", Start: 0, Duration: 2, Speaker: "Ada"},
		{Text: "How are\nyou?", Start: 2, Duration: 2, Speaker: "Ada"},
		{Text: "Fine & well.", Start: 4.5, Duration: 1, Speaker: "Ben"},
		{Text: "And you?", Start: 9, Duration: 1, Speaker: "Ben"},
	}}
}

func TestTranscriptForPeople(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	s.put(t, talkOfTwo())
	for query, want := range map[string]string{
		"lines":                   "Good morning.\nHow are you?\nFine & well.\nAnd you?",
		"paragraphs":              "Good morning. How are you?\n\nFine & well.\n\nAnd you?",
		"paragraphs&speakers=yes": "Ada: Good morning. How are you?\n\nBen: Fine & well.\n\nAnd you?",
		"lines&times=yes":         "[00:00:00] Good morning.\n[00:00:02] How are you?\n[00:00:04] Fine & well.\n[00:00:09] And you?",
	} {
		got := s.get(t, "/transcripts/video_site/dQw4w9WgXcQ/download?language=en&format="+query)
		assert.Equal(t, http.StatusOK, got.status, query)
		assert.Equal(t, "text/plain; charset=utf-8", got.header.Get("Content-Type"), query)
		assert.Contains(t, got.header.Get("Content-Disposition"), ".txt", query)
		assert.Equal(t, want, got.body, query)
	}
	assert.Equal(t, http.StatusNotFound, s.get(t, "/transcripts/video_site/9bZkp7q19f0/download?language=en&format=lines").status)
}

// A text without speakers offers no export with speakers.
func TestTranscriptExportsWithoutSpeakers(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	text := talkOfTwo()
	s.put(t, text)
	assert.Contains(t, s.get(t, "/transcripts/video_site/dQw4w9WgXcQ").body, `name="speakers"`)
	for n := range text.Segments {
		text.Segments[n].Speaker = ""
	}
	text.ExternalID = "9bZkp7q19f0"
	s.put(t, text)
	assert.NotContains(t, s.get(t, "/transcripts/video_site/9bZkp7q19f0").body, `name="speakers"`)
}

// A paragraph is below the name of the person who speaks, and none lies in two chapters.
func TestTranscriptInParagraphs(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	text := talkOfTwo()
	text.Segments = append(text.Segments,
		transcript.Segment{Text: "The chapter of the sea", Start: 10, Duration: 2, Speaker: "Ben"},
		transcript.Segment{Text: "begins.", Start: 12, Duration: 2, Speaker: "Ben"})
	text.Metadata = map[string]any{"chapters": []any{map[string]any{"title": "Before", "start": 0}, map[string]any{"title": "The sea", "start": 10}}}
	s.put(t, text)
	got := s.get(t, "/transcripts/video_site/dQw4w9WgXcQ?language=en")
	require.Equal(t, http.StatusOK, got.status)
	assert.Regexp(t, `(?s)<h3 data-tone="1"><bdi>Ada</bdi></h3>\s*<div class="para"><p id="t=0"><a [^>]*>0:00</a> <span>Good morning.</span></p>\n`+
		`<p id="t=2"><a [^>]*>0:02</a> <span>How are\nyou\?</span></p></div>\s*<h3 data-tone="2"><bdi>Ben</bdi></h3>\s*<div class="para"><p id="t=4.5"><a [^>]*>0:04</a> <span>Fine &amp; well.</span></p></div>\s*`+
		`<div class="para"><p id="t=9"><a [^>]*>0:09</a> <span>And you\?</span></p></div>\s*</div>\s*`+
		`<div class="part">\s*<h2 id="chapter-2" data-start="10"><bdi>The sea</bdi></h2>\s*<div class="para"><p id="t=10"><a [^>]*>0:10</a> <span>The chapter of the sea</span></p>\n<p id="t=12">`, got.body)
	assert.Contains(t, got.body, `aria-current="true">Paragraphs</a>`)
	assert.Contains(t, got.body, `class="text flow"`)
	lines := s.get(t, "/transcripts/video_site/dQw4w9WgXcQ?language=en&view=lines")
	assert.Contains(t, lines.body, `view=lines" aria-current="true">Lines</a>`)
	assert.Contains(t, lines.body, `class="text"`)
}

// A paragraph ends with a sentence once it is long, and joins lines as their script wants it.
func TestTranscriptParagraphsOfAnyScript(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	copied := func(lines ...string) string {
		text := transcript.Transcript{Platform: transcript.VideoSite, ExternalID: "dQw4w9WgXcQ", Lang: "und"}
		for n, line := range lines {
			text.Segments = append(text.Segments, transcript.Segment{Text: line, Start: float64(n), Duration: 1})
		}
		s.put(t, text)
		return s.get(t, "/transcripts/video_site/dQw4w9WgXcQ/download?format=paragraphs").body
	}
	long := strings.Repeat("word ", 110) + "end"
	for want, lines := range map[string][]string{
		"我们在北京见面。好的。":                                   {"我们在北", "京见面。", "好的。"},
		"我们 meet 北京":                                    {"我们", "meet", "北京"},
		long + ".\n\nNext.":                             {long + ".", "Next."},
		long + "!”\n\nNext.":                            {long + "!”", "Next."},
		long + "。\n\nNext.":                             {long + "。", "Next."},
		long + " goes on.\n\nNext.":                     {long, "goes on.", "Next."},
		"Short. Next.":                                  {"Short.", "Next."},
		strings.Repeat(long+" ", 2) + long + "\n\nover": {long, long, long, "over"},
	} {
		assert.Equal(t, want, copied(lines...))
	}
}
