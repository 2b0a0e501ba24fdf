package browsertest

import (
	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
)

// Notifications permits the page's site to show notifications, or forbids it, as if the visitor
// had answered the browser's question.
func (p *Page) Notifications(permit bool) {
	p.t.Helper()
	setting := browser.PermissionSettingDenied
	if permit {
		setting = browser.PermissionSettingGranted
	}
	if _, err := chromedp.CallBrowser(p.ctx, browser.SetPermission, browser.SetPermissionParams{
		Permission: &browser.PermissionDescriptor{Name: "notifications"}, Setting: setting,
		Origin: p.base, BrowserContextID: chromedp.FromContext(p.ctx).BrowserContextID,
	}); err != nil {
		p.t.Fatal(err)
	}
}
