package page_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
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

func TestFeedOfAPlanWithoutKeys(t *testing.T) {
	t.Parallel()
	free := account.Plan{Name: "free", ActionLabel: "Choose a plan", ActionURL: "https://example.com/plans"}
	s := newSite(t, visitor.User, servertest.OnPlan(account.WithoutLimits("paid"), free))
	_, err := s.Accounts.Set(t.Context(), onlyUser, account.Settings{Plan: "free"})
	require.NoError(t, err)
	refused := s.post(t, "/feed", "before", "")
	assert.Equal(t, http.StatusPaymentRequired, refused.status)
	assert.Contains(t, refused.body, `href="https://example.com/plans"`)
}

func TestFeedIsForThoseWhoSignIn(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.Guest)
	for _, got := range []answered{s.get(t, "/feed"), s.post(t, "/feed", "before", ""), s.post(t, "/feed/delete")} {
		assert.Equal(t, http.StatusSeeOther, got.status)
		assert.True(t, strings.HasPrefix(got.header.Get("Location"), "/sign-in"))
	}
}
