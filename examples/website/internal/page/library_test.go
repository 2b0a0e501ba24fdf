package page_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// save puts a text into the library of a site's one user, with a segment for each line,
// ten seconds apart.
func (s *site) save(t *testing.T, id, title, lang string, lines ...string) {
	t.Helper()
	text := transcript.Transcript{Platform: transcript.VideoSite, ExternalID: id, Lang: lang, Title: &title}
	for n, line := range lines {
		text.Segments = append(text.Segments, transcript.Segment{Text: line, Start: float64(10 * n), Duration: 10})
	}
	_, err := s.PutTranscript(t.Context(), "me", text)
	require.NoError(t, err)
}

const hostile = `"><img src=x onerror=alert(1)></title><script>alert(1)</script>{{.}}`

func TestLibraryPagesAndFilters(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	empty := s.get(t, "/library")
	assert.Contains(t, empty.body, "Your library is empty")

	for n := range 50 {
		s.save(t, fmt.Sprintf("aaaaaaaaa%02d", n), fmt.Sprintf("Talk %02d", n), []string{"en", "de"}[n%2], "hello")
	}
	s.save(t, "bbbbbbbbbbb", hostile, "ar", "مرحبا")

	for path, want := range map[string][]string{
		"/library":                               {"1–24 of 51", "Page 1 of 3", "page=2", "page=3", "Arabic"},
		"/library?page=2":                        {"25–48 of 51", `rel="prev" href="/library"`, `rel="next" href="/library?page=3"`},
		"/library?page=3":                        {"49–51 of 51", "Talk 00"},
		"/library?page=9":                        {"There is no page 9: there are 3.", `href="/library?page=3"`},
		"/library?page=nine":                     {"1–24 of 51"},
		"/library?lang=de&sort=title":            {"1–24 of 25", "Talk 01", `<option value="de" selected>German`, "lang=de&amp;page=2&amp;sort=title"},
		"/library?view=starred":                  {"Nothing in your library matches."},
		"/library?q=talk+07":                     {"1–1 of 1", `value="talk 07"`, "/transcripts/video_site/aaaaaaaaa07?language=de"},
		"/library?q=%3Cscript%3E":                {"1–1 of 1", "&lt;script&gt;"},
		"/library?q=%3Cb%3Enobody":               {"Nothing in your library matches.", "&lt;b&gt;nobody", "Write words, or a phrase in quotes."},
		"/library?platform=batch":                {"Nothing in your library matches."},
		"/library?q=" + strings.Repeat("a", 200): {"Nothing in your library matches."},
	} {
		got := s.get(t, path)
		assert.Equal(t, http.StatusOK, got.status, path)
		for _, w := range want {
			assert.Contains(t, got.body, w, path)
		}
		assert.NotContains(t, got.body, "<script>alert", path)
		assert.NotContains(t, got.body, "<img src=x", path)
	}
	for _, path := range []string{"/library?view=none", "/library?sort=none", "/library?q=" + strings.Repeat("a", 201), "/library?in=said&q=a&from=none"} {
		got := s.get(t, path)
		assert.Equal(t, http.StatusBadRequest, got.status, path)
		assert.Contains(t, got.body, `role="alert"`, path)
		assert.Contains(t, got.body, `<form class="filters`, path)
	}
}

