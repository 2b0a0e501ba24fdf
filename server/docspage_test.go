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

	"github.com/transcriptkit/transcriptkit/docs"
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
	assert.Regexp(t, `^default-src 'none'; style-src 'sha256-[^' ]+'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$`, policy)

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
	for _, path := range []string{"/docs/operations/nothing", "/docs/guides", "/docs/README"} {
		assert.Equal(t, http.StatusNotFound, s.get(t, path, as("")).StatusCode, path)
	}
}

// Each operation has a page. No page is larger than a phone loads at once.
func TestDocsPages(t *testing.T) {
	t.Parallel()
	s := start(t)
	first := s.get(t, "/docs", as("")).body
	for operation, described := range readAPIFile(t).operations() {
		id := "/docs/operations/" + described.ID
		assert.Contains(t, first, `href="`+id+`"`, operation)
	}
	largest := 0
	for _, path := range docs.Paths() {
		a := s.get(t, strings.TrimSuffix("/docs/"+path, "/"), as(""), header("Accept-Encoding", "gzip"))
		require.Equal(t, http.StatusOK, a.StatusCode, path)
		largest = max(largest, len(a.body))
	}
	t.Log(largest, "bytes in the largest page")
	assert.Less(t, largest, 30_000)
}

// A reader goes from the first page to an operation and to the meaning of a code.
func TestBrowserShowsTheDocs(t *testing.T) {
	t.Parallel()
	if !*browserFlag {
		t.Skip("in a browser: make test-page")
	}
	s := start(t, func(c *server.Config) { c.BasePath = "/media" })
	page := browsertest.Start(t).Page(t, s.URL)
	page.Open("/docs")
	for _, link := range []string{"operations/downloadTranscript", "reference/errors#no_transcript", "guides/errors"} {
		page.Do(chromedp.Click(chromedp.CSS(`main a[href="/media/docs/` + link + `"]`)))
		page.Wait(`location.pathname + location.hash === "/media/docs/` + link + `"`)
	}
	for _, path := range []string{"", "/operations/createTranscript", "/reference/errors", "/guides/recordings", "/operate/flags"} {
		page.Desktop()
		page.Open("/docs" + path)
		assert.Empty(t, page.Barriers(), path)
		page.Phone()
		assert.Empty(t, page.Barriers(), path)
		assert.True(t, browsertest.Eval[bool](page, `document.documentElement.scrollWidth <= innerWidth`), "%s is wider than a phone", path)
		page.Dark(true)
		assert.Empty(t, page.Barriers("color-contrast"), path)
		page.Dark(false)
	}
}
