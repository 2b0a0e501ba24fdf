package page_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/library/webhook"
)

// People make a webhook, copy its secret, send a test, see why one has failed, and send it
// again.
func TestBrowserWebhooks(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s, h := newHooked(t)
	page := s.open(t)
	page.Open("/webhooks")
	assert.Empty(t, page.Barriers())
	page.Type("textbox", "Address", h.url)
	page.Click("button", "Create webhook")
	page.See("button", "Copy")
	secret := page.Text("#secret")
	page.WaitAt(`^/webhooks$`)
	assert.Empty(t, page.Barriers())
	page.Reload()
	page.See("heading", "Your webhooks")
	assert.NotContains(t, page.Text("main"), secret)

	page.Click("link", h.url)
	page.WaitAt(`^/webhooks/[0-9a-f-]+$`)
	page.Click("button", "Send a test")
	page.WaitAt(`tested=1$`) // the page before it may show the test at the creation as delivered
	assert.Equal(t, webhook.Test, h.next(t, secret).Type)
	page.WaitText("#deliveries", "Delivered") // without a reload
	assert.Empty(t, page.Barriers())

	h.status.Store(http.StatusGone)
	page.Click("button", "Send a test")
	h.next(t, secret)
	page.WaitText("#deliveries", "Failed")
	page.Reload()
	h.status.Store(http.StatusOK)
	page.Click("button", "Continue")
	page.Click("link", "Failed")
	page.WaitAt(`status=failed$`)
	assert.Empty(t, page.Barriers())
	page.Click("button", "Send all that failed again")
	h.next(t, secret)
	page.WaitText("#deliveries", "Delivered")
}
