package page_test

import (
	"net/http"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
)

var addressShown = regexp.MustCompile(`/v1/feeds/([0-9A-Za-z_-]{43})`)

// before is the hidden field of the form on a page of the feed.
func before(t *testing.T, page string) string {
	t.Helper()
	found := regexp.MustCompile(`name="before" value="([^"]*)"`).FindStringSubmatch(page)
	require.NotNil(t, found)
	return found[1]
}

func TestFeedAddressIsShownOnceAndWorks(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	s.save(t, "dQw4w9WgXcQ", "A talk", "en", "hello world")
	none := s.get(t, "/feed").body
	assert.Contains(t, none, "no address yet")
	made := s.post(t, "/feed", "before", before(t, none))
	require.Equal(t, http.StatusCreated, made.status, made.body)
	assert.Equal(t, "no-store", made.header.Get("Cache-Control"))
	address := addressShown.FindString(made.body)
	require.NotEmpty(t, address)
	assert.Contains(t, made.body, s.base+address, "the address names the site")
	read := func(address string) answered {
		s := &site{base: s.URL, browser: http.DefaultClient} // a program without cookies
		return s.get(t, address)
	}
	assert.Contains(t, read(address).body, "hello world")

	again := s.post(t, "/feed", "before", before(t, none)) // a reload
	assert.Equal(t, http.StatusConflict, again.status)
	for _, later := range []answered{again, s.get(t, "/feed")} {
		assert.Contains(t, later.body, "has had an address since")
		assert.NotRegexp(t, addressShown, later.body)
	}
	assert.Equal(t, http.StatusOK, read(address).status, "nothing has changed")

	renewed := s.post(t, "/feed", "before", before(t, again.body))
	require.Equal(t, http.StatusCreated, renewed.status)
	second := addressShown.FindString(renewed.body)
	assert.NotEqual(t, address, second)
	assert.Equal(t, http.StatusNotFound, read(address).status)
	require.Equal(t, http.StatusOK, read(second).status)

	deleted := s.post(t, "/feed/delete")
	require.Equal(t, http.StatusSeeOther, deleted.status)
	assert.Contains(t, s.get(t, deleted.header.Get("Location")).body, "The address has ended.")
	assert.Equal(t, http.StatusNotFound, read(second).status)
}
