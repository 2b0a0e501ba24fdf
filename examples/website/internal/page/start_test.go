package page_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
)

// read sends the form of the first page, and returns the page of the text.
func (s *site) read(t *testing.T, fields ...string) answered {
	t.Helper()
	at := s.post(t, "/transcripts", fields...)
	for at.status == http.StatusSeeOther {
		to := at.header.Get("Location")
		if path, _, _ := strings.Cut(to, "?"); strings.HasPrefix(path, "/jobs/") {
			s.end(t, path)
		}
		at = s.get(t, to)
	}
	require.Equal(t, http.StatusOK, at.status, at.body)
	return at
}

func TestStartLeadsToTheText(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	start := s.get(t, "/")
	require.Equal(t, http.StatusOK, start.status)
	assert.Contains(t, start.body, example)
	assert.Contains(t, start.body, `id="files" type="file"`)

	assert.Contains(t, s.read(t, "links", " dQw4w9WgXcQ ").body, "hello world")

	start = s.get(t, "/")
	assert.Contains(t, start.body, `<a href="/transcripts/video_site/dQw4w9WgXcQ?language=en"`)

	require.Equal(t, http.StatusSeeOther, s.post(t, "/transcripts", "links", "dQw4w9WgXcQ aaaaaaaaa01").status)
	assert.Contains(t, s.get(t, "/").body, "Batch of 2 items")
}

// One field takes a link, many of them, a playlist or a channel.
func TestPastedDecidesWhatIsMade(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	s.Engine.SetList("PLrAXtmErZgOeiKm4sgNOkn", "dQw4w9WgXcQ")
	s.Engine.SetList("@talks", "dQw4w9WgXcQ")
	for name, c := range map[string]struct{ pasted, to string }{
		"a link":                       {"https://youtu.be/dQw4w9WgXcQ", "^/(transcripts|jobs)/"},
		"an id in quotes":              {`"dQw4w9WgXcQ",`, "^/(transcripts|jobs)/"},
		"a recording within a list":    {"https://www.youtube.com/watch?v=dQw4w9WgXcQ&list=PLrAXtmErZgOeiKm4sgNOkn", "^/(transcripts|jobs)/"},
		"a link with a comma in it":    {"https://www.youtube.com/watch?v=dQw4w9WgXcQ&pp=a,b", "^/(transcripts|jobs)/"},
		"lines":                        {"dQw4w9WgXcQ\r\nhttps://youtu.be/9bZkp7q19f0\r\n", "^/batches/"},
		"commas":                       {"dQw4w9WgXcQ,9bZkp7q19f0", "^/batches/"},
		"spaces, and one is not known": {"dQw4w9WgXcQ https://elsewhere.example/x", "^/batches/"},
		"a link in prose":              {"See this (https://youtu.be/dQw4w9WgXcQ), an interesting talk.", "^/(transcripts|jobs)/"},
		"a link without a scheme":      {"from youtu.be/dQw4w9WgXcQ today!", "^/(transcripts|jobs)/"},
		"in the form of Markdown":      {"[talk](https://youtu.be/dQw4w9WgXcQ).", "^/(transcripts|jobs)/"},
		"two links, a comma between":   {"https://youtu.be/dQw4w9WgXcQ,http://youtu.be/9bZkp7q19f0", "^/batches/"},
		"and among words":              {"See https://youtu.be/dQw4w9WgXcQ,https://youtu.be/9bZkp7q19f0", "^/batches/"},
		"two links in prose":           {"First https://youtu.be/dQw4w9WgXcQ, then\nhttps://youtu.be/9bZkp7q19f0.", "^/batches/"},
		"a playlist":                   {"https://www.youtube.com/playlist?list=PLrAXtmErZgOeiKm4sgNOkn", "^/batches/"},
		"a playlist's id":              {"PLrAXtmErZgOeiKm4sgNOkn", "^/batches/"},
		"a channel":                    {"@talks", "^/batches/"},
		"a channel's link":             {"https://www.youtube.com/@talks/videos", "^/batches/"},
	} {
		sent := s.post(t, "/transcripts", "links", c.pasted)
		assert.Equal(t, http.StatusSeeOther, sent.status, name)
		assert.Regexp(t, c.to, sent.header.Get("Location"), name)
		if name == "two links in prose" {
			assert.Contains(t, s.get(t, sent.header.Get("Location")).body, "2 links")
		}
	}
}

