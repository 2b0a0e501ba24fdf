package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
)

// The first page and the page that records are small, and ask nobody else for anything. Nothing in
// the first page moves while it is made.
func TestBrowserFirstViewIsSmallAndStill(t *testing.T) {
	t.Parallel()
	s, user := openSite(t)
	signUp(user, "ann")
	for name, page := range map[string]*browsertest.Page{
		"stranger": newPage(t, s.address()), "stranger with a phone": newPage(t, s.address()),
		"user": user, "user with a phone": user.Tab(), "user who records": user.Tab(),
	} {
		if name == "stranger with a phone" || name == "user with a phone" {
			page.Phone()
		}
		page.WithoutCache()
		before, asked := page.Received(), len(page.Asked())
		if name == "user who records" {
			page.Open("/record")
		} else {
			page.Open("/")
		}
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
		if name != "user who records" { // whose footer makes room for what needs a script
			assert.Zero(t, shift, name)
		}
	}
}
