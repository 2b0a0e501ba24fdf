package main

import (
	"flag"
	"os"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
)

var browserFlag = flag.Bool("browser", false, "also run the tests in a real browser (make test-page)")

// reboundHost is a name of somebody else's that leads to this machine.
const reboundHost = "rebound.example"

// browser is one for all tests, each of which has pages and cookies of its own.
var browser = sync.OnceValues(func() (*browsertest.Browser, error) {
	return browsertest.New(chromedp.Flag("host-resolver-rules", "MAP "+reboundHost+" 127.0.0.1"))
})

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
	needBrowser(t)
	s := startWebsite(t, flags...)
	return s, newPage(t, s.address())
}

// needBrowser skips a test where browsers are not asked for.
func needBrowser(t *testing.T) {
	t.Helper()
	if !*browserFlag {
		t.Skip("in a browser: make test-page")
	}
}

// newPage opens a page, with cookies of its own, for a site.
func newPage(t *testing.T, base string) *browsertest.Page {
	t.Helper()
	b, err := browser()
	require.NoError(t, err)
	return b.Page(t, base)
}

const password = "a few words in a row"

// signUp makes an account by the page, which is signed in afterwards.
func signUp(page *browsertest.Page, name string) {
	page.Open("/sign-up")
	page.Type("textbox", "Name", name)
	page.Type("textbox", "Password", password)
	page.Click("button", "Create an account")
	page.WaitAt(`^/$`)
}

// signIn signs in by the page.
func signIn(page *browsertest.Page, name, password string) {
	page.Open("/sign-in")
	page.Type("textbox", "Name", name)
	page.Type("textbox", "Password", password)
	page.Click("button", "Sign in")
}
