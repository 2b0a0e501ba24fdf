package page_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
)

// The address of the feed is on the page that made it, and on no other: not after a reload, and
// not after the way back.
func TestBrowserShowsAFeedAddressOnce(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User)
	page := s.open(t)
	page.Open("/feed")
	assert.Empty(t, page.Barriers())
	page.Click("button", "Make an address")
	page.See("button", "Copy")
	address := page.Text("#secret")
	require.Regexp(t, addressShown, address)
	page.WaitAt(`^/feed$`)
	assert.Empty(t, page.Barriers())
	reader := &site{base: s.URL, browser: http.DefaultClient}
	assert.Equal(t, http.StatusOK, reader.get(t, addressShown.FindString(address)).status)

	page.Open("/usage")
	browsertest.Eval[bool](page, `(() => { history.back(); return true; })()`)
	page.WaitAt(`^/feed$`)
	page.See("button", "Make a new address")
	assert.NotContains(t, page.Text("main"), address)
	page.Reload()
	page.See("button", "Make a new address")
	assert.NotContains(t, page.Text("main"), address)
	assert.Equal(t, http.StatusOK, reader.get(t, addressShown.FindString(address)).status, "nothing was sent twice")
}
