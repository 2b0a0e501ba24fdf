package page_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
)

// wanting reads a page as a browser that prefers languages.
func (s *site) wanting(t *testing.T, path, languages string) answered {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.base+path, nil)
	require.NoError(t, err)
	req.Header.Set("Accept-Language", languages)
	return s.do(t, req)
}

// The browser's language is the language of the pages, until the visitor chooses one, which the
// browser remembers.
func TestLanguageIsTheVisitors(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.Guest)
	for wants, language := range map[string]string{
		"": "en", "de": "de", "de-AT,de;q=0.9,en;q=0.8": "de", "en-GB,de;q=0.9": "en", "fr": "en", "fr,de;q=0.5": "de", "en;q=0.1,de;q=0.9": "de",
		"de;q=0": "en", "*": "en", "no language": "en", strings.Repeat("de,", 5000): "de", "gsw": "de",
	} {
		got := s.wanting(t, "/", wants)
		assert.Contains(t, got.body, `<html lang="`+language+`" dir="ltr">`, "%.40s", wants)
		assert.Equal(t, language, got.header.Get("Content-Language"), "%.40s", wants)
		assert.Contains(t, strings.Join(got.header.Values("Vary"), ", "), "Accept-Language, Cookie", "%.40s", wants)
	}

	shown := s.wanting(t, "/sign-in?next=%2Flibrary", "en")
	assert.Contains(t, shown.body, `<button name="language" value="de" lang="de" class="quiet">Deutsch</button>`)
	assert.Contains(t, shown.body, `name="next" value="/sign-in?next=%2Flibrary"`)
	chosen := s.post(t, "/language", "language", "de", "next", "/sign-in?next=%2Flibrary")
	require.Equal(t, http.StatusSeeOther, chosen.status)
	assert.Equal(t, "/sign-in?next=%2Flibrary", chosen.header.Get("Location"))
	assert.Regexp(t, `^language=de; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax$`, chosen.header.Get("Set-Cookie"))
	assert.Contains(t, s.wanting(t, "/", "en").body, `<html lang="de"`)
	assert.Contains(t, s.wanting(t, "/nothing", "en").body, "Diese Seite gibt es nicht.")
	assert.Contains(t, s.wanting(t, "/", "de").body, `value="en" lang="en" class="quiet">English</button>`)
}

// A form of the choice leads to no other site, and knows the languages of the pages alone.
func TestLanguageLeadsNowhereElse(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.Guest)
	for _, next := range []string{"https://example.com/", "//example.com/", `/\example.com`, "javascript:alert(1)", "", "library"} {
		assert.Equal(t, "/", s.post(t, "/language", "language", "de", "next", next).header.Get("Location"), next)
	}
	for _, language := range []string{"", "fr", "DE", "de; Path=/x", "../en"} {
		got := s.post(t, "/language", "language", language, "next", "/")
		assert.Equal(t, http.StatusNotFound, got.status, language)
		assert.Empty(t, got.header.Get("Set-Cookie"), language)
	}
}

// Numbers, days, sizes, plurals and the names of languages are those of the language.
func TestLanguageOfNumbers(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	s.put(t, everything())
	s.save(t, "aaaaaaaaa01", "Eine Rede", "de", strings.Repeat("wort ", 1234))
	page := "/transcripts/video_site/dQw4w9WgXcQ?language=en-GB"
	german := s.wanting(t, page, "de").body
	for _, want := range []string{"Britisches Englisch", ">04.03.2026</time>", "2 Untertitel waren nicht lesbar.", "Niemand spricht", `lang="de"><bdi><span class="time">0:20`} {
		assert.Contains(t, german, want)
	}
	assert.Contains(t, s.wanting(t, page, "en").body, ">Mar 4, 2026</time>")
	assert.Contains(t, s.wanting(t, "/library", "de").body, "1.234 Wörter")
	assert.Contains(t, s.wanting(t, "/", "de").body, `<option value="fr">Französisch</option>`)
}

// quotedPlaceholder is the place of a value in a text that is quoted for a pattern.
var quotedPlaceholder = regexp.MustCompile(`\\\{\w+\\\}`)

