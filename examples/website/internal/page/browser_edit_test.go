package page_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// edited is a site with a text of a few lines.
func edited(t *testing.T, lines ...string) (*site, *browsertest.Page, string) {
	t.Helper()
	needBrowser(t)
	s := newSite(t, visitor.User)
	title := "A talk"
	text := transcript.Transcript{Platform: transcript.VideoSite, ExternalID: "dQw4w9WgXcQ", Lang: "en", Title: &title}
	for n, line := range lines {
		text.Segments = append(text.Segments, transcript.Segment{Text: line, Start: float64(n) * 2.5, Duration: 2, Speaker: "A"})
	}
	s.put(t, text)
	page := s.open(t)
	page.Open("/transcripts/video_site/dQw4w9WgXcQ?language=en")
	return s, page, "/transcripts/video_site/dQw4w9WgXcQ?language=en"
}

// line is what the page shows in a line.
func line(n int) string {
	return `[...document.querySelectorAll("#text p")][` + strconv.Itoa(n) + `].lastElementChild.textContent.trim()`
}

const state = "#edit-state"

// ready waits until the page can correct its text, and puts the caret at the end of the first line.
func ready(page *browsertest.Page) {
	page.See("textbox", "Line at 0:00")
	browsertest.Eval[any](page, `document.querySelector("#text [contenteditable]").focus()`)
	page.Press(kb.End)
}

// The text is corrected by keys alone, and saved in pauses.
func TestBrowserCorrectsByKeyboard(t *testing.T) {
	t.Parallel()
	_, page, path := edited(t, "one see", "two seas", "three lakes")
	ready(page)
	page.Press(kb.Backspace + "a")
	page.WaitText(state, "Saved.")
	page.Press(kb.Enter)
	page.See("textbox", "Line at 0:02")
	page.Press(kb.End + " of salt" + kb.Enter)
	page.See("textbox", "Line at 0:05")
	page.Press(kb.ArrowUp)
	page.Press(kb.ArrowLeft + kb.ArrowLeft)
	page.WaitText(state, "Saved.")
	assert.Empty(t, page.Barriers())
	page.Press(kb.Escape)
	page.Wait(`document.activeElement.id === "open-at"`)
	assert.Equal(t, 1, page.Count("#text [contenteditable], #text [tabindex='0']"), "the text is one stop")
	page.Open(path)
	page.Wait(line(0) + ` === "one sea" && ` + line(1) + ` === "two seas of salt"`)
}

// Two tabs.
func TestBrowserCorrectsInTwoTabs(t *testing.T) {
	t.Parallel()
	s, page, path := edited(t, "one see", "two seas", "three lakes")
	other := s.open(t)
	for _, p := range []*browsertest.Page{page, other} {
		p.Expect(`status of 412`)
		p.Open(path)
		ready(p)
	}
	page.Press(kb.End + " A")
	page.WaitText(state, "Saved.")
	other.Press(kb.Enter + kb.End + " B" + kb.Enter)
	other.Wait(line(0) + ` === "one see A"`)
	other.WaitText(state, "Saved.")
	page.Press(kb.Enter + kb.End + " C")
	page.WaitText(state, "Choose one of two versions")
	assert.Empty(t, page.Barriers())
	page.Click("button", "Keep mine")
	page.WaitText(state, "Saved.")
	other.Press(kb.ArrowUp + kb.End + " D")
	other.WaitText(state, "Choose one of two versions")
	other.Click("button", "Take the other")
	other.WaitText(state, "Saved.")
	other.Wait(line(1) + ` === "two seas C"`)
}

// A lost connection.
func TestBrowserCorrectsWithoutConnection(t *testing.T) {
	t.Parallel()
	s, page, _ := edited(t, "one see", "two seas")
	ready(page)
	page.Expect(`.`)
	back := s.between(away)
	page.Press(kb.End + " A")
	page.WaitText(state, "no connection")
	back()
	page.WaitText(state, "Saved.")
	back = s.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.Method == http.MethodPatch {
			away(w, r, next)
			return
		}
		next.ServeHTTP(w, r)
	})
	page.Press(kb.End + " B")
	page.WaitText(state, "no connection")
	page.Reload()
	page.WaitText(state, "no connection")
	page.Wait(line(0) + ` === "one see A B"`)
	back()
	page.WaitText(state, "Saved.")
	assert.Equal(t, 0, browsertest.Eval[int](page, `localStorage.length`))
}

// Enter splits a line, also for another speaker, and Backspace at the start of a line joins it to the
// line before.
func TestBrowserSplitsAndJoinsLines(t *testing.T) {
	t.Parallel()
	_, page, path := edited(t, "one see two seas", "three lakes")
	ready(page)
	page.Press(kb.Home + "🌊" + strings.Repeat(kb.ArrowRight, len("one see")) + kb.Enter)
	page.Wait(line(0) + ` === "🌊one see" && ` + line(1) + ` === "two seas" && ` + line(2) + ` === "three lakes"`)
	page.Wait(`document.activeElement.textContent === "two seas" && document.querySelectorAll(".para").length === 2`)
	page.Press("all ")
	page.WaitText(state, "Saved.")
	page.Press(kb.ArrowDown + kb.Home + kb.Backspace)
	page.Wait(`document.activeElement.textContent === "all two seas three lakes"`)
	page.Press("and ")
	page.WaitText(state, "Saved.")
	assert.Empty(t, page.Barriers())
	page.Open(path)
	page.Wait(line(0) + ` === "🌊one see" && ` + line(1) + ` === "all two seas and three lakes"`)
}

// The title is written where it stands.
func TestBrowserWritesTheTitle(t *testing.T) {
	t.Parallel()
	_, page, path := edited(t, "one see")
	ready(page)
	page.Click("textbox", "Title")
	page.Press(kb.End + " <b>of the sea</b>" + kb.Enter)
	page.Wait(`document.title.startsWith("A talk <b>of the sea</b>")`)
	page.Open(path)
	page.WaitText("h1", "A talk <b>of the sea</b>")
}
