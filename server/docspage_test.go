package server_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
)

func TestDocsPage(t *testing.T) {
	t.Parallel()
	s := start(t)
	plain := s.get(t, "/docs", as(""), header("Accept-Encoding", "identity"))
	require.Equal(t, http.StatusOK, plain.StatusCode)
	assert.Equal(t, "text/html; charset=utf-8", plain.Header.Get("Content-Type"))
	assert.Equal(t, "public, max-age=300", plain.Header.Get("Cache-Control"))
	assert.Equal(t, "nosniff", plain.Header.Get("X-Content-Type-Options"))
	assert.Equal(t, "no-referrer", plain.Header.Get("Referrer-Policy"))
	assert.Equal(t, "same-origin", plain.Header.Get("Cross-Origin-Opener-Policy"))
	policy := plain.Header.Get("Content-Security-Policy")
	assert.Regexp(t, `^default-src 'none'; script-src 'sha256-[^' ]+'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; `+
		`base-uri 'none'; form-action 'none'; frame-ancestors 'none'$`, policy)

	etag := plain.Header.Get("ETag")
	assert.Equal(t, http.StatusNotModified, s.get(t, "/docs", as(""), header("Accept-Encoding", "identity"), header("If-None-Match", etag)).StatusCode)
	packed := s.get(t, "/docs", as(""), header("Accept-Encoding", "gzip"))
	assert.Equal(t, "gzip", packed.Header.Get("Content-Encoding"))
	assert.NotEqual(t, etag, packed.Header.Get("ETag"), "other bytes")
	assert.Equal(t, policy, packed.Header.Get("Content-Security-Policy"))
	r, err := gzip.NewReader(strings.NewReader(packed.body))
	require.NoError(t, err)
	unpacked, err := io.ReadAll(r)
	require.NoError(t, err)
	assert.Equal(t, plain.body, string(unpacked))
}

// sight is what a browser does and says while it shows a page.
type sight struct {
	mu     sync.Mutex
	asked  []string // URLs
	errors []string
}

func (v *sight) see(event any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch event := event.(type) {
	case *network.EventRequestWillBeSent:
		v.asked = append(v.asked, event.Request.URL)
	case *network.EventLoadingFailed:
		v.errors = append(v.errors, "loading: "+event.ErrorText)
	case *runtime.EventExceptionThrown:
		v.errors = append(v.errors, fmt.Sprintf("exception: %+v", event.ExceptionDetails))
	case *runtime.EventConsoleAPICalled:
		if event.Type == runtime.ConsoleAPICalledTypeError || event.Type == runtime.ConsoleAPICalledTypeWarning {
			for _, arg := range event.Args {
				v.errors = append(v.errors, fmt.Sprintf("console: %s %s", arg.Value, arg.Description))
			}
		}
	case *log.EventEntryAdded: // also what the policy forbids
		if event.Entry.Level == log.EntryLevelError || event.Entry.Level == log.EntryLevelWarning {
			v.errors = append(v.errors, event.Entry.Text+" "+event.Entry.URL)
		}
	}
}

// The page shows every operation in a real browser, and sends a request from there. It
// asks nobody but the service for anything, and nothing goes wrong in it.
func TestDocsPageInABrowser(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("chromium"); err != nil && os.Getenv("CI") == "" {
		t.Skip("chromium is not installed")
	}
	s := start(t, func(c *server.Config) { c.BasePath = "/media" })
	browser, end := chromedp.NewExecAllocator(t.Context(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath("chromium"),
		chromedp.Flag("no-sandbox", true), // for root, and where there are no namespaces
		chromedp.DisableGPU,
		chromedp.WSURLReadTimeout(2*time.Minute), // the start of a browser on a busy machine
	)...)
	defer end() // when the browser has ended
	seen := new(sight)
	tab, closeTab := chromedp.NewContext(browser, chromedp.WithListener(seen.see))
	defer closeTab()

	health := "#operations-service-getHealth "
	require.NoError(t, chromedp.Do(tab,
		chromedp.Navigate(s.URL+"/docs"),
		chromedp.WaitVisible(chromedp.CSS(health)),
	))
	shown, err := chromedp.Run(tab, chromedp.Evaluate[[]string](`Array.from(document.querySelectorAll(".opblock-summary"), o =>
		o.querySelector(".opblock-summary-method").textContent + " " + o.querySelector(".opblock-summary-path").dataset.path)`))
	require.NoError(t, err)
	require.NoError(t, chromedp.Do(tab,
		chromedp.Click(chromedp.CSS(health+".opblock-summary-control")),
		chromedp.Click(chromedp.CSS(health+".try-out__btn")),
		chromedp.Click(chromedp.CSS(health+".execute")),
	))
	answer, err := chromedp.Run(tab, chromedp.Text(chromedp.CSS(health+".live-responses-table")))
	require.NoError(t, err)
	closeTab()
	end()

	var operations []string
	for operation := range readAPIFile(t).operations() {
		operations = append(operations, operation)
	}
	assert.ElementsMatch(t, operations, shown)
	assert.Contains(t, answer, `"status": "ok"`, "the answer to a request that the page has sent")
	seen.mu.Lock()
	defer seen.mu.Unlock()
	assert.Empty(t, seen.errors)
	at, err := url.Parse(s.URL)
	require.NoError(t, err)
	for _, address := range seen.asked {
		u, err := url.Parse(address)
		require.NoError(t, err)
		assert.True(t, u.Scheme == "data" || u.Host == at.Host, "the page asks for %s", address)
	}
	assert.Contains(t, seen.asked, s.URL+"/docs/openapi.json")
}