// Every page in German has no text of the English catalog.
func TestPagesAreWhollyInTheirLanguage(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	s.put(t, everything())
	s.save(t, "aaaaaaaaa01", "Eine Rede", "de", "eins zwei")
	english, german := readTexts(t, "en"), readTexts(t, "de")
	pages := map[string]string{}
	for _, path := range []string{
		"/", "/library", "/library?view=history", "/library?in=said&q=time", "/library?in=said&q=nothing", "/library?q=nothing", "/library/import", "/library?page=7",
		"/transcripts/video_site/dQw4w9WgXcQ?language=en-GB", "/transcripts/video_site/dQw4w9WgXcQ?language=en-GB&view=paragraphs", "/transcripts/video_site/dQw4w9WgXcQ?language=en-GB&as=stale",
		"/transcripts/video_site/dQw4w9WgXcQ/edit?language=en-GB", "/transcripts/video_site/dQw4w9WgXcQ/history?language=en-GB",
		"/transcripts/video_site/dQw4w9WgXcQ/share?language=en-GB", "/transcripts/video_site/dQw4w9WgXcQ/import?language=en-GB", "/anywhere",
		"/batches", "/follows", "/webhooks", "/usage", "/feed", "/keys", "/discover", "/discover?q=talk", "/nothing", "/jobs/nothing", "/shared/nothing",
	} {
		pages[path] = s.wanting(t, path, "de").body
	}
	batch := s.makeBatch(t, "from", "batch", "links", "dQw4w9WgXcQ\nhttps://example.com/no")
	s.ended(t, batch)
	pages[batch] = s.wanting(t, batch, "de").body
	release := s.Engine.Hold()
	defer release()
	job := s.begin(t, talk("talk.wav"), "")
	pages[job] = s.wanting(t, job, "de").body
	hook, _ := s.makeWebhook(t, "https://example.com/hook")
	pages[hook] = s.wanting(t, hook, "de").body
	guests := newSite(t, visitor.Guest)
	for _, path := range []string{"/", "/sign-in", "/sign-up"} {
		pages["guest "+path] = guests.wanting(t, path, "de").body
	}

	same := map[string]bool{}
	for _, forms := range german {
		for _, form := range forms {
			same[form] = true
		}
	}
	var foreign []string
	for _, forms := range english {
		for _, form := range forms {
			if words := placeholder.ReplaceAllString(form, ""); !same[form] && regexp.MustCompile(`\pL{2}`).MatchString(words) {
				foreign = append(foreign, `(?:`+quotedPlaceholder.ReplaceAllString(regexp.QuoteMeta(form), ".*")+`)`)
			}
		}
	}
	require.Greater(t, len(foreign), 500)
	left := regexp.MustCompile(`^(?:` + strings.Join(foreign, "|") + `)$`)
	for path, page := range pages {
		require.Contains(t, page, `<html lang="de"`, path)
		for _, text := range visible(t, page) {
			assert.NotRegexp(t, left, text, path)
		}
	}
}

// Each language has all texts, with the same values in each and with the forms that the language
// needs for numbers. The list names what is missing.
func TestLanguagesHaveAllTexts(t *testing.T) {
	t.Parallel()
	english, german := readTexts(t, "en"), readTexts(t, "de")
	var missing, extra []string
	for key, forms := range english {
		if _, ok := german[key]; !ok {
			missing = append(missing, key)
			continue
		}
		assert.Len(t, german[key], len(forms), "%s: a text for numbers has the forms one and other in both languages", key)
		assert.Equal(t, placeholdersIn(forms), placeholdersIn(german[key]), key)
	}
	for key := range german {
		if _, ok := english[key]; !ok {
			extra = append(extra, key)
		}
	}
	slices.Sort(missing)
	slices.Sort(extra)
	assert.Empty(t, missing, "strings/de.json lacks these texts")
	assert.Empty(t, extra, "strings/en.json lacks these texts")
	for _, all := range []texts{english, german} {
		assert.Contains(t, [][]string{{"ltr"}, {"rtl"}}, all["site.direction"])
		for layout, precise := range map[string]time.Duration{"date.moment": time.Minute, "date.day": 24 * time.Hour} {
			at, err := time.Parse(all[layout][0], noon.Format(all[layout][0]))
			require.NoError(t, err, layout)
			assert.Equal(t, noon.Truncate(precise), at, layout)
		}
	}
}

// placeholdersIn returns the places of values in the forms of a text.
func placeholdersIn(forms []string) []string {
	found := placeholder.FindAllString(strings.Join(forms, " "), -1)
	slices.Sort(found)
	return slices.Compact(found)
}
