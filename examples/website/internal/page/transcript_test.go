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
	"github.com/transcriptkit/transcriptkit/server/servertest"
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
				map[string]any{"engine": "whisper-cli", "model": "base", "quality": "good; `transcriptd models pull small` installs a better recognizer", "language": "en"}, map[string]any{"engine": "other"},
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
}

func TestTranscriptDownloads(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	s.put(t, everything())
	for query, want := range map[string]struct{ media, name, begins string }{
		"format=txt&times=yes":              {"text/plain; charset=utf-8", "a-talk-b-of-b-the-sea.txt", "[00:00:00] Once <script>"},
		"format=srt&times=yes&speakers=yes": {"application/x-subrip; charset=utf-8", "a-talk-b-of-b-the-sea.srt", "1\n00:00:00,000 --> 00:00:02,480\nAda: Once"},
		"format=md&times=yes":               {"text/markdown; charset=utf-8", "a-talk-b-of-b-the-sea.md", "# "},
	} {
		got := s.get(t, "/transcripts/video_site/dQw4w9WgXcQ/download?language=en-GB&"+query)
		assert.Equal(t, http.StatusOK, got.status, query)
		assert.Equal(t, want.media, got.header.Get("Content-Type"), query)
		assert.Contains(t, got.header.Get("Content-Disposition"), "attachment; filename="+want.name, query)
		assert.True(t, strings.HasPrefix(got.body, want.begins), got.body)
	}
}

// Who asks for another language is led to the text, to the job that makes it, or is told
// what a language is.
func TestTranscriptInAnotherLanguage(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	s.Engine.SetTracks(servertest.Track{Lang: "en", Text: "hello"}, servertest.Track{Lang: "de", Text: "hallo"})
	s.Engine.SetMetadata(transcript.Metadata{Channel: "A channel", CreatorURL: "javascript:alert(1)"})
	first := s.post(t, "/transcripts", "links", "dQw4w9WgXcQ")
	require.Equal(t, http.StatusSeeOther, first.status)

	german := s.post(t, "/transcripts/video_site/dQw4w9WgXcQ", "language", " fr, de ")
	require.Equal(t, http.StatusSeeOther, german.status, german.body)
	for to := german.header.Get("Location"); ; {
		got := s.get(t, to)
		if got.status == http.StatusSeeOther { // a job that has ended
			to = got.header.Get("Location")
			continue
		}
		require.Equal(t, http.StatusOK, got.status, to)
		if strings.HasPrefix(to, "/transcripts/") {
			assert.Contains(t, got.body, "</a> <span>hallo</span></p>")
			assert.Contains(t, got.body, `lang="de"`)
			break
		}
	}
	both := s.get(t, "/transcripts/video_site/dQw4w9WgXcQ?language=en")
	assert.Contains(t, both.body, `<span dir="auto">A channel</span>`)
	assert.NotContains(t, both.body, "javascript:")
	assert.Contains(t, both.body, `?language=de">German</a>`)

	bad := s.post(t, "/transcripts/video_site/dQw4w9WgXcQ", "language", "no language!")
	assert.Equal(t, http.StatusBadRequest, bad.status)
	assert.Contains(t, bad.body, "That is not a language")
}

// What was done for somebody is told where the work has led them, and nobody else.
func TestTranscriptTellsWhetherItWasThere(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	s.put(t, everything())
	for as, want := range map[string]string{"new": "The text was made for you.", "cached": "The text existed already.", "": "The text existed already.", "stale": "may be out of date", "<b>": "The text existed already."} {
		got := s.get(t, "/transcripts/video_site/dQw4w9WgXcQ?as="+url.QueryEscape(as))
		assert.Contains(t, got.body, want, as)
	}
}

