package main

import (
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// On small and large phones the text begins within the first 300 pixels, also below a title of a
// hundred letters, a channel and chapters.
func TestBrowserTextBeginsHighOnAPhone(t *testing.T) {
	t.Parallel()
	page := readText(t, func(text *transcript.Transcript) {
		title, channel, published := "How the sea took the village and gave it back again, told by the people who live there still today", "Talks of the coast", transcript.At(time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC))
		text.Title, text.Channel, text.PublishedAt = &title, &channel, &published
		text.Segments[0].Speaker = "Ada"
		text.Metadata = map[string]any{"chapters": []any{map[string]any{"title": "The sea", "start": 0}, map[string]any{"title": "The village", "start": 2}}}
	}, "one sea", "two seas")
	for _, size := range [][2]int64{{360, 640}, {390, 844}} {
		page.Do(chromedp.EmulateViewport(size[0], size[1], chromedp.EmulateMobile, chromedp.EmulateTouch, chromedp.EmulateScale(2)))
		for _, view := range []string{"", "?view=lines"} {
			page.Open("/transcripts/video_site/dQw4w9WgXcQ" + view)
			top := browsertest.Eval[float64](page, `document.querySelector("#text p").getBoundingClientRect().top`)
			t.Logf("%d × %d %q: the text begins at %.0f px", size[0], size[1], view, top)
			assert.Less(t, top, 300.0, view)
		}
		assert.Zero(t, page.Count("details[open]"))
	}
}

// The other view of the text is at the place where the reader was.
func TestBrowserKeepsThePlaceInTheOtherView(t *testing.T) {
	t.Parallel()
	lines := make([]string, 400)
	for n := range lines {
		lines[n] = "Line " + strconv.Itoa(n) + " of a long text ends here."
	}
	page := readText(t, nil, lines...)
	page.Open(page.At() + "?view=lines")
	browsertest.Eval[any](page, `[...document.querySelectorAll("#text p")][300].scrollIntoView()`)
	browsertest.Eval[any](page, `document.querySelector("#views a:not([aria-current])").click()`)
	page.WaitAt(`language=en$`)
	page.Wait(`/Line (299|300) /.test(document.querySelector(".here")?.textContent)`)
	page.Wait(`(() => { const box = document.querySelector(".here").getBoundingClientRect(); return box.top < innerHeight && box.bottom > 0; })()`)
	page.Type("searchbox", "Search in the text", "line 301 of")
	page.WaitText("#within-count", "1 of 1")
}
