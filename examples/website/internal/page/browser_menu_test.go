package page_test

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
)

// moved sums the shifts of the layout since the page was opened.
const moved = `new Promise(resolve => {
	let sum = 0;
	new PerformanceObserver(list => { for (const e of list.getEntries()) sum += e.value; }).observe({type: "layout-shift", buffered: true});
	requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
})`

// smallTargets are links and buttons of the header that are too small for a finger.
const smallTargets = `[...document.querySelectorAll(".bar a, .bar button")].filter(e => e.checkVisibility()).filter(e => {
	const box = e.getBoundingClientRect();
	return box.width < 24 || box.height < 24;
}).map(e => e.outerHTML)`

// On a phone the links of the header are a menu: the keyboard opens and closes it, a screen
// reader knows its state, and the present page is marked. It needs no JavaScript.
func TestBrowserFoldsTheNavigationOnAPhone(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User)
	for _, scripts := range []bool{true, false} {
		page := s.open(t)
		page.Phone()
		if !scripts {
			page.NoScripts()
		}
		page.Open("/library")
		page.See("button", "Menu")
		assert.False(t, page.Sees("link", "Batches"))
		assert.Less(t, browsertest.Eval[float64](page, `document.querySelector(".bar").getBoundingClientRect().height`), 50.0)
		if scripts {
			assert.Zero(t, browsertest.Eval[float64](page, moved))
		}
		page.Press(kb.Tab + kb.Tab + kb.Tab) // past the link to the content and the name of the site
		page.Wait(`document.activeElement.innerText === "Menu"`)
		assert.False(t, page.Expanded("button", "Menu"))
		page.Press(kb.Enter)
		page.See("link", "Batches")
		assert.True(t, page.Expanded("button", "Menu"))
		assert.Equal(t, "Library", page.Text(`#menu [aria-current="page"]`))
		assert.Empty(t, browsertest.Eval[[]string](page, smallTargets))
		assert.True(t, browsertest.Eval[bool](page, `(() => { const box = document.getElementById("menu").getBoundingClientRect(); return box.left >= 0 && box.right <= innerWidth && box.top >= 45; })()`))
		if scripts {
			assert.Empty(t, page.Barriers())
			page.Dark(true)
			assert.Empty(t, page.Barriers())
		}
		page.Press(kb.Tab)
		page.Wait(`document.activeElement.innerText === "Library"`)
		page.Press(kb.Escape)
		page.Wait(`document.activeElement.innerText === "Menu" && !document.querySelector("#menu").checkVisibility()`)
		assert.False(t, page.Expanded("button", "Menu"))
		page.Press(kb.Enter + kb.Tab + kb.Tab + kb.Enter)
		page.WaitAt(`^/batches$`)
	}
}

// A wide screen shows all links in a row, without a button, also where the menu was open before.
func TestBrowserShowsTheNavigationOnAWideScreen(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User)
	page := s.open(t)
	page.Phone()
	page.Open("/library")
	page.Click("button", "Menu")
	page.See("link", "Batches")
	page.Desktop()
	page.Wait(`!document.querySelector("#menu:popover-open")`)
	page.See("link", "Sources")
	assert.False(t, page.Sees("button", "Menu"))
	const rows = `new Set([...document.querySelectorAll("#menu a")].filter(a => a.checkVisibility()).map(a => a.offsetTop)).size`
	assert.Equal(t, 1, browsertest.Eval[int](page, rows))
	page.Press(kb.Escape)
	page.Click("link", "Settings")
	page.Click("link", "Webhooks")
	page.WaitAt(`^/webhooks$`)
	assert.Equal(t, 2, browsertest.Eval[int](page, rows), "those of the section stand below")
	assert.Equal(t, "Webhooks", page.Text(`#menu [aria-current="page"]`))
	assert.Empty(t, page.Barriers())
	page.Open("/library")
	assert.Zero(t, browsertest.Eval[float64](page, moved))
	assert.Empty(t, page.Barriers())
}

// What is beside a text on a wide screen is a sheet on a phone, which opens by keys and without
// JavaScript. Nothing moves while the page is made.
func TestBrowserRailIsASheetOnAPhone(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User)
	s.save(t, "dQw4w9WgXcQ", "A talk", "en", "hello world")
	for _, scripts := range []bool{true, false} {
		page := s.open(t)
		if !scripts {
			page.NoScripts()
		}
		page.WithoutCache()
		page.Open("/transcripts/video_site/dQw4w9WgXcQ?language=en")
		page.See("link", "History")
		assert.False(t, page.Sees("button", "Details"))
		if scripts {
			assert.Zero(t, browsertest.Eval[float64](page, moved))
		}
		page.Phone()
		page.Wait(`!document.getElementById("rail").checkVisibility()`)
		tabTo(t, page, `e.innerText === "Details"`)
		page.Press(kb.Enter)
		page.See("link", "History")
		if scripts {
			assert.Empty(t, page.Barriers())
		}
		page.Press(kb.Escape)
		page.Wait(`!document.getElementById("rail").checkVisibility()`)
		assert.Equal(t, "Details", browsertest.Eval[string](page, `document.activeElement.innerText`))
	}
}
