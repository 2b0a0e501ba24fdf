package page_test

import (
	"flag"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
)

var browserFlag = flag.Bool("browser", false, "also run the tests in a real browser (make test-page)")

// browser is one for all tests, each of which has pages and cookies of its own.
var browser = sync.OnceValues(func() (*browsertest.Browser, error) { return browsertest.New() })

// wholeBrowser is one for all tests of notifications.
var wholeBrowser = sync.OnceValues(func() (*browsertest.Browser, error) { return browsertest.New(browsertest.Whole()) })

// withBrowser runs the tests, and closes the browsers after them.
type withBrowser struct{ *testing.M }

func (m withBrowser) Run() int {
	code := m.M.Run()
	if *browserFlag {
		for _, browser := range []func() (*browsertest.Browser, error){browser, wholeBrowser} {
			if b, err := browser(); err == nil {
				b.Close()
			}
		}
	}
	return code
}

// needBrowser skips a test where browsers are not asked for. It begins each of them,
// whose name begins with TestBrowser.
func needBrowser(t *testing.T) {
	t.Helper()
	if !*browserFlag {
		t.Skip("in a browser: make test-page")
	}
}

// open opens a page of the site in a browser.
func (s *site) open(t *testing.T) *browsertest.Page {
	t.Helper()
	return s.openIn(t, browser)
}

// openIn is open for one of the browsers.
func (s *site) openIn(t *testing.T, browser func() (*browsertest.Browser, error)) *browsertest.Page {
	t.Helper()
	b, err := browser()
	require.NoError(t, err)
	return b.Page(t, s.base)
}

// between puts a test's own hand between the browser and the site, until the function
// that is returned is called: hand answers a request itself, or has next answer it.
func (s *site) between(hand func(w http.ResponseWriter, r *http.Request, next http.Handler)) (undo func()) {
	whole := s.pages.Load()
	var meddled http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { hand(w, r, *whole) })
	s.pages.Store(&meddled)
	return func() { s.pages.Store(whole) }
}

// away is a hand that breaks every connection, as where no server is.
func away(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
	c, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_ = c.Close()
	}
}
