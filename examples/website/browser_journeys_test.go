package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
	"github.com/transcriptkit/transcriptkit/internal/test/sitetest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Somebody who was never there takes the link that the first page offers, and reads what
// is said in it. They have no library.
func TestBrowserReadsALinkAsAGuest(t *testing.T) {
	t.Parallel()
	s, page := openSite(t)
	page.Open("/")
	page.Click("button", "Try it with a short talk")
	page.WaitAt(`^/transcripts/`)
	page.WaitText("#text", "This is a short talk about a program that listens.")
	assert.False(t, page.Sees("link", "Library"))
	text := page.At()
	page.Open("/library")
	page.WaitAt(`^/sign-in\?next=`)

	other := newPage(t, s.address())
	other.Expect(`status of 40[134] `)
	other.Open(strings.TrimPrefix(text, strings.TrimSuffix(s.address(), "/")))
	assert.NotContains(t, other.Text("main"), "This is a short talk", "it is the guest's alone")
}

// Files are chosen, or dropped, sent and heard; each leads to its text.
func TestBrowserUploadsFiles(t *testing.T) {
	t.Parallel()
	recognizer, asr := newRecognizer(t)
	recognizer.say("this is what the recording says")
	_, page := openSite(t, "--single-user", asr)
	page.Open("/")
	page.Choose("#files", recording)
	page.WaitAt(`^/transcripts/upload/`)
	page.WaitText("#text", "this is what the recording says")

	var dropped []string
	for _, name := range []string{"one <b>.ogg", "two.ogg"} {
		dropped = append(dropped, filepath.Join(t.TempDir(), name))
		require.NoError(t, os.WriteFile(dropped[len(dropped)-1], append(readFile(t, recording), name...), 0o600))
	}
	page.Open("/")
	page.Drop(dropped...)
	page.Wait(`document.querySelectorAll("#queue a").length === 2`)
	assert.Contains(t, page.Text("#queue"), "one <b>.ogg")
	page.Click("link", "Show one <b>.ogg")
	page.WaitAt(`^/transcripts/upload/`)
	page.WaitText("#text", "this is what the recording says")
}

// A batch of which one item fails is made, and what failed is tried again, on the same
// page. Then all texts are downloaded at once.
func TestBrowserTriesAgainWhatFailedInABatch(t *testing.T) {
	t.Parallel()
	videos, flags := newVideos(t)
	var there atomic.Bool
	whole := sitetest.New(recording)
	videos.Page("later-there", func(w http.ResponseWriter, r *http.Request) {
		if !there.Load() {
			http.NotFound(w, r) // what may pass is tried again by itself
			return
		}
		again := r.Clone(r.Context())
		again.URL.RawQuery = "v=" + sitetest.TwoTracks
		whole.ServeHTTP(w, again)
	})
	_, page := openSite(t, append(flags, "--single-user")...)
	page.Open("/batches")
	page.Type("textbox", "Links, one a line", videos.link(sitetest.TwoTracks)+"\n"+videos.link("later-there"))
	page.Click("button", "Start the batch")
	page.WaitAt(`^/batches/[0-9a-f-]+`)
	page.WaitText("#standing", "1 failed")
	page.WaitText("#standing", "1 done")
	there.Store(true)
	page.Click("button", "Try again "+videos.link("later-there"))
	page.WaitText("#standing", "2 done")

	name, content := page.Download(func() { page.Click("link", "ZIP, all formats") })
	assert.Regexp(t, `\.zip$`, name)
	files, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	require.NoError(t, err)
	assert.GreaterOrEqual(t, len(files.File), 2)
	_, content = page.Download(func() { page.Click("link", "Text") })
	assert.Equal(t, 2, strings.Count(string(content), "hello world"))
}

// A key is shown once, opens the API for a program, and is dead when it is revoked.
func TestBrowserMakesAndRevokesAKey(t *testing.T) {
	t.Parallel()
	s, page := openSite(t)
	signUp(page, "ann")
	key := newKey(page, "for a program")
	api, err := client.New(strings.TrimSuffix(s.address(), "/"), client.WithAPIKey(key))
	require.NoError(t, err)
	_, err = api.Usage.Get(t.Context())
	require.NoError(t, err)

	for _, path := range []string{"/keys", "/account", "/usage"} {
		page.Open(path)
		assert.NotContains(t, browsertest.Eval[string](page, `document.documentElement.outerHTML`), key, path)
	}
	page.Open("/keys")
	page.WaitText("main", "for a program")
	prefix, _, _ := strings.Cut(strings.TrimPrefix(key, "tr_"), "_")
	browsertest.Eval[bool](page, `document.querySelector("details.confirm").open = true`)
	page.Click("button", "Revoke tr_"+prefix)
	page.WaitText("main", "is revoked")
	_, err = api.Usage.Get(t.Context())
	require.ErrorIs(t, err, transcript.InvalidCredential)
}

