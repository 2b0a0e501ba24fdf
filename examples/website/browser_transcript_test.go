package main

import (
	"strconv"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// readText saves lines that begin every two seconds, and opens their page.
func readText(t *testing.T, change func(*transcript.Transcript), lines ...string) *browsertest.Page {
	t.Helper()
	s, page := openSite(t, "--single-user")
	title := "A talk"
	text := transcript.Transcript{Platform: transcript.VideoSite, ExternalID: "dQw4w9WgXcQ", Lang: "en", Title: &title}
	for n, line := range lines {
		text.Segments = append(text.Segments, transcript.Segment{Text: line, Start: float64(n) * 2.5, Duration: 2})
	}
	if change != nil {
		change(&text)
	}
	_, err := s.server.PutTranscript(t.Context(), "me", text)
	require.NoError(t, err)
	page.Open("/transcripts/" + string(text.Platform) + "/" + text.ExternalID)
	return page
}

// drawn is what the page draws as found, and what as the one that it is at.
const drawn = `["found", "found-now"].map(name => [...CSS.highlights.get(name) ?? []].map(r => r.startContainer.data.slice(r.startOffset, r.endOffset)).join("|"))`

// What is searched for is found whatever its case, accents, white space and quotes, also
// where it goes on in the next line.
func TestBrowserSearchesInTheText(t *testing.T) {
	t.Parallel()
	page := readText(t, nil, "Straße  am\nMeer", "Café au lait, it’s", "a ﬁne", "day ΟΔΟΣ", "我们在北", "京见面", "x İstanbul e\u0301\u0302te\u0301 🇩🇪 end")
	for query, want := range map[string]struct{ count, found string }{
		"strasse":         {"1 of 1", "Straße"},
		"STRASSE AM meer": {"1 of 1", "Straße  am\nMeer"},
		"cafe":            {"1 of 1", "Café"},
		"it's a fine day": {"1 of 1", "it’s|a ﬁne|day"},
		"οδος":            {"1 of 1", "ΟΔΟΣ"},
		"北京":              {"1 of 1", "北|京"},
		"ete":             {"1 of 1", "e\u0301\u0302te\u0301"},
		"istanbul":        {"1 of 1", "İstanbul"},
		"🇩🇪 end":          {"1 of 1", "🇩🇪 end"},
		"a":               {"1 of 8", ""},
		"<b>":             {"Not found", ""},
	} {
		browsertest.Eval[any](page, `document.getElementById("within-words").select()`)
		page.Press(query)
		page.WaitText("#within-count", want.count)
		if got := browsertest.Eval[[]string](page, drawn); want.found != "" {
			assert.Equal(t, []string{want.found, want.found}, got, query)
		}
	}
}

// The keyboard is enough: a slash begins, Enter goes on, Escape ends at the line.
func TestBrowserSearchesByKeyboard(t *testing.T) {
	t.Parallel()
	page := readText(t, nil, "one sea", "two seas", "no", "three SEA")
	browsertest.Eval[any](page, `document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "/", bubbles: true }))`) // a driver types it too, come what may
	page.Press("sea")
	page.WaitText("#within-count", "1 of 3")
	page.Press(kb.Enter)
	page.WaitText("#within-count", "2 of 3")
	page.Press(kb.Enter + kb.Enter)
	page.WaitText("#within-count", "1 of 3")
	page.Click("button", "Previous match")
	page.WaitText("#within-count", "3 of 3")
	assert.Equal(t, "three SEA", browsertest.Eval[string](page, `document.querySelector(".here").lastElementChild.textContent.trim()`))
	browsertest.Eval[any](page, `document.getElementById("within-words").focus()`)
	page.Press(kb.Escape)
	page.Wait(`document.activeElement.textContent === "three SEA" && getSelection().toString() === "SEA"`)
	page.Wait(`document.getElementById("within-words").value === "" && document.getElementById("within-count").value === ""`)
	page.Wait(`[...CSS.highlights.get("found")].length === 0`)
}

// An address leads to the line of its time, also to one in between; so does a click on a
// time of an upload.
func TestBrowserLeadsToATime(t *testing.T) {
	t.Parallel()
	lines := make([]string, 400)
	for n := range lines {
		lines[n] = "line of a long text"
	}
	page := readText(t, func(text *transcript.Transcript) {
		text.Platform, text.ExternalID = transcript.Upload, "0123456789abcdef0123456789abcdef"
	}, lines...)
	const seen = `(() => { const box = document.querySelector(".here").getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight; })()`
	for hash, at := range map[string]string{"#t=500": "8:20", "#t=851.2": "14:10", "#t=99999": "16:37", "#t=2.5": "0:02"} {
		page.Open(page.At() + hash)
		page.Wait(`document.querySelector(".here")?.firstChild.textContent === ` + strconv.Quote(at))
		page.Wait(seen)
		page.Open("/")
		page.Open("/transcripts/upload/0123456789abcdef0123456789abcdef")
	}
	page.Open(page.At() + "?view=lines")
	page.Click("link", "0:10")
	page.WaitAt(`upload`)
	page.Wait(`location.hash === "#t=10" && document.querySelector(".here").firstChild.textContent === "0:10"`)
}

// The whole text and a line's link are copied, where there is a clipboard and where there
// is none.
func TestBrowserCopies(t *testing.T) {
	t.Parallel()
	page := readText(t, func(text *transcript.Transcript) { text.Segments[0].Speaker = "Ada" }, "one sea", "two seas")
	for _, lacks := range []string{"", "globalThis.ClipboardItem = undefined", `navigator.clipboard.write = async () => { throw new DOMException("no", "NotAllowedError"); }`} {
		// What is copied is caught where it goes: the clipboard is one for all tests.
		browsertest.Eval[any](page, `(() => {
			globalThis.copied = null;
			navigator.clipboard.write = async ([item]) => { copied = await (await item.getType("text/plain")).text(); };
			document.addEventListener("copy", () => { copied = document.activeElement.value; });
		})()`)
		if lacks != "" {
			browsertest.Eval[any](page, "void ("+lacks+")")
		}
		for format, want := range map[string]string{
			"lines": `"Ada: one sea\ntwo seas"`, "paragraphs": `"Ada: one sea\n\ntwo seas"`,
		} {
			browsertest.Eval[any](page, `(sheet => { sheet.showPopover(); sheet.querySelector("select").value = `+browsertest.Quote(format)+`; sheet.firstElementChild.dispatchEvent(new Event("change")); })(document.getElementById("export"))`)
			page.WaitText("#export-preview", "two seas")
			page.Click("button", "Copy")
			page.Wait("copied === " + want)
			page.Press(kb.Escape)
		}
		browsertest.Eval[any](page, `document.querySelectorAll("#text a")[1].focus()`)
		page.Click("button", "Copy link")
		page.Wait(`copied === "https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=2s"`)
		page.Reload()
	}
}

// Browsers that cannot draw places show the lines in which they are.
func TestBrowserSearchesWithoutHighlights(t *testing.T) {
	t.Parallel()
	page := readText(t, nil, "one sea", "two lakes", "three seas")
	page.Before(`delete CSS.highlights; delete globalThis.Highlight;`)
	page.Reload()
	require.True(t, browsertest.Eval[bool](page, `CSS.highlights === undefined`))
	page.Type("searchbox", "Search in the text", "sea")
	page.WaitText("#within-count", "1 of 2")
	page.Wait(`[...document.querySelectorAll("#text .found")].map(line => line.lastElementChild.textContent.trim()).join("|") === "one sea|three seas"`)
	page.Type("searchbox", "Search in the text", "lake")
	page.Wait(`[...document.querySelectorAll("#text .found")].map(line => line.lastElementChild.textContent.trim()).join("|") === "two lakes"`)
	page.Type("searchbox", "Search in the text", "")
	page.Wait(`!document.querySelector("#text .found")`)
}

// A text is printed whole, and without what could be pressed.
func TestBrowserPrintsAText(t *testing.T) {
	t.Parallel()
	s, page := openSite(t, "--single-user")
	page.Dark(true)
	page.Open(longText(t, s, 300))
	page.Print(true)
	assert.Equal(t, 300, browsertest.Eval[int](page, `[...document.querySelectorAll("#text p")].filter(line => line.checkVisibility({contentVisibilityAuto: true})).length`))
	assert.Empty(t, browsertest.Eval[[]string](page, `[...document.querySelectorAll("header.bar, nav, button, .button, input, select, summary, .skip")].filter(e => e.checkVisibility()).map(e => e.outerHTML)`))
	assert.Equal(t, "rgb(28, 30, 34)", browsertest.Eval[string](page, `getComputedStyle(document.querySelector("#text p")).color`), "light letters on white paper")
	page.Print(false)
	page.See("searchbox", "Search in the text")
}

// A text that is deleted goes from its page, comes back by undo, and is gone for good
// when the page is left.
func TestBrowserDeletesFromTheText(t *testing.T) {
	t.Parallel()
	page := readText(t, nil, "one sea")
	browsertest.Eval[any](page, `document.querySelector("#rail details").open = true`)
	page.Click("button", "Delete")
	page.Wait(`document.querySelector("article").hidden`)
	page.Click("button", "Undo")
	page.Wait(`!document.querySelector("article").hidden`)
	page.Click("button", "Delete")
	page.Wait(`document.querySelector("article").hidden`)
	page.Expect(`log: .* status of 404 .*/transcripts/video_site/dQw4w9WgXcQ(\?language=en)?$`) // of the question below, and where it is deleted twice
	page.Open("/library")
	page.Wait(`fetch("/transcripts/video_site/dQw4w9WgXcQ").then(answer => answer.status === 404)`)
}

// All of a text is read without JavaScript, and what can be done without it is offered.
func TestBrowserReadsWithoutScripts(t *testing.T) {
	t.Parallel()
	s, page := openSite(t, "--single-user")
	path := longText(t, s, 300)
	page.NoScripts()
	page.Open(path + "#t=99.2")
	assert.Equal(t, 300, page.Count("#text p"))
	page.Wait(`(() => { const line = document.querySelector("p:target"); return line.firstChild.textContent === "1:39" && line.getBoundingClientRect().bottom < innerHeight; })()`)
	page.Click("button", "Export")
	page.See("button", "Download")
	assert.False(t, page.Sees("button", "Copy"))
}
