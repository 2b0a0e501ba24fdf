package main

import (
	"math"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
)

// A change that could not be sent is gone from the browser once its author signs out.
func TestBrowserKeepsNoDraftAfterSigningOut(t *testing.T) {
	t.Parallel()
	_, page := openSite(t)
	signUp(page, "ann")
	page.Open("/account")
	browsertest.Eval[any](page, `localStorage.setItem("draft /a", '{"account":"ann","lines":{}}')`)
	page.Wait(`performance.getEntriesByType("resource").some(({ name }) => name.endsWith("/drafts.js"))`)
	page.Click("button", "Sign out")
	page.WaitAt(`^/(sign-in)?$`)
	assert.Equal(t, 0, browsertest.Eval[int](page, `localStorage.length`))
}

// One line of a text of 6,000 lines can be edited at a time. To open the page, to go to the next line
// and to type there takes no longer than a few pieces of work. The fastest of several times counts, because other programs disturb
// single ones.
func TestBrowserCorrectsALongText(t *testing.T) {
	t.Parallel()
	s, page := openSite(t, "--single-user")
	path := longText(t, s, 6000)
	unit, opened, next := math.Inf(1), math.Inf(1), math.Inf(1) // milliseconds of the longest task
	for range 5 {
		unit = min(unit, trace(t, page, func() { browsertest.Eval[any](page, work) }).longest)
		opened = min(opened, trace(t, page, func() {
			page.Open(path)
			page.See("textbox", "Line at 0:00")
		}).longest)
		assert.Equal(t, 1, page.Count("#text [contenteditable]"))
		browsertest.Eval[any](page, `document.querySelector("#text [contenteditable]").focus()`)
		next = min(next, trace(t, page, func() {
			page.Press(kb.End + kb.Enter)
			page.See("textbox", "Line at 0:02")
			page.Press("!")
		}).longest)
		page.WaitText("#edit-state", "Saved.")
	}
	t.Logf("the longest task: %.0f ms to open the page, %.0f ms to the next line; a piece of work takes %.0f ms", opened, next, unit)
	assert.Less(t, opened, 8*unit)
	assert.Less(t, next, 4*unit)
}
