package page_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const ctrl = 2 // the modifier of a key

// pressWith presses a key together with the key Ctrl.
func pressWith(page *browsertest.Page, key string) {
	page.Do(chromedp.KeyEvent(key, chromedp.KeyModifiers(ctrl)))
}

// speakers is a script that returns who speaks in each line, as the service has it.
const speakers = `fetch("/web/v1/library/transcripts/video_site/dQw4w9WgXcQ?language=en").then(a => a.json()).then(({ transcript }) => transcript.segments.map(s => s.speaker).join(" "))`

// A name applies to all lines of a speaker, the name of another one merges the two, and a turn is
// given to one of them by a key, or to a new one.
func TestBrowserNamesThoseWhoSpeak(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User)
	talk := talkOfTwo()
	talk.Segments[3].Speaker = "Cleo"
	s.put(t, talk)
	page := s.open(t)
	page.Open("/transcripts/video_site/dQw4w9WgXcQ?language=en")
	ready(page)
	page.Type("textbox", "Another speaker", "Dora")
	page.Press(kb.Enter)
	page.Wait(speakers + `.then(all => all === "Dora Dora Ben Cleo")`)
	ready(page)
	pressWith(page, "2")
	page.Wait(speakers + `.then(all => all === "Ben Ben Ben Cleo")`)
	page.Wait(`document.querySelectorAll("#text h3").length === 2 && document.querySelectorAll("#voices li").length === 2`)
	browsertest.Eval[any](page, `document.querySelectorAll("#voices input[name=name]")[1].select()`)
	page.Press("Ben")
	page.See("button", "Merge")
	page.Press(kb.Enter)
	page.WaitText("#voices", "4 lines")
	page.Wait(speakers + `.then(all => all === "Ben Ben Ben Ben")`)
	assert.Empty(t, page.Barriers())
}

// Words are found and replaced in all lines, after the reader has seen what changes.
func TestBrowserReplacesInAllLines(t *testing.T) {
	t.Parallel()
	_, page, _ := edited(t, "one see", "two sees", "three lakes", "the <see>")
	ready(page)
	pressWith(page, "h")
	page.See("dialog", "Find and replace")
	page.Press("see" + kb.Tab + "$& sea")
	page.WaitText("#replace-count", "Found in 3 lines.")
	page.WaitText("#replace-preview", "the <$& sea>")
	openToAll(t, page, "replacing")
	page.Press(kb.Enter)
	page.WaitText(state, "Saved.")
	page.Wait(line(1) + ` === "two $& seas" && ` + line(2) + ` === "three lakes" && ` + line(3) + ` === "the <$& sea>"`)
}

// A click puts the caret where it is, and the browser's own undo works.
func TestBrowserCorrectsByMouse(t *testing.T) {
	t.Parallel()
	_, page, _ := edited(t, "one see", "two seas")
	page.See("textbox", "Line at 0:00")
	page.Do(chromedp.Evaluate[chromedp.Void](`(() => {
		const node = document.querySelectorAll("#text p span")[1].firstChild, range = new Range();
		range.setStart(node, 3);
		range.setEnd(node, 4);
		globalThis.box = range.getBoundingClientRect();
	})()`))
	at := browsertest.Eval[[]float64](page, `[box.left + 1, box.top + box.height / 2]`)
	page.Do(chromedp.MouseClickXY(at[0], at[1]))
	page.See("textbox", "Line at 0:02")
	page.Press("!")
	page.Wait(line(1) + ` === "two! seas"`)
	browsertest.Eval[any](page, `document.execCommand("undo")`)
	page.Wait(line(1) + ` === "two seas"`)
	page.WaitText(state, "Saved.")
}

// Words of which the recognizer was not sure are marked.
func TestBrowserMarksUnsureWords(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User)
	text := twoLines()
	text.Segments[0].Words = []transcript.Word{{Text: "one", End: 1, Confidence: .9}, {Text: "see", Start: 1, End: 2, Confidence: .5}}
	s.put(t, text)
	page := s.open(t)
	page.Open("/transcripts/video_site/dQw4w9WgXcQ?language=en")
	page.Wait(`[...CSS.highlights.get("doubtful") ?? []].map(r => r.startContainer.data.slice(r.startOffset, r.endOffset)).join("|") === "see"`)
}
