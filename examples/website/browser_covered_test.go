package main

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
)

// covered are the elements that a visitor can use, but that something else lies on: at the middle of
// the element, which is scrolled into view first. An open sheet stands above the page, so what is in
// the sheet counts then.
const covered = `(async () => {
	const sheet = document.querySelector(":popover-open");
	const found = [];
	let looked = 0;
	for (const e of (sheet ?? document).querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary, audio[controls], [contenteditable], [tabindex='0']")) {
		if (e.disabled || e.matches(".skip, [data-covers]") || !e.checkVisibility({ visibilityProperty: true, opacityProperty: false })) continue;
		e.scrollIntoView({ block: "nearest", inline: "nearest" });
		const boxes = [...e.getClientRects()].filter((box) => box.width > 0 && box.height > 0);
		if (!boxes.length) continue;
		looked++;
		const seen = boxes.some((box) => {
			const there = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
			return there && (e.contains(there) || there.contains(e) && there.closest("label") || there.closest("label")?.control === e);
		});
		if (!seen) {
			const [box] = boxes, on = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
			found.push(e.outerHTML.slice(0, 100) + " is below " + (on?.outerHTML.slice(0, 80) ?? "nothing, at " + Math.round(box.x) + "," + Math.round(box.y)));
		}
	}
	return [String(looked), ...found];
})()`

// rows is how many rows of the text, with the names of those who speak, stand in the window, between the search and the dock.
const rows = `(() => {
	const top = document.getElementById("within").getBoundingClientRect().bottom, dock = document.getElementById("player");
	const bottom = dock ? dock.getBoundingClientRect().top : innerHeight;
	const all = new Set();
	for (const line of document.querySelectorAll("#text :is(h3, p > span)")) for (const box of line.getClientRects()) if (box.top >= top - 1 && box.bottom <= bottom + 1) all.add(Math.round(box.top));
	return all.size;
})()`

// Nothing lies on what a visitor can use: on any page, in any state, in both languages, in four sizes
// and at 200 % zoom. With -short it looks at two sizes in one language.
func TestBrowserCoversNothing(t *testing.T) {
	t.Parallel()
	f := furnishSessions(t)
	sizes := map[string]chromedp.Action[chromedp.Void]{
		"desktop": chromedp.EmulateViewport(1280, 800), "phone": chromedp.EmulateViewport(360, 640, chromedp.EmulateMobile, chromedp.EmulateTouch),
		"tablet": chromedp.EmulateViewport(820, 1180), "wide": chromedp.EmulateViewport(1920, 1080), "at 200 %": chromedp.EmulateViewport(640, 400, chromedp.EmulateScale(2)),
	}
	languages := []string{"en", "de"}
	if testing.Short() {
		languages = languages[:1]
		delete(sizes, "tablet")
		delete(sizes, "wide")
		delete(sizes, "desktop")
	}
	states := append([]string{f.recording, f.job, f.goesOn, f.webhook, "/webhooks"}, f.paths...)
	for _, text := range []string{f.recording, f.text} {
		states = append(states, text+"&view=lines", text+" #rail", text+" #export", text+" #keys", text+" #replace")
	}
	looked := 0
	for _, language := range languages {
		f.Open("/")
		f.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector('.foot button[value="` + language + `"]')?.click()`))
		f.Wait(`document.documentElement.lang === ` + browsertest.Quote(language))
		for _, state := range states {
			path, sheet, _ := strings.Cut(state, " ")
			open(t, f.Page, path)
			for size, action := range sizes {
				f.Do(action)
				if sheet != "" {
					browsertest.Eval[any](f.Page, `(sheet => sheet.matches(":popover-open") || sheet.checkVisibility() || sheet.showPopover())(document.querySelector(`+browsertest.Quote(sheet)+`))`)
				}
				found := browsertest.Eval[[]string](f.Page, covered)
				assert.Empty(t, found[1:], "%s, %s, %s", language, state, size)
				looked += len(found)
				if size == "at 200 %" && sheet == "" && strings.HasPrefix(path, "/transcripts/") && f.Count("#text") == 1 {
					f.Do(chromedp.Evaluate[chromedp.Void](`scrollTo(0, 0)`))
					assert.GreaterOrEqual(t, browsertest.Eval[int](f.Page, rows), min(5, browsertest.Eval[int](f.Page, `document.querySelectorAll("#text p").length`)), path)
				}
			}
		}
	}
	assert.Positive(t, looked)
}