// What is wrong is said at its field, with a way on, and what was typed is kept.
func TestFormKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	for name, c := range map[string]struct {
		fields       []string
		status       int
		field, wants string
	}{
		"nothing":         {[]string{"links", " \r\n"}, 422, "links", "Paste a link first."},
		"words":           {[]string{"links", "cooking <pasta>"}, 422, "links", "/discover?q=cooking&#43;%3Cpasta%3E"},
		"words and an id": {[]string{"links", "dQw4w9WgXcQ something"}, 422, "links", "This is not a link: “something”."},
		"no known site":   {[]string{"links", "https://elsewhere.example/<x>"}, 422, "links", "upload it as a file"},
		"two lists":       {[]string{"links", "@talks @others"}, 422, "links", "paste only that link"},
		"a bad language":  {[]string{"links", "dQw4w9WgXcQ", "language", "de,,en"}, 422, "language", "entry 2 is empty"},
	} {
		sent := s.post(t, "/transcripts", c.fields...)
		assert.Equal(t, c.status, sent.status, name)
		assert.Contains(t, sent.body, c.wants, name)
		assert.Regexp(t, `id="`+c.field+`"[^>]* aria-invalid="true" aria-describedby="trouble [a-zA-Z]+" autofocus`, sent.body, name)
		assert.Equal(t, 1, strings.Count(sent.body, `id="trouble"`), name)
		for n := 1; n < len(c.fields); n += 2 {
			assert.Contains(t, sent.body, strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(c.fields[n]), name)
		}
	}
	huge := s.post(t, "/transcripts", "links", strings.Repeat("dQw4w9WgXcQ ", 1<<20))
	assert.Equal(t, http.StatusBadRequest, huge.status)
	assert.Contains(t, huge.body, "Paste fewer links")
}

func TestLanguagesAreAskedFor(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	s.Engine.SetTracks(servertest.Track{Lang: "en", Text: "hello"}, servertest.Track{Lang: "de", Text: "guten Tag"})
	for name, c := range map[string]struct {
		fields []string
		says   string
	}{
		"nothing said":   {nil, "hello"},
		"chosen":         {[]string{"tag", "de"}, "guten Tag"},
		"a list":         {[]string{"tag", "en", "language", "fr, de"}, "guten Tag"},
		"the speech":     {[]string{"recognize", "1"}, "hello world"},
		"the speech, en": {[]string{"recognize", "1", "tag", "en"}, "hello world"},
	} {
		assert.Contains(t, s.read(t, append([]string{"links", "dQw4w9WgXcQ"}, c.fields...)...).body, c.says, name)
	}
}

// The languages that there are instead are buttons that ask for them.
func TestOtherLanguagesAreOffered(t *testing.T) {
	t.Parallel()
	plan := account.WithoutLimits("reading")
	plan.ASR = false
	s := newSite(t, visitor.User, servertest.OnPlan(plan))
	s.Engine.SetTracks(servertest.Track{Lang: "de", Text: "guten Tag"})
	sent := s.post(t, "/transcripts", "links", "dQw4w9WgXcQ", "tag", "fr")
	require.Equal(t, http.StatusNotFound, sent.status)
	assert.Contains(t, sent.body, `<button name="language" value="de"><bdi>German</bdi></button>`)
	assert.NotContains(t, sent.body, `type="file"`) // files need recognition
	sent = s.post(t, "/transcripts", "links", "dQw4w9WgXcQ", "language", "de")
	require.Equal(t, http.StatusSeeOther, sent.status)
}

func TestGuestsAreToldWhatTakesAnAccount(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.Guest)
	start := s.get(t, "/")
	assert.NotContains(t, start.body, `type="file"`)
	for _, pasted := range []string{"dQw4w9WgXcQ 9bZkp7q19f0", "PLrAXtmErZgOeiKm4sgNOkn"} {
		sent := s.post(t, "/transcripts", "links", pasted)
		assert.Equal(t, http.StatusUnauthorized, sent.status)
		assert.Contains(t, sent.body, ">"+pasted+"</textarea>")
		assert.Contains(t, sent.body, "need an account")
		assert.Contains(t, sent.body, `href="/sign-in?next=`+url.QueryEscape("/?"+url.Values{"links": {pasted}}.Encode()))
	}
	for n := range guestLinks {
		sent := s.post(t, "/transcripts", "links", fmt.Sprintf("dQw4w9WgXc%d", n))
		require.Equal(t, http.StatusSeeOther, sent.status, sent.body)
	}
	sent := s.post(t, "/transcripts", "links", "dQw4w9WgXc9")
	assert.Equal(t, http.StatusPaymentRequired, sent.status)
	assert.Contains(t, sent.body, "midnight UTC")
	assert.Contains(t, sent.body, `href="/sign-in?next=`)
	assert.Regexp(t, `data-wait="\d+">Try again in \d+ (seconds|minutes|hours?)`, sent.body)
	assert.NotEmpty(t, sent.header.Get("Retry-After"))
}

// However many commas, spaces and letters a form has, nobody holds a processor with it.
func TestPastedIsLookedAtInLittleTime(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.Guest)
	for name, text := range map[string]string{
		"commas": strings.Repeat(",a", 1<<20), "spaces": strings.Repeat(" a", 1<<20), "links": strings.Repeat("dQw4w9WgXcQ\n", 1<<16),
		"few, and long": strings.Repeat(strings.Repeat("a", 1<<14)+",", 100),
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.base+"/transcripts", strings.NewReader(url.Values{"links": {text}}.Encode()))
		require.NoError(t, err)
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		res, err := s.browser.Do(req)
		require.NoError(t, err, name)
		assert.Equal(t, http.StatusUnprocessableEntity, res.StatusCode, name)
		require.NoError(t, res.Body.Close())
	}
}
