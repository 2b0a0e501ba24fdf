package page_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
)

// tabTo presses the key Tab until a condition holds for the focused element, e. Each stop on the
// way shows its focus.
func tabTo(t *testing.T, page *browsertest.Page, condition string) {
	t.Helper()
	for range 80 {
		if browsertest.Eval[bool](page, `(e => `+condition+`)(document.activeElement)`) {
			return
		}
		page.Press(kb.Tab)
		require.True(t, browsertest.Eval[bool](page, `(() => {
			const e = document.activeElement, style = getComputedStyle(e);
			return e === document.body || e.matches("audio") || style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
		})()`), "the focus does not show at %s", browsertest.Eval[string](page, `document.activeElement.outerHTML.slice(0, 200)`))
	}
	t.Fatalf("no key leads to the element with %s", condition)
}

// openToAll looks for barriers in light and dark colors, on a wide screen and on a phone, and ends
// as it began.
func openToAll(t *testing.T, page *browsertest.Page, state string) {
	t.Helper()
	for _, phone := range []bool{false, true} {
		if phone {
			page.Phone()
		}
		for _, dark := range []bool{false, true} {
			page.Dark(dark)
			assert.Empty(t, page.Barriers(), state)
		}
	}
	assert.True(t, browsertest.Eval[bool](page, `document.documentElement.scrollWidth <= document.documentElement.clientWidth`), state)
	page.Dark(false)
	page.Desktop()
}

// goByKeys goes from the start page to the first text of the library.
func goByKeys(t *testing.T, page *browsertest.Page) {
	t.Helper()
	page.Open("/")
	tabTo(t, page, `e.getAttribute("href") === "/library"`)
	page.Press(kb.Enter)
	page.WaitAt(`^/library$`)
	tabTo(t, page, `e.matches("a[href^='/transcripts/']")`)
	page.Press(kb.Enter)
	page.WaitAt(`^/transcripts/`)
}

// oddWords would be markup if they were not text.
const oddWords = "<img src=x onerror=alert(1)> \"' {{.}}"

// A reader listens by keys alone, from the start page to the line that is spoken.
func TestBrowserListensByKeys(t *testing.T) {
	t.Parallel()
	page, _ := listen(t, "tone.webm")
	goByKeys(t, page)
	page.Wait(`audio.readyState > 0`)
	openToAll(t, page, "a recording")
	tabTo(t, page, `e.matches("#text [contenteditable]")`)
	page.Press(kb.ArrowDown + kb.ArrowDown + kb.Tab)
	page.Wait(`!audio.paused && document.activeElement.matches("#text [contenteditable]")`)
	spoken(page, 2)
	page.Press(kb.Tab)
	page.Wait(`audio.paused`)
	browsertest.Eval[any](page, `audio.currentTime = 4.5`)
	page.Do(chromedp.KeyEvent(kb.Tab, chromedp.KeyModifiers(8)))
	page.Wait(`!audio.paused && audio.currentTime < 4`) // no sentence has ended before
	page.Press(kb.Escape)
	page.Wait(`document.activeElement.id === "play"`)
	page.Press("?")
	page.See("dialog", "Keys")
	openToAll(t, page, "all keys")
	page.Press(kb.Escape + "k")
	page.Wait(`audio.paused`)
}

// A reader corrects a line and names its speaker by keys alone, from the start page on. The new
// names and words are text, whatever they are. A reload in the middle loses nothing.
func TestBrowserCorrectsByKeysFromTheStart(t *testing.T) {
	t.Parallel()
	_, page, path := edited(t, "one see", "two seas", "three lakes")
	goByKeys(t, page)
	tabTo(t, page, `e.matches("#voices input[name=name]")`)
	page.Press(oddWords + kb.Enter)
	page.WaitText("#text h3", "<img src=x onerror=alert(1)>")
	browsertest.Eval[any](page, `document.activeElement.blur()`)
	tabTo(t, page, `e.matches("#text [contenteditable]")`)
	openToAll(t, page, "editing")
	page.Expect(`dialog: beforeunload`)
	page.Press(kb.End + kb.Backspace + "a " + oddWords)
	page.Reload() // before the pause in which it is saved
	page.WaitText(state, "Saved.")
	page.Wait(line(0) + ` === ` + browsertest.Quote("one sea "+oddWords))
	openToAll(t, page, "odd words")

	for _, view := range []string{"", "&view=lines"} {
		page.Open(path + view)
		page.WaitText("#text h3", "<img src=x onerror=alert(1)>")
		page.WaitText("#text", "one sea <img src=x")
		assert.Zero(t, page.Count("main img"))
	}
}

