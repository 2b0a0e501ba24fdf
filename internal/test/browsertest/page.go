package browsertest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Page is a tab of the browser with cookies of its own. A method that fails ends the test. Call
// the methods from the test's own goroutine.
type Page struct {
	t     testing.TB
	base  string
	ctx   context.Context
	sight *sight
}

// Page opens an empty tab for the site at base: 1280 by 800 pixels, in light colors and without
// motion. The tab is closed when the test ends.
func (b *Browser) Page(t testing.TB, base string) *Page {
	t.Helper()
	return open(b.ctx, t, base, chromedp.WithNewBrowserContext())
}

// Tab opens another tab with the page's cookies.
func (p *Page) Tab() *Page {
	p.t.Helper()
	return open(p.ctx, p.t, p.base)
}

func open(parent context.Context, t testing.TB, base string, options ...chromedp.ContextOption) *Page {
	t.Helper()
	p := &Page{t: t, base: strings.TrimSuffix(base, "/"), sight: new(sight)}
	var shut context.CancelFunc
	p.ctx, shut = chromedp.NewContext(parent, append(options, chromedp.WithListener(p.sight.see), chromedp.WithListener(p.dismiss))...)
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(p.describe())
		}
		shut()
		for _, fault := range p.sight.unexpected() {
			t.Errorf("the page: %s", fault)
		}
	})
	if err := chromedp.Do(p.ctx); err != nil { // the tab lives as long as the context of its first action
		t.Fatal(err)
	}
	p.Desktop()
	p.Dark(false)
	return p
}

// dismiss closes a dialog, which would block the page. The dialog itself is a fault.
func (p *Page) dismiss(event any) {
	if opening, ok := event.(*cdppage.EventJavascriptDialogOpening); ok {
		accept := opening.Type == cdppage.DialogTypeBeforeunload
		go func() { // a failure shows in the next step of the test
			_, _ = chromedp.Call(p.ctx, cdppage.HandleJavaScriptDialog, cdppage.HandleJavaScriptDialogParams{Accept: accept})
		}()
	}
}

// Expect permits faults that match one of the patterns, such as "log: Failed to load resource:
// the server responded with a status of 404 () http://…".
func (p *Page) Expect(patterns ...string) {
	p.sight.mu.Lock()
	defer p.sight.mu.Unlock()
	for _, pattern := range patterns {
		p.sight.expected = append(p.sight.expected, regexp.MustCompile(pattern))
	}
}

// Faults returns the unexpected faults so far. They fail the test at its end.
func (p *Page) Faults() []string { return p.sight.unexpected() }

// Asked returns the URLs that the page has requested, in order.
func (p *Page) Asked() []string {
	p.sight.mu.Lock()
	defer p.sight.mu.Unlock()
	return slices.Clone(p.sight.asked)
}

// Received returns how many bytes have been received for the page so far: compressed, and with
// headers.
func (p *Page) Received() int64 {
	p.sight.mu.Lock()
	defer p.sight.mu.Unlock()
	return p.sight.received
}

// WithoutCache makes the page load everything as on a first visit.
func (p *Page) WithoutCache() {
	p.t.Helper()
	p.call(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true})
		return err
	})
}

// Do runs actions of chromedp.
func (p *Page) Do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	Run(p, chromedp.Steps(actions...))
}

// Run runs an action of chromedp and returns its value.
func Run[T any](p *Page, action chromedp.Action[T]) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, Patience)
	defer cancel()
	value, err := chromedp.Run(ctx, action)
	if err != nil {
		p.t.Fatal(err)
	}
	return value
}

// Open shows an address, or a path of the page's site, and returns when the page is loaded.
func (p *Page) Open(address string) {
	p.t.Helper()
	if strings.HasPrefix(address, "/") {
		address = p.base + address
	}
	u, err := url.Parse(address)
	if err != nil {
		p.t.Fatal(err)
	}
	p.sight.opened(u)
	p.Do(chromedp.Navigate(address))
}

// Reload loads the page again.
func (p *Page) Reload() {
	p.t.Helper()
	p.Do(chromedp.Reload())
}

// At returns the address of the current page.
func (p *Page) At() string {
	p.t.Helper()
	return Run(p, chromedp.Location())
}

// Eval evaluates a JavaScript expression in the page, and waits for its promise.
func Eval[T any](p *Page, expression string) T {
	p.t.Helper()
	return Run(p, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// Wait returns when a JavaScript expression is true, even if the page changes in the meantime.
func (p *Page) Wait(expression string) {
	p.t.Helper()
	p.until("it is true that "+expression, func(ctx context.Context) (bool, error) {
		return chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+expression+")", chromedp.EvalAwaitPromise))
	})
}

// WaitAt returns when the page's path, with its query, matches a pattern.
func (p *Page) WaitAt(pattern string) {
	p.t.Helper()
	p.Wait("new RegExp(" + Quote(pattern) + ").test(location.pathname + location.search) && document.readyState === 'complete'")
}

