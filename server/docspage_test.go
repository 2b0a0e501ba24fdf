package server_test

import (
	"compress/gzip"
	"flag"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
	"github.com/transcriptkit/transcriptkit/server"
)

var browserFlag = flag.Bool("browser", false, "also run the test in a real browser (make test-page)")

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

// The page shows every operation in a real browser, and sends a request from there. It
// asks nobody but the service for anything, and nothing goes wrong in it.
func TestBrowserShowsTheDocsPage(t *testing.T) {
	t.Parallel()
	if !*browserFlag {
		t.Skip("in a browser: make test-page")
	}
	s := start(t, func(c *server.Config) { c.BasePath = "/media" })
	page := browsertest.Start(t).Page(t, s.URL)
	page.Open("/docs")
	health := "#operations-service-getHealth "
	page.Do(chromedp.WaitVisible(chromedp.CSS(health)))
	shown := browsertest.Eval[[]string](page, `Array.from(document.querySelectorAll(".opblock-summary")).filter(o => !o.closest(".webhooks")).map(o =>
		o.querySelector(".opblock-summary-method").textContent + " " + o.querySelector(".opblock-summary-path").dataset.path)`)
	page.Do(
		chromedp.Click(chromedp.CSS(health+".opblock-summary-control")),
		chromedp.Click(chromedp.CSS(health+".try-out__btn")),
		chromedp.Click(chromedp.CSS(health+".execute")),
	)
	answer := browsertest.Run(page, chromedp.Text(chromedp.CSS(health+".live-responses-table")))

	var operations []string
	for operation := range readAPIFile(t).operations() {
		operations = append(operations, operation)
	}
	assert.ElementsMatch(t, operations, shown)
	assert.Contains(t, answer, `"status": "ok"`, "the answer to a request that the page has sent")
	assert.Contains(t, page.Asked(), s.URL+"/docs/openapi.json")
}
