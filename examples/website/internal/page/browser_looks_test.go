package page_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
)

// unknownCSS are the declarations of a page's stylesheets that the browser does not know.
const unknownCSS = `Promise.all([...document.querySelectorAll("link[rel=stylesheet]")].map(async (link) => {
  const text = (await (await fetch(link.href)).text()).replace(/\/\*[^]*?\*\//g, "");
  return [...text.matchAll(/\{([^{}]*)\}/g)].flatMap(([, body]) => body.split(";")).map((d) => d.trim())
    .filter((d) => d && !d.startsWith("--") && !d.startsWith("-webkit-text-size-adjust") && !CSS.supports(d.slice(0, d.indexOf(":")).trim(), d.slice(d.indexOf(":") + 1).replace("!important", "").trim()));
})).then((all) => all.flat())`

// The browser knows what the stylesheets ask for.
func TestBrowserKnowsTheLooks(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User)
	s.save(t, "dQw4w9WgXcQ", "A talk", "en", "hello world")
	page := s.open(t)
	for _, path := range []string{"/", "/library", "/batches", "/usage", "/keys", "/feed", "/follows", "/discover", "/transcripts/video_site/dQw4w9WgXcQ?language=en"} {
		page.Open(path)
		assert.Empty(t, browsertest.Eval[[]string](page, unknownCSS), path)
	}
}

// A file whose work is canceled keeps its name on its page, which its row in the library
// does not survive.
func TestCanceledFileKeepsItsName(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	release := s.Engine.Hold()
	defer release()
	path := s.begin(t, talk("talk <1>.wav"), "")
	assert.Contains(t, s.get(t, path).body, `name="file" value="talk &lt;1&gt;"`)
	sent := s.post(t, path+"/cancel", "file", "talk <1>")
	require.Equal(t, http.StatusSeeOther, sent.status)
	shown := s.get(t, sent.header.Get("Location"))
	assert.Contains(t, shown.body, "<h1>Canceled</h1>")
	assert.Contains(t, shown.body, "talk &lt;1&gt;")
	assert.Contains(t, shown.body, "Choose the file again")
}
