package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// A text is handed on by the keyboard alone, read by a stranger on a phone, copied and saved
// there, and taken back.
func TestBrowserSharesAText(t *testing.T) {
	t.Parallel()
	s, page := openSite(t)
	signUp(page, "ann-lovelace")
	title := "A talk <b>of two</b>"
	_, err := s.server.PutTranscript(t.Context(), "ann-lovelace", transcript.Transcript{
		Platform: transcript.VideoSite, ExternalID: "dQw4w9WgXcQ", Lang: "en", Title: &title,
		Segments: []transcript.Segment{{Text: "Good <i>morning</i>.", Start: 1, Duration: 2, Speaker: "Ada <script>"}, {Text: "Fine.", Start: 61.5, Duration: 2, Speaker: "Ben"}},
	})
	require.NoError(t, err)
	page.Open("/transcripts/video_site/dQw4w9WgXcQ?language=en")
	page.Click("link", "Share")
	page.WaitAt(`^/transcripts/video_site/dQw4w9WgXcQ/share`)
	look(t, page, "the links of a text")
	tabTo(t, page, `document.activeElement.textContent === "Make a link"`)
	page.Press("\r")
	page.See("button", "Copy")
	look(t, page, "a new link")
	link := strings.TrimSpace(page.Text("#secret"))
	require.Regexp(t, `/shared/[0-9A-Za-z_-]{43}$`, link)

	stranger := newPage(t, s.address())
	stranger.Phone()
	stranger.Open(link)
	stranger.WaitText("#text", "Good <i>morning</i>.")
	assert.Contains(t, stranger.Text("h1"), title)
	look(t, stranger, "a shared text")
	for _, of := range []string{"header.bar nav", `a[href*="/sign-in"]`, "#text script", "#text i", "h1 b", "[data-delete]"} {
		assert.Zero(t, stranger.Count(of), of)
	}
	assert.Equal(t, "noindex", browsertest.Eval[string](stranger, `document.querySelector('meta[name="robots"]').content`))
	assert.NotContains(t, browsertest.Eval[string](stranger, `document.documentElement.outerHTML`), "lovelace")
	browsertest.Eval[any](stranger, `(() => {
		document.getElementById("export").showPopover();
		globalThis.copied = null;
		navigator.clipboard.write = async ([item]) => { copied = await (await item.getType("text/plain")).text(); };
	})()`)
	stranger.Click("button", "Copy")
	stranger.Wait(`copied === "Ada <script>: Good <i>morning</i>.\n\nBen: Fine."`)
	browsertest.Eval[any](stranger, `document.querySelector("#export select").value = "srt"`)
	_, content := stranger.Download(func() { stranger.Click("button", "Download") })
	assert.Contains(t, string(content), "00:00:01,000")

	page.Reload()
	tabTo(t, page, `document.activeElement.textContent.startsWith("End the link")`)
	page.Press("\r")
	page.WaitText("main", "The link has ended.")
	look(t, page, "no link any more")
	stranger.Expect(`status of 404`)
	stranger.Reload()
	stranger.WaitText("main", "This link shows no text any more")
	assert.Zero(t, stranger.Count("header.bar nav"))
	look(t, stranger, "a link that has ended")
	stranger.NoScripts()
	stranger.Reload()
	assert.NotContains(t, stranger.Text("main"), "morning")
}