// A guest reads what they have made, and nothing of anybody else.
func TestTranscriptOfAGuest(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.Guest)
	s.put(t, everything())
	assert.NotEqual(t, http.StatusOK, s.get(t, "/transcripts/video_site/dQw4w9WgXcQ").status, "of a stranger")
	made := s.post(t, "/transcripts", "links", "9bZkp7q19f0")
	require.Equal(t, http.StatusSeeOther, made.status, made.body)
	assert.Equal(t, http.StatusNotFound, s.get(t, "/transcripts/video_site/dQw4w9WgXcQ").status, "of somebody else")
	assert.Equal(t, http.StatusNotFound, s.get(t, "/transcripts/video_site/dQw4w9WgXcQ/download?format=txt").status)
	for to := made.header.Get("Location"); ; {
		got := s.get(t, to)
		if got.status == http.StatusSeeOther {
			to = got.header.Get("Location")
			continue
		}
		require.Equal(t, http.StatusOK, got.status, to)
		if strings.HasPrefix(to, "/transcripts/") {
			assert.Contains(t, got.body, "hello world")
			assert.NotContains(t, got.body, "data-delete", "a guest has no library")
			break
		}
	}
	assert.Equal(t, "hello world", s.get(t, "/transcripts/video_site/9bZkp7q19f0/download?format=txt").body)
}

// What comes from outside may be of any kind.
func TestTranscriptOfAnyKind(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	line := func(text string) []transcript.Segment {
		return []transcript.Segment{{Text: text, Start: 43199.5, Duration: 1}}
	}
	for name, c := range map[string]struct {
		change func(*transcript.Transcript)
		want   []string
	}{
		"right to left": {func(tr *transcript.Transcript) { tr.Lang, tr.Segments = "he", line("NASA: היה היה פעם") }, []string{`lang="he" dir="rtl"`, `">11:59:59</a> <span>NASA: `}},
		"nobody knows":  {func(tr *transcript.Transcript) { tr.Lang = "und" }, []string{`id="text" lang="" dir="ltr"`}},
		"numbers alone": {func(tr *transcript.Transcript) { tr.Segments = line("1 2 3") }, []string{`dir="ltr"`}},
		"other metadata": {func(tr *transcript.Transcript) {
			tr.Metadata = map[string]any{"gaps": "none", "tried": 7, "recognizers": []any{1}, "lostCues": "two", "trackKind": 1}
		}, []string{"Entered by hand"}},
		"one long line": {func(tr *transcript.Transcript) { tr.Segments = line(strings.Repeat("long ", 100_000)) }, []string{"long long"}},
		"no times to link": {func(tr *transcript.Transcript) {
			tr.Platform, tr.ExternalID = transcript.MicroblogSite, "1234567890123456789"
		}, []string{`<a href="#t=1">0:01</a>`}},
		"an upload": {func(tr *transcript.Transcript) {
			tr.Platform, tr.ExternalID = transcript.Upload, strings.Repeat("0a", 16)
		}, []string{`<p id="t=1"><a href="#t=1">0:01</a> <span>one</span></p>`}},
		"gaps at the end": {func(tr *transcript.Transcript) {
			tr.Metadata = map[string]any{"gaps": []any{map[string]any{"start": 90, "duration": 60, "reason": "repetition"}}}
		}, []string{"one</span></p></div>\n<div class=\"gap\"", "1:30–2:30"}},
	} {
		tr := transcript.Transcript{Platform: transcript.VideoSite, ExternalID: "dQw4w9WgXcQ", Lang: "en", Segments: []transcript.Segment{{Text: "one", Start: 1}}}
		c.change(&tr)
		if _, err := s.PutTranscript(t.Context(), me, tr); !assert.NoError(t, err, name) {
			continue
		}
		got := s.get(t, "/transcripts/"+string(tr.Platform)+"/"+tr.ExternalID+"?language="+tr.Lang)
		assert.Equal(t, http.StatusOK, got.status, name)
		for _, want := range c.want {
			assert.Contains(t, got.body, want, name)
		}
	}
}
