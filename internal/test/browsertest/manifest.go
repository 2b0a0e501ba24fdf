package browsertest

import (
	"context"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// Installable returns the reasons why a browser would not install the page's site as a program,
// and the content of the site's manifest. A private window never installs a site. The tabs of
// tests are private windows, so Installable ignores this reason.
func (p *Page) Installable() (reasons []string, manifest string) {
	p.t.Helper()
	p.call(func(ctx context.Context, t *chromedp.Target) error {
		found, err := cdp.Call(ctx, t, page.GetAppManifest, page.GetAppManifestParams{})
		if err != nil {
			return err
		}
		manifest = found.Data
		for _, fault := range found.Errors {
			reasons = append(reasons, fault.Message)
		}
		faults, err := cdp.Call(ctx, t, page.GetInstallabilityErrors, cdp.Empty{})
		if err != nil {
			return err
		}
		for _, fault := range faults.InstallabilityErrors {
			if fault.ErrorID != "in-incognito" {
				reasons = append(reasons, fault.ErrorID)
			}
		}
		return nil
	})
	return reasons, manifest
}
