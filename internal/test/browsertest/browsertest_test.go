package browsertest_test

import (
	"flag"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
)

var browserFlag = flag.Bool("browser", false, "run these tests (make test-page)")

// Whatever goes wrong in a page is seen, and what the test expects is let pass.
func TestBrowserSeesFaults(t *testing.T) {
	t.Parallel()
	if !*browserFlag {
		t.Skip("in a browser: make test-page")
	}
	b := browsertest.Start(t)
	elsewhere := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(elsewhere.Close)
	for name, c := range map[string]struct{ body, fault string }{
		"exception":      {`<script>nothing.there()</script>`, `^exception: Uncaught ReferenceError: nothing is not defined`},
		"rejection":      {`<script>Promise.reject(new Error("so it is"))</script>`, `^exception: Uncaught \(in promise\) Error: so it is`},
		"console":        {`<script>console.error("oh no")</script>`, `^console: "oh no"`},
		"missing":        {`<img src="/missing">`, `^log: .* status of 404 .*/missing`},
		"forbidden":      {`<style>p {color: red}</style>`, `^log: .*Content Security Policy`},
		"dialog":         {`<script>alert(1)</script>`, `^dialog: alert "1"`},
		"another's host": {`<script>fetch("` + elsewhere.URL + `", {mode: "no-cors"})</script>`, `^(asked elsewhere: ` + elsewhere.URL + `|log: .* status of 404 .*)`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/":
					w.Header().Set("Content-Security-Policy", "style-src 'none'")
					_, _ = w.Write([]byte(`<!DOCTYPE html><title>A page</title><link rel="icon" href="data:,"><h1>Here</h1>` + c.body))
				default:
					http.NotFound(w, r)
				}
			}))
			t.Cleanup(site.Close)
			page := b.Page(t, site.URL)
			page.Open("/")
			page.See("heading", "Here")
			assert.Eventually(t, func() bool { return len(page.Faults()) > 0 }, browsertest.Patience, 10*time.Millisecond)
			for _, fault := range page.Faults() {
				assert.Regexp(t, c.fault, fault)
			}
			page.Expect(c.fault)
			assert.Empty(t, page.Faults())
		})
	}
}

// What is written into a field is all that stands in it.
func TestBrowserWritesOverWhatIsThere(t *testing.T) {
	t.Parallel()
	if !*browserFlag {
		t.Skip("in a browser: make test-page")
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`<!DOCTYPE html><title>A page</title><link rel="icon" href="data:,"><input aria-label="Name" value="before">`))
	}))
	t.Cleanup(site.Close)
	page := browsertest.Start(t).Page(t, site.URL)
	page.Open("/")
	for _, text := range []string{"after", "", "again"} {
		page.Type("textbox", "Name", text)
		assert.Equal(t, text, browsertest.Eval[string](page, "document.activeElement.value"))
	}
}
