package page_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// People follow a feed, look at its items, pause it and remove it.
func TestBrowserFollows(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s, publisher := newFollowing(t)
	page := s.open(t)
	page.Open("/follows")
	assert.Empty(t, page.Barriers())
	page.Type("textbox", "Link", publisher+"/ann")
	page.Click("button", "Follow")
	page.WaitAt(`^/follows/[0-9a-f-]+$`)
	page.See("button", "Pause")
	assert.Empty(t, page.Barriers())
	page.Click("button", "Pause")
	page.See("button", "Continue")
	assert.Contains(t, page.Text("main"), "Paused")
	page.Click("button", "Continue")
	page.See("button", "Pause")
	page.Open("/follows")
	assert.Empty(t, page.Barriers())
}
