package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
)

// The first page is small, asks nobody else for anything, and nothing in it moves while it
// is made.
func TestBrowserFirstViewIsSmallAndStill(t *testing.T) {
	t.Parallel()
	s, user := openSite(t)
	signUp(user, "ann")
	for name, page := range map[string]*browsertest.Page{
		"stranger": newPage(t, s.address()), "stranger with a phone": newPage(t, s.address()),
		"user": user, "user with a phone": user.Tab(),
	} {
		if name == "stranger with a phone" || name == "user with a phone" {
			page.Phone()
		}
		page.WithoutCache()
		before, asked := page.Received(), len(page.Asked())
		page.Open("/")
		page.Wait(`document.readyState === "complete"`)
		shift := browsertest.Eval[float64](page, `new Promise(resolve => {
			let sum = 0;
			new PerformanceObserver(list => { for (const e of list.getEntries()) sum += e.value; }).observe({type: "layout-shift", buffered: true});
			requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
		})`)
		bytes := page.Received() - before
		t.Logf("%s: %d bytes in %d answers, layout shift %g", name, bytes, len(page.Asked())-asked, shift)
		assert.Greater(t, bytes, int64(1000), name)
		assert.Less(t, bytes, int64(30_000), name)
		assert.Zero(t, shift, name)
	}
}
