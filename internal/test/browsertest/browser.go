// Package browsertest lets tests use pages as people do: in a real chromium without a window.
//
//	browser := browsertest.Start(t)
//	page := browser.Page(t, site.URL)
//	page.Open("/")
//	page.Type("textbox", "Link", "https://…")
//	page.Click("button", "Get the transcript")
//	page.See("heading", "The title")
//
// A role and an accessible name identify each element, as in a screen reader. Each page has
// cookies of its own. A page fails its test on any unexpected fault ([Page.Expect]): an
// uncaught exception, an error or a warning in the console, a failed request, a violation of
// the page's policy, a dialog, or a request to a host that the test did not open.
//
// No method waits for a fixed time. A method looks for an element until it appears, or until
// [Patience] has passed; then the test's failure shows the content of the page.
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

// Patience limits the wait for something on a page. It is generous, because a busy machine is
// slow and only a failing test waits to the end.
const Patience = time.Minute

// Browser is a running chromium. It is safe for concurrent use.
type Browser struct {
	ctx context.Context
	end func()
}

const (
	whole = "chromium"
	// shell is chromium without its own windows and menus. It shows pages as chromium does, and
	// takes half as much of a processor. Only Debian has it under this name.
	shell = "chromium-headless-shell"
)

// program is the shell if it is installed, otherwise the whole chromium.
func program() string {
	if _, err := exec.LookPath(shell); err != nil {
		return whole
	}
	return shell
}

// Whole makes New start the whole chromium. Only the whole chromium shows notifications.
func Whole() chromedp.ExecAllocatorOption { return chromedp.ExecPath(whole) }

// Start starts a browser that ends with the test. If chromium is not installed, the test is
// skipped, or fails with CI=true.
func Start(t testing.TB, options ...chromedp.ExecAllocatorOption) *Browser {
	t.Helper()
	if _, err := exec.LookPath(program()); err != nil && os.Getenv("CI") == "" { //nolint:forbidigo // read by tests only: whether a skip is allowed
		t.Skip("chromium is not installed")
	}
	b, err := New(options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

// New is Start for programs other than tests. The caller closes the browser.
func New(options ...chromedp.ExecAllocatorOption) (*Browser, error) {
	allocator, end := chromedp.NewExecAllocator(context.Background(), append(append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program()),
		chromedp.Flag("no-sandbox", true), // for root, and for systems without namespaces
		chromedp.Flag("force-color-profile", "srgb"),
		chromedp.Flag("lang", "en-US"),
		chromedp.DisableGPU,
		chromedp.WSURLReadTimeout(2*time.Minute), // for the start on a busy machine
	), options...)...)
	ctx, closeTab := chromedp.NewContext(allocator)
	b := &Browser{ctx, func() { closeTab(); end() }}
	if err := chromedp.Do(ctx); err != nil {
		b.Close()
		return nil, fmt.Errorf("chromium: %w", err)
	}
	return b, nil
}

// Close ends the browser and all of its pages.
func (b *Browser) Close() { b.end() }
