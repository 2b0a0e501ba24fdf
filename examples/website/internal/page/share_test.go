package page_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
)

const sharePath = "/transcripts/video_site/dQw4w9WgXcQ/share?language=en"

var (
	linkShown = regexp.MustCompile(`/shared/[0-9A-Za-z_-]{43}`)
	linkEnd   = regexp.MustCompile(`action="([^"]*/end[^"]*)"`)
)

// A link is shown once, is listed with its end, and shows the text until it is ended, all by forms.
func TestLinkIsMadeListedAndEnded(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	s.save(t, "dQw4w9WgXcQ", "A <talk>", "en", "hello world")
	assert.Contains(t, s.get(t, "/transcripts/video_site/dQw4w9WgXcQ?language=en").body, `href="`+sharePath+`"`)
	none := s.get(t, sharePath)
	require.Equal(t, http.StatusOK, none.status, none.body)
	assert.Contains(t, none.body, "No link shows this text.")
	assert.Contains(t, none.body, "A &lt;talk&gt;")

	made := s.post(t, sharePath, "before", before(t, none.body), "days", "7")
	require.Equal(t, http.StatusCreated, made.status, made.body)
	assert.Equal(t, "no-store", made.header.Get("Cache-Control"))
	assert.Contains(t, made.body, "The link works for 7 days:")
	link := linkShown.FindString(made.body)
	require.NotEmpty(t, link)
	assert.Contains(t, made.body, s.base+link, "the address names the site")
	stranger := &site{base: s.base, browser: http.DefaultClient}
	assert.Contains(t, stranger.get(t, link).body, "hello world")

	again := s.post(t, sharePath, "before", before(t, none.body), "days", "7") // a reload
	assert.Equal(t, http.StatusConflict, again.status)
	for _, later := range []answered{again, s.get(t, sharePath)} {
		assert.Equal(t, 1, strings.Count(later.body, "/end?language=en"), "one link")
		assert.NotRegexp(t, linkShown, later.body)
	}

	end := linkEnd.FindStringSubmatch(again.body)
	require.NotNil(t, end)
	for range 2 { // the second time there is no such link
		ended := s.post(t, end[1])
		require.Equal(t, http.StatusSeeOther, ended.status, ended.body)
		assert.Contains(t, s.get(t, ended.header.Get("Location")).body, "The link has ended.")
	}
	gone := stranger.get(t, link)
	assert.Equal(t, http.StatusNotFound, gone.status)
	assert.Contains(t, gone.body, "This link shows no text any more")
}

// The page says why there is no further link, and a foreign form makes none.
func TestLinkIsRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	s.save(t, "dQw4w9WgXcQ", "A talk", "en", "hello world")
	page := s.get(t, sharePath).body
	for range 20 {
		page = s.post(t, sharePath, "before", before(t, page), "days", "-3").body
	}
	assert.Equal(t, 20, strings.Count(page, "/end?language=en"))
	full := s.post(t, sharePath, "before", before(t, page))
	assert.Equal(t, http.StatusConflict, full.status)
	assert.Contains(t, full.body, "There are as many links as there may be.")
	assert.Equal(t, http.StatusNotFound, s.get(t, "/transcripts/video_site/nothing0000/share").status)
	assert.Equal(t, http.StatusNotFound, s.post(t, "/transcripts/video_site/nothing0000/share", "before", "").status)
}
