package page_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const filledIn = `document.getElementById("links").value`

// The bookmark opens the start page from any other page, with that page's address filled in. It
// sends nothing by itself.
func TestBrowserBookmarkFillsInTheAddress(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<title>Elsewhere</title><p>a video"))
	}))
	defer elsewhere.Close()
	page := s.open(t)
	page.Open("/")
	page.Click("link", "Transcribe from anywhere")
	page.WaitAt(`^/anywhere$`)
	for _, dark := range []bool{false, true} {
		page.Dark(dark)
		assert.Empty(t, page.Barriers())
	}
	page.Phone()
	assert.Empty(t, page.Barriers())
	assert.True(t, browsertest.Eval[bool](page, `document.documentElement.scrollWidth <= document.documentElement.clientWidth`))
	page.Desktop()
	browsertest.Eval[any](page, `(() => { globalThis.copied = ""; navigator.clipboard.write = async ([item]) => { copied = await (await item.getType("text/plain")).text(); }; })()`)
	page.Click("button", "Copy")
	page.Wait(`copied === document.getElementById("bookmarklet").href`)
	page.Click("link", "Get the transcript") // of the bookmark, which does not work here
	page.WaitText("#notices", "drag it there")
	page.WaitAt(`^/anywhere$`)
	bookmark := browsertest.Eval[string](page, `copied`)
	require.True(t, strings.HasPrefix(bookmark, "javascript:"))

	page.Expect(`favicon`)
	page.Open(elsewhere.URL + "/watch?v=1&q='\"</textarea>")
	at := browsertest.Eval[string](page, `(() => { globalThis.opened = ""; globalThis.open = (address) => { opened = address; }; return location.href; })()`)
	browsertest.Eval[any](page, `void (location.href = `+browsertest.Quote(bookmark)+`)`)
	page.Wait(`opened !== ""`)
	page.Open(browsertest.Eval[string](page, `opened`))
	assert.Equal(t, at, browsertest.Eval[string](page, filledIn))
	assert.Equal(t, s.base, browsertest.Eval[string](page, `location.origin`))
	assert.Contains(t, s.get(t, "/library").body, "Your library is empty")
}

// The site can be installed, and then takes what other programs share: it fills in the links, and
// the visitor sends them.
func TestBrowserIsInstalledAndTakesWhatIsShared(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User)
	page := s.open(t)
	page.Open("/")
	reasons, content := page.Installable()
	assert.Empty(t, reasons)
	var manifest struct {
		StartURL string `json:"start_url"`
		Icons    []struct{ Src, Type string }
		Share    struct {
			Action, Method string
			Params         map[string]string
		} `json:"share_target"`
	}
	require.NoError(t, json.Unmarshal([]byte(content), &manifest))
	assert.Equal(t, "/", manifest.StartURL)
	assert.Equal(t, "GET", manifest.Share.Method)
	for _, icon := range manifest.Icons {
		got := s.get(t, icon.Src)
		assert.Equal(t, http.StatusOK, got.status, icon.Src)
		assert.Contains(t, got.header.Get("Content-Type"), icon.Type)
	}
	shared := url.Values{
		manifest.Share.Params["title"]: {"A talk"},
		manifest.Share.Params["text"]:  {"Look at this: https://youtu.be/dQw4w9WgXcQ (Ann)"},
	}
	page.Open(manifest.Share.Action + "?" + shared.Encode())
	assert.Equal(t, "https://youtu.be/dQw4w9WgXcQ", browsertest.Eval[string](page, filledIn))
	assert.Zero(t, s.Engine.CaptionReads(transcript.VideoSite))
	page.Click("button", "Get the transcript")
	page.WaitAt(`^/transcripts/video_site/dQw4w9WgXcQ`)
}

// Whatever is shared only fills in the form, as text.
func TestSharedFillsInTheForm(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	for query, want := range map[string]string{
		"links=%3C/textarea%3E%3Cb%3E": "&lt;/textarea&gt;&lt;b&gt;</textarea>",
		`language=de,"en`:              `value="de,&#34;en"`,
		"recognize=1":                  `value="1" checked`,
		"tag=fr":                       `<option value="fr" selected>French</option>`,
		"url=https://youtu.be/dQw4w9WgXcQ&title=A+talk&text=great":                                            ">https://youtu.be/dQw4w9WgXcQ</textarea>",
		"url=https://youtu.be/dQw4w9WgXcQ&text=https://youtu.be/dQw4w9WgXcQ+and+https://youtu.be/9bZkp7q19f0": ">https://youtu.be/dQw4w9WgXcQ\nhttps://youtu.be/9bZkp7q19f0</textarea>",
		"title=cooking&text=%3C/textarea%3E%3Cscript%3E":                                                      ">&lt;/textarea&gt;&lt;script&gt;\ncooking</textarea>",
		"links=typed&text=https://youtu.be/dQw4w9WgXcQ":                                                       ">typed</textarea>",
		"text=" + strings.Repeat("a+", 1<<16):                                                                 "a a a",
	} {
		got := s.get(t, "/?"+query)
		assert.Equal(t, http.StatusOK, got.status)
		assert.Contains(t, got.body, want)
	}
	assert.Zero(t, s.Engine.CaptionReads(transcript.VideoSite))
	assert.Contains(t, s.get(t, "/library").body, "Your library is empty")
	assert.Contains(t, s.get(t, "/manifest.webmanifest").header.Get("Content-Security-Policy"), "manifest-src 'self'")
	assert.NotContains(t, s.get(t, "/anywhere").body, "ZgotmplZ")
}