// Without JavaScript a form corrects lines and names a speaker in all lines, by keys alone.
func TestBrowserNamesASpeakerByKeys(t *testing.T) {
	t.Parallel()
	_, page, _ := edited(t, "one see", "two seas")
	page.NoScripts() // axe-core sees this form with scripts, in the table of all pages
	goByKeys(t, page)
	tabTo(t, page, `e.id === "correct"`)
	page.Press(kb.Enter)
	page.WaitAt(`/edit\?`)
	tabTo(t, page, `e.name === "name"`)
	page.Press(`Ada "<b>" Byron` + kb.Enter) // which replaces the name, because Tab has selected it
	page.WaitAt(`/edit\?`)
	page.WaitText("main", "Saved.")
	page.Wait(`document.querySelector("input[name=name]").value === 'Ada "<b>" Byron'`)
	tabTo(t, page, `e.matches("textarea[name=text]")`)
	page.Press(kb.End + "!")
	tabTo(t, page, `e.innerText === "Save"`)
	browsertest.Eval[any](page, `globalThis.before = true`)
	page.Press(kb.Enter)
	page.Wait(`!globalThis.before`)
	page.WaitText("main", "Saved.")
	tabTo(t, page, `e.matches("main .lead a")`)
	page.Press(kb.Enter)
	page.WaitAt(`^/transcripts/[^/]+/[^/?]+\?`)
	page.WaitText("#text h3", `Ada "<b>" Byron`)
	page.WaitText("#text", "one see!")
	assert.Equal(t, 1, page.Count("#text h3"))
}

// Two tabs change the same line. The reader who is later chooses by keys, and neither version is
// lost before that, also over a reload.
func TestBrowserSettlesAConflictByKeys(t *testing.T) {
	t.Parallel()
	s, page, path := edited(t, "one see", "two seas")
	other := s.open(t)
	for _, p := range []*browsertest.Page{page, other} {
		p.Expect(`status of 412`, `dialog: beforeunload`)
		p.Open(path)
		ready(p)
	}
	page.Press(kb.End + " of mine")
	page.WaitText(state, "Saved.")
	other.Press(kb.End + " <b>of theirs</b>")
	other.WaitText(state, "Choose one of two versions")
	openToAll(t, other, "a conflict")
	other.Reload()
	other.WaitText(state, "Choose one of two versions")
	other.WaitText(".choice", "one see of mine")
	other.WaitText(".choice", "one see <b>of theirs</b>")
	tabTo(t, other, `e.innerText === "Keep mine"`)
	other.Press(kb.Enter)
	other.WaitText(state, "Saved.")
	page.Reload()
	page.Wait(line(0) + ` === "one see <b>of theirs</b>"`)
}

// The connection is lost while a change is saved, and the page is closed: the change is saved when
// the reader comes back.
func TestBrowserSavesWhenTheReaderComesBack(t *testing.T) {
	t.Parallel()
	s, page, path := edited(t, "one see", "two seas")
	page.Expect(`.`)
	page.Open(path)
	ready(page)
	back := s.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.Method == http.MethodPatch { // taken, but the answer is lost
			next.ServeHTTP(nullWriter{}, r)
			away(w, r, next)
			return
		}
		next.ServeHTTP(w, r)
	})
	page.Press(kb.End + " again")
	page.WaitText(state, "no connection")
	openToAll(t, page, "no connection")
	page.Open("/")
	back()
	page.Open(path)
	page.WaitText(state, "Saved.")
	page.Wait(line(0) + ` === "one see again"`)
	assert.Equal(t, 0, browsertest.Eval[int](page, `localStorage.length`))
}

// nullWriter takes an answer without a receiver.
type nullWriter struct{}

func (nullWriter) Header() http.Header         { return http.Header{} }
func (nullWriter) Write(p []byte) (int, error) { return len(p), nil }
func (nullWriter) WriteHeader(int)             {}

// A file becomes a text by keys alone, whatever its name is.
func TestBrowserImportsByKeys(t *testing.T) {
	t.Parallel()
	_, page, _ := edited(t, "one see")
	file := filepath.Join(t.TempDir(), `<img src=x onerror=alert(1)>.srt`)
	require.NoError(t, os.WriteFile(file, []byte(subtitles), 0o600))
	page.Open("/")
	tabTo(t, page, `e.getAttribute("href") === "/library"`)
	page.Press(kb.Enter)
	page.WaitAt(`^/library$`)
	tabTo(t, page, `e.getAttribute("href") === "/library/import"`)
	page.Press(kb.Enter)
	page.WaitAt(`^/library/import$`)
	openToAll(t, page, "the form")
	tabTo(t, page, `e.id === "file"`)
	page.Choose("#file", file) // the dialog is the system's
	tabTo(t, page, `e.matches("main input[type=text], main input:not([type])")`)
	page.Press("en")
	tabTo(t, page, `e.innerText === "Use this text"`)
	page.Press(kb.Enter)
	page.WaitAt(`^/transcripts/upload/`)
	page.WaitText("#text", "from <a> file")
	openToAll(t, page, "the text")
}