func TestLibrarySearchesInWhatWasSaid(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	s.save(t, "aaaaaaaaaaa", "One", "en", "The <b>cat</b> sat", "on the “mat”", "and the cat slept")
	s.save(t, "bbbbbbbbbbb", "Two", "zh", "我在北京住", "北京很大")
	s.save(t, "ccccccccccc", "Three", "ar", "مرحبا بكم في الدرس")
	many := make([]string, 30)
	for n := range many {
		many[n] = fmt.Sprintf("again and again %d", n)
	}
	s.save(t, "ddddddddddd", "Four", "en", many...)

	for q, want := range map[string][]string{
		"cat":                    {"/transcripts/video_site/aaaaaaaaaaa?language=en#t=0", "#t=20", "&lt;b&gt;<mark>cat</mark>&lt;/b&gt;", "said in 2 places"},
		`"the cat"`:              {"#t=20", "<mark>the cat</mark>"},
		"北京":                     {"bbbbbbbbbbb?language=zh#t=0", "<mark>北京</mark>"},
		"الدرس":                  {"<mark>الدرس</mark>"},
		"ag*":                    {"said in 30 places", "25 more places in this text", "#t=40"},
		"a":                      {"Nothing in your library says"},
		`"`:                      {"Nothing in your library says"},
		"(":                      {"Nothing in your library says"},
		"cat AND nobody":         {"Nothing in your library says", "cat AND nobody"},
		strings.Repeat("x", 200): {"Nothing in your library says"},
		"":                       {"Write words, or a phrase in quotes."},
	} {
		got := s.get(t, "/library?in=said&q="+url.QueryEscape(q))
		assert.Equal(t, http.StatusOK, got.status, q)
		for _, w := range want {
			assert.Contains(t, got.body, w, q)
		}
		assert.NotContains(t, got.body, "<b>cat", q)
	}
	both := s.get(t, "/library?q=two").body
	assert.Contains(t, both, "1–1 of 1")
	assert.NotContains(t, both, "<h2>What was said</h2>")
	both = s.get(t, "/library?q=cat").body
	assert.Contains(t, both, "<h2>What was said</h2>")
	assert.Contains(t, both, "<mark>cat</mark>")
	assert.NotContains(t, both, "Nothing in your library")
	assert.NotContains(t, s.get(t, "/library?q=cat&tag=x").body, "<mark>", "tags are of titles")
	narrow := s.get(t, "/library?in=said&q=cat&lang=zh")
	assert.Contains(t, narrow.body, "Nothing in your library says")
}

// A form gives a title and tags. The title that the service knows stays unless it is changed.
func TestLibraryRowsHaveTitlesAndTags(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	s.save(t, "aaaaaaaaaaa", "One", "en", "hello")
	s.save(t, "bbbbbbbbbbb", "Two", "en", "hello")
	const label = "/library/transcripts/video_site/aaaaaaaaaaa/label?language=en"
	sent := s.post(t, label, "title", "One", "was", "One", "tags", " war, <b>1863 ,,", "next", "/library?q=one")
	require.Equal(t, http.StatusSeeOther, sent.status, sent.body)
	assert.Equal(t, "/library?q=one", sent.header.Get("Location"))
	listed := s.get(t, "/library?tag=war&tag=%3Cb%3E1863").body
	for _, want := range []string{
		"1–1 of 1", `value="One"`, `value="war, &lt;b&gt;1863"`, `name="tag" value="war"`, // the filters stay with the next search
		`href="/library?tag=war"><bdi>&lt;b&gt;1863</bdi>`, `href="/library?tag=%3Cb%3E1863&amp;tag=war" dir="auto">war`,
	} {
		assert.Contains(t, listed, want)
	}
	assert.Contains(t, s.get(t, "/").body, `href="/library?tag=war" dir="auto">war`)

	require.Equal(t, http.StatusSeeOther, s.post(t, label, "title", "Renamed", "was", "One", "tags", "").status)
	listed = s.get(t, "/").body
	assert.Contains(t, listed, `dir="auto">Renamed</a>`)
	assert.NotContains(t, listed, `class="tag"`)
	require.Equal(t, http.StatusSeeOther, s.post(t, label, "title", "", "was", "Renamed", "tags", "").status)
	assert.Contains(t, s.get(t, "/").body, `dir="auto">One</a>`)
	assert.Equal(t, http.StatusUnprocessableEntity, s.post(t, label, "title", "One", "was", "One", "tags", strings.Repeat("a", 51)).status)
}
