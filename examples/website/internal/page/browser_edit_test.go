package page_test

import (
	"net/http"
	"strconv"
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
	return `[...document.querySelectorAll("#text p")][` + strconv.Itoa(n) + `].lastChild.data.replace("\u200b", "").trim()`
}

const state = "#edit-state"

// The text is corrected by keys alone, and saved in pauses.
func TestBrowserCorrectsByKeyboard(t *testing.T) {
	t.Parallel()
	_, page, path := edited(t, "one see", "two seas", "three lakes")
	browsertest.Eval[any](page, `document.getElementById("correct").focus()`)
	page.Press(kb.Enter)
	page.See("textbox", "Line at 0:00")
	page.Press(kb.End + kb.Backspace + "a")
	page.WaitText(state, "Saved.")
	page.Press(kb.Enter)
	page.See("textbox", "Line at 0:02")
	page.Press(kb.End + " of salt" + kb.Enter)
	page.See("textbox", "Line at 0:05")
	page.Press(kb.ArrowUp)
	page.See("textbox", "Line at 0:02")
	page.Press(kb.End + " and more" + kb.Escape)
	page.Wait(line(1) + ` === "two seas of salt"`)
	page.WaitText(state, "Saved.")
	page.Press(kb.Tab + "Ada")
	page.WaitText(state, "Saved.")
	assert.Empty(t, page.Barriers())
	page.Press(kb.Escape + kb.Escape)
	page.Wait(`document.activeElement.textContent === "0:02"`)
	page.Click("button", "Done")
	page.Open(path + "#edit")
	page.WaitText(state, "Saved.")
	page.Wait(line(0) + ` === "one sea" && ` + line(1) + ` === "two seas of salt"`)
}

// Two tabs.
func TestBrowserCorrectsInTwoTabs(t *testing.T) {
	t.Parallel()
	s, page, path := edited(t, "one see", "two seas", "three lakes")
	other := s.open(t)
	for _, p := range []*browsertest.Page{page, other} {
		p.Expect(`status of 412`)
		p.Open(path + "#edit")
		p.See("textbox", "Line at 0:00")
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
	s, page, path := edited(t, "one see", "two seas")
	page.Open(path + "#edit")
	page.See("textbox", "Line at 0:00")
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