// WaitText returns when the visible text of an element contains the text.
func (p *Page) WaitText(selector, text string) {
	p.t.Helper()
	p.Wait("document.querySelector(" + Quote(selector) + ")?.innerText.includes(" + Quote(text) + ")")
}

// Text returns the visible text of the first element with a CSS selector.
func (p *Page) Text(selector string) string {
	p.t.Helper()
	return Eval[string](p, "document.querySelector("+Quote(selector)+").innerText")
}

// Count returns how many elements have a CSS selector.
func (p *Page) Count(selector string) int {
	p.t.Helper()
	return Eval[int](p, "document.querySelectorAll("+Quote(selector)+").length")
}

// Cookies returns the cookies of the page's site.
func (p *Page) Cookies() []*network.Cookie {
	p.t.Helper()
	return Run(p, func(ctx context.Context, t *chromedp.Target) ([]*network.Cookie, error) {
		found, err := cdp.Call(ctx, t, network.GetCookies, network.GetCookiesParams{})
		return found.Cookies, err
	})
}

// until calls ask repeatedly. An error may come from a page that is being left.
func (p *Page) until(what string, ask func(context.Context) (bool, error)) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, Patience)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		ok, err := ask(ctx)
		if ok {
			return
		}
		select {
		case <-ctx.Done():
			p.t.Fatalf("timed out waiting until %s: %v", what, errors.Join(err, ctx.Err()))
		case <-again.C:
		}
	}
}

// Named finds elements by role and accessible name, for the options of chromedp's queries:
// chromedp.Click("", browsertest.Named("button", "Sign in")).
func Named(role, name string) chromedp.QueryOption {
	return chromedp.ByFunc(func(ctx context.Context, t *chromedp.Target, root *chromedp.Node) ([]cdp.NodeID, error) {
		found, err := cdp.Call(ctx, t, accessibility.QueryAXTree, accessibility.QueryAXTreeParams{NodeID: root.NodeID, Role: role, AccessibleName: name})
		if err != nil {
			return nil, err
		}
		var nodes []cdp.BackendNodeID
		for _, node := range found.Nodes {
			if !node.Ignored {
				nodes = append(nodes, node.BackendDOMNodeID)
			}
		}
		if len(nodes) == 0 {
			return nil, nil
		}
		pushed, err := cdp.Call(ctx, t, dom.PushNodesByBackendIDsToFrontend, dom.PushNodesByBackendIDsToFrontendParams{BackendNodeIDs: nodes[:1]})
		return pushed.NodeIDs, err
	})
}

// See returns when an element with a role and an accessible name exists, as in See("button",
// "Sign in").
func (p *Page) See(role, name string) {
	p.t.Helper()
	p.named(role, name, chromedp.WaitReady("", Named(role, name)))
}

// Sees reports whether an element with a role and an accessible name exists now.
func (p *Page) Sees(role, name string) bool {
	p.t.Helper()
	return len(Run(p, chromedp.Nodes("", Named(role, name), chromedp.AtLeast(0)))) > 0
}

// Click waits for an element with a role and an accessible name, and clicks its middle.
func (p *Page) Click(role, name string) {
	p.t.Helper()
	p.named(role, name, chromedp.Click("", Named(role, name), chromedp.NodeVisible))
}

// Type replaces the text of a field.
func (p *Page) Type(role, name, text string) {
	p.t.Helper()
	field := Named(role, name)
	p.named(role, name, chromedp.Steps(
		chromedp.Focus("", field, chromedp.NodeVisible),
		chromedp.Evaluate[chromedp.Void]("document.activeElement.select()"),
		chromedp.KeyEvent(kb.Delete+text),
	))
}

// Press presses keys, one after another, on the focused element. Keys without a letter are in
// package kb.
func (p *Page) Press(keys string) {
	p.t.Helper()
	p.Do(chromedp.KeyEvent(keys))
}

func (p *Page) named(role, name string, action chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, Patience)
	defer cancel()
	if _, err := chromedp.Run(ctx, action); err != nil {
		p.t.Fatalf("%s %q: %v", role, name, err)
	}
}

// describe returns the content of the page, for a failed test.
func (p *Page) describe() string {
	ctx, cancel := context.WithTimeout(p.ctx, 10*time.Second)
	defer cancel()
	shown, err := chromedp.Run(ctx, chromedp.Evaluate[string](`location.href + "\n" + document.title + "\n" + (document.body?.innerText ?? "")`))
	if err != nil {
		return fmt.Sprintf("the page cannot be read: %v", err)
	}
	const most = 1000
	if len(shown) > most {
		shown = shown[:most] + " …"
	}
	return "the page shows " + strings.ReplaceAll(shown, "\n", "\n    ")
}
