// Package browsertest shows pages to a test as people see them: in a real chromium,
// without a window.
//
//	browser := browsertest.Start(t)
//	page := browser.Page(t, site.URL)
//	page.Open("/")
//	page.Type("textbox", "Link", "https://…")
//	page.Click("button", "Get the transcript")
//	page.See("heading", "The title")
//
// What is on a page is named as a screen reader names it: by role and accessible name.
// Each page has cookies of its own. A page fails its test when anything goes wrong in it
// that the test has not expected ([Page.Expect]): an uncaught exception, an error or a
// warning in the console, a request that failed, what the page's policy forbade, a
// dialog, or a question to a host that the test did not open.
//
// Nothing here waits for a time: what is not there yet is looked for until it is, or
// until [Patience] has passed, and then the test is told what the page shows instead.
package browsertest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// Patience is how long something on a page is waited for. It is generous: a busy machine
// takes its time, and only a test that fails waits to the end.
const Patience = time.Minute

// Browser is a running chromium. Safe for concurrent use.
type Browser struct {
	ctx context.Context
	end func()
}

// Start starts a browser that ends with the test. Where chromium is not installed the
// test is skipped, and fails with CI=true.
func Start(t testing.TB, options ...chromedp.ExecAllocatorOption) *Browser {
	t.Helper()
	if _, err := exec.LookPath("chromium"); err != nil && os.Getenv("CI") == "" { //nolint:forbidigo // read by tests only: whether a skip is allowed
		t.Skip("chromium is not installed")
	}
	b, err := New(options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

// New is Start outside of a test. The caller closes the browser.
func New(options ...chromedp.ExecAllocatorOption) (*Browser, error) {
	allocator, end := chromedp.NewExecAllocator(context.Background(), append(append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath("chromium"),
		chromedp.Flag("no-sandbox", true), // for root, and where there are no namespaces
		chromedp.Flag("force-color-profile", "srgb"),
		chromedp.Flag("lang", "en-US"),
		chromedp.DisableGPU,
		chromedp.WSURLReadTimeout(2*time.Minute), // the start of a browser on a busy machine
	), options...)...)
	ctx, closeTab := chromedp.NewContext(allocator)
	b := &Browser{ctx, func() { closeTab(); end() }}
	if err := chromedp.Do(ctx); err != nil {
		b.Close()
		return nil, fmt.Errorf("chromium: %w", err)
	}
	return b, nil
}

// Close ends the browser, and all of its pages.
func (b *Browser) Close() { b.end() }