// A text is found by what is said in it, opened at that place, searched, and downloaded in
// each format.
func TestBrowserFindsAndTakesAText(t *testing.T) {
	t.Parallel()
	s, page := openSite(t, "--single-user")
	title := "A talk"
	var segments []transcript.Segment
	for n := range 200 {
		segments = append(segments, transcript.Segment{Text: fmt.Sprintf("line number %d", n), Start: float64(10 * n), Duration: 8})
	}
	segments[150].Text = "now we come to the albatross"
	_, err := s.server.PutTranscript(t.Context(), "me", transcript.Transcript{Platform: transcript.VideoSite, ExternalID: "somewhere01", Lang: "en", Title: &title, Segments: segments})
	require.NoError(t, err)

	page.Open("/library")
	page.Type("searchbox", "Search your library", "albatross")
	page.Press(kb.Enter)
	page.WaitAt(`^/library\?.*q=albatross`)
	page.Do(chromedp.Click(chromedp.CSS(".hits a")))
	page.WaitAt(`^/transcripts/`)
	page.Wait(`document.querySelector(".here")?.innerText.includes("albatross")`)
	page.Wait(`(() => { const box = document.querySelector(".here").getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight; })()`)

	page.Type("searchbox", "Search in the text", "number 7")
	page.WaitText("#within-count", "of 11") // 7 and 70 to 79
	page.Press(kb.Enter)

	page.WaitText("#within-count", "3 of 11")
	for format, want := range map[string]struct{ name, text string }{
		"lines": {`\.txt$`, "25:00"}, "srt": {`\.srt$`, "00:25:00,000 -->"}, "vtt": {`\.vtt$`, "WEBVTT"}, "json": {`\.json$`, `"segments"`}, "md": {`\.md$`, "A talk"},
	} {
		browsertest.Eval[bool](page, `(() => {
			const sheet = document.getElementById("export");
			if (!sheet.matches(":popover-open")) sheet.showPopover();
			sheet.querySelector("[name=times]").checked = true;
			sheet.querySelector("[name=format]").value = "`+format+`";
			return true;
		})()`)
		name, content := page.Download(func() { page.Click("button", "Download") })
		assert.Regexp(t, want.name, name)
		assert.Contains(t, string(content), want.text, format)
		assert.Contains(t, string(content), "albatross", format)
		if format == "json" {
			assert.True(t, json.Valid(content))
		}
	}
}

// The way from the first page to the text is made by keys alone, and who makes it always
// sees where they are.
func TestBrowserNeedsNoMouse(t *testing.T) {
	t.Parallel()
	videos, flags := newVideos(t)
	_, page := openSite(t, append(flags, "--single-user")...)
	page.Open("/")
	page.Press(kb.Tab)
	assert.Equal(t, "Skip to the content", focused(page))
	page.Press(kb.Enter)
	tabTo(t, page, `document.activeElement.id === "links"`)
	page.Press(videos.link(sitetest.TwoTracks))
	tabTo(t, page, `document.activeElement.innerText === "Get the transcript"`)
	page.Press(kb.Enter)
	page.WaitAt(`^/transcripts/`)
	page.WaitText("#text", "hello world")
	tabTo(t, page, `document.activeElement.id === "within-words"`)
	page.Press("world")
	page.WaitText("#within-count", "1")
	tabTo(t, page, `document.activeElement.closest("#text") !== null`)
}

func focused(page *browsertest.Page) string {
	return browsertest.Eval[string](page, `document.activeElement.innerText`)
}

// tabTo presses the key Tab until it is true what is meant of the focus, which shows at
// every stop.
func tabTo(t *testing.T, page *browsertest.Page, there string) {
	t.Helper()
	for range 60 {
		if browsertest.Eval[bool](page, there) {
			return
		}
		page.Press(kb.Tab)
		require.True(t, browsertest.Eval[bool](page, `(() => {
			const e = document.activeElement, style = getComputedStyle(e);
			return e === document.body || style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
		})()`), "the focus does not show at %s", browsertest.Eval[string](page, `document.activeElement.outerHTML.slice(0, 200)`))
	}
	t.Fatalf("no key leads to where %s", there)
}

// All reading works without scripts: the first page, the library with its search, texts,
// batches and usage; and a pasted link leads to its text.
func TestBrowserReadsAllWithoutScripts(t *testing.T) {
	t.Parallel()
	videos, flags := newVideos(t)
	s, page := openSite(t, append(flags, "--single-user")...)
	title := "A talk"
	_, err := s.server.PutTranscript(t.Context(), "me", transcript.Transcript{
		Platform: transcript.VideoSite, ExternalID: "somewhere01", Lang: "en", Title: &title, Segments: []transcript.Segment{{Text: "the albatross flies", Start: 1, Duration: 2}},
	})
	require.NoError(t, err)
	page.NoScripts()
	for path, text := range map[string]string{
		"/": "A talk", "/library": "A talk", "/library?in=said&q=albatross": "the albatross flies", "/transcripts/video_site/somewhere01?language=en": "the albatross flies",
		"/batches": "There are no batches yet", "/usage": "Own service", "/keys": "There are no keys yet.",
	} {
		page.Open(path)
		page.WaitText("main", text) // what is outside of the view is no text before it is drawn
	}
	page.Open("/")
	browsertest.Eval[bool](page, `document.getElementById("links").value = `+browsertest.Quote(videos.link(sitetest.TwoTracks))+`, true`)
	page.Click("button", "Get the transcript")
	page.WaitAt(`^/transcripts/`)
	page.WaitText("main", "hello world")
}
