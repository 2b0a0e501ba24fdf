package main

import (
	"testing"

	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
)

// No page has a fault that axe-core calls serious or critical, for whom and however it is
// shown; and none is wider than the narrowest phone.
func TestBrowserPagesAreOpenToAll(t *testing.T) {
	t.Parallel()
	f := furnish(t, "A talk about the sea")
	guest := newPage(t, f.address())
	for name, who := range map[string]struct {
		page  *browsertest.Page
		paths []string
	}{
		"user":     {f.Page, f.paths},
		"stranger": {guest, []string{"/", "/sign-in", "/sign-up", "/nothing-here"}},
	} {
		for _, path := range who.paths {
			who.page.Desktop()
			open(t, who.page, path)
			look(t, who.page, name, path, "desktop")
			who.page.Phone()
			look(t, who.page, name, path, "phone")
			narrow(t, who.page, path)
			who.page.RightToLeft()
			narrow(t, who.page, path+" from right to left")
		}
	}
}

// Long German words fit on a phone, too, and hold no barrier.
func TestBrowserPagesAreOpenInGerman(t *testing.T) {
	t.Parallel()
	f := furnish(t, "A talk about the sea")
	guest := newPage(t, f.address())
	for page, paths := range map[*browsertest.Page][]string{f.Page: f.paths, guest: {"/", "/sign-in", "/sign-up"}} {
		page.Phone()
		page.Open("/")
		page.Click("button", "Deutsch")
		page.Wait(`document.documentElement.lang === "de"`)
		for _, path := range paths {
			open(t, page, path)
			narrow(t, page, path+" in German")
			if path == "/" || path == "/usage" || path == f.text {
				barriers(t, page.Barriers(), "German", path)
			}
		}
	}
}

// look looks for barriers, in dark colors only for what is hard to read. With -short it leaves
// out the dark colors.
func look(t *testing.T, page *browsertest.Page, where ...any) {
	t.Helper()
	barriers(t, page.Barriers(), where...)
	if testing.Short() {
		return
	}
	page.Dark(true)
	barriers(t, page.Barriers("color-contrast", "link-in-text-block"), append(where, "dark")...)
	page.Dark(false)
}

func open(t *testing.T, page *browsertest.Page, path string) {
	t.Helper()
	if path == "/nothing-here" {
		page.Expect(`log: .* status of 404 .*/nothing-here`)
	}
	page.Open(path)
	page.See("main", "")
}

func barriers(t *testing.T, found []browsertest.Barrier, where ...any) {
	t.Helper()
	for _, barrier := range found {
		if barrier.Impact == "serious" || barrier.Impact == "critical" {
			t.Errorf("%v: %s", where, barrier)
		} else {
			t.Logf("%v: %s", where, barrier)
		}
	}
}

// narrow holds the page to a phone's width, also where all is unfolded.
func narrow(t *testing.T, page *browsertest.Page, path string) {
	t.Helper()
	if wide := browsertest.Eval[[]string](page, `(() => {
		const root = document.documentElement;
		for (const fold of document.querySelectorAll("details:not(#languages)")) fold.open = true;
		if (root.scrollWidth <= root.clientWidth) return [];
		return [root.scrollWidth + " of " + root.clientWidth, ...[...document.querySelectorAll("main *, header *")].filter(e => {
			const box = e.getBoundingClientRect();
			return box.right > root.clientWidth + 1 || box.left < -1;
		}).slice(0, 5).map(e => e.outerHTML.slice(0, 120))];
	})()`); len(wide) > 0 {
		t.Errorf("%s scrolls sideways on a phone: %q", path, wide)
	}
}
