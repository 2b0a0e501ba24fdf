package main

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Somebody who only types names the two speakers of a talk of 40 minutes, each with one edit,
// corrects 30 errors, each with one edit, and shares the text.
func TestBrowserCorrectsATalkByTyping(t *testing.T) {
	t.Parallel()
	const lines, errors = 480, 30
	s, page := openSite(t)
	signUp(page, "ann")
	talk := transcript.Transcript{Platform: transcript.VideoSite, ExternalID: "dQw4w9WgXcQ", Lang: "en"}
	for n := range lines {
		text := "This is what was said in line " + fmt.Sprint(n) + "."
		if n%(lines/errors) == 7 {
			text = fmt.Sprintf("This is wat%03d was said.", n)
		}
		talk.Segments = append(talk.Segments, transcript.Segment{Text: text, Start: float64(5 * n), Duration: 5, Speaker: []string{"Speaker 1", "Speaker 2"}[n/3%2]})
	}
	_, err := s.server.PutTranscript(t.Context(), "ann", talk)
	require.NoError(t, err)
	page.Open("/transcripts/video_site/dQw4w9WgXcQ?language=en")
	page.See("textbox", "Line at 0:00")
	before := patches(page)
	for _, name := range []string{"Ada", "Ben"} {
		tabTo(t, page, `document.activeElement.matches("#voices [name=name]") && document.activeElement.value.startsWith("Speaker")`)
		page.Press(name + kb.Enter)
		page.WaitText("#notices", "240 lines are of "+name+" now.")
	}
	assert.Equal(t, 2, patches(page)-before, "an edit for each speaker")
	page.Press(kb.Tab + kb.Tab)
	for n := 7; n < lines; n += lines / errors {
		browsertest.Eval[any](page, `document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "/", bubbles: true }))`) // a driver types it too, come what may
		page.Press(fmt.Sprintf("wat%03d", n))
		page.WaitText("#within-count", "1 of 1")
		page.Press(kb.Escape)
		page.Wait(`getSelection().toString().startsWith("wat")`)
		page.Press("what" + kb.Escape)
	}
	page.WaitText("#edit-state", "Saved.")
	assert.Empty(t, browsertest.Eval[[]string](page, `fetch("/web/v1/library/transcripts/video_site/dQw4w9WgXcQ").then(answer => answer.json())
		.then(({ transcript }) => transcript.segments.filter(({ speaker, text }, n) => text.includes("wat") || speaker !== ["Ada", "Ben"][Math.floor(n / 3) % 2]).map(({ text }) => text))`))
	tabTo(t, page, `document.activeElement.innerText === "Share"`)
	page.Press(kb.Enter)
	page.WaitAt(`/share`)
	tabTo(t, page, `document.activeElement.textContent === "Make a link"`)
	page.Press(kb.Enter)
	page.WaitText("#secret", "/shared/")
}

// patches is how many edits the page has sent.
func patches(page *browsertest.Page) int {
	return browsertest.Eval[int](page, `performance.getEntriesByType("resource").filter(({ name }) => name.includes("/web/v1/library/transcripts/") && !name.includes("include=words")).length`)
}
