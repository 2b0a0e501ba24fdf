package main

import (
	"flag"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/browsertest"
)

var browserFlag = flag.Bool("browser", false, "also run the tests in a real browser (make test-page)")

// browser is one for all tests, each of which has pages and cookies of its own.
var browser = sync.OnceValues(func() (*browsertest.Browser, error) { return browsertest.New() })

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if *browserFlag {
		if b, err := browser(); err == nil {
			b.Close()
		}
	}
	os.Exit(code)
}

// openSite runs the website as its flags say until the test ends, and opens a page for
// it. It is how a test in a browser begins; its name begins with TestBrowser.
func openSite(t *testing.T, flags ...string) (*website, *browsertest.Page) {
	t.Helper()
	if !*browserFlag {
		t.Skip("in a browser: make test-page")
	}
	b, err := browser()
	require.NoError(t, err)
	s := startWebsite(t, flags...)
	return s, b.Page(t, s.address())
}

func TestBrowserOpensTheStartPage(t *testing.T) {
	t.Parallel()
	_, page := openSite(t, "--single-user")
	page.Open("/")
	page.See("textbox", "Link")
	page.Phone()
	page.Dark(true)
	page.Reload()
	page.See("button", "Get the transcript")
}
