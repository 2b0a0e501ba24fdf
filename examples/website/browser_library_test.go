package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// save puts texts with these titles into the library of the site's one user.
func (s *website) save(t *testing.T, titles ...string) {
	t.Helper()
	for n, title := range titles {
		_, err := s.server.PutTranscript(t.Context(), "me", transcript.Transcript{
			Platform: transcript.VideoSite, ExternalID: fmt.Sprintf("aaaaaaaaa%02d", n), Lang: "en", Title: &title,
			Segments: []transcript.Segment{{Text: "Said in " + title, Start: 1, Duration: 2}, {Text: "and more", Start: 61.5, Duration: 2}},
		})
		require.NoError(t, err)
	}
}

// api is the API as the site's one user has it.
func (s *website) api(t *testing.T) *client.Client {
	t.Helper()
	c, err := client.New(s.address()+"web", client.WithHTTPClient(&http.Client{Transport: http.DefaultTransport}))
	require.NoError(t, err)
	return c
}

// kept are the titles that the library of the site's one user has.
func (s *website) kept(t *testing.T) string {
	t.Helper()
	var titles []string
	for item, err := range s.api(t).Library.All(t.Context(), library.Query{Sort: library.Title}) {
		require.NoError(t, err)
		titles = append(titles, *item.Title)
	}
	return strings.Join(titles, " ")
}

// shown are the titles that the library's page shows.
const shown = `[...document.querySelectorAll("[data-row]:not([hidden]) h2")].map((h) => h.textContent).join(" ")`

// remove opens the menu of a row, and deletes the row.
func remove(page *browsertest.Page, title string) {
	page.Do(chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll("[data-row]")].find((row) => row.querySelector("h2").textContent === ` + browsertest.Quote(title) + `).querySelector(".more").open = true`))
	page.Click("button", "Delete "+title)
}

// A row that is deleted goes at once, and comes back with the keyboard where it was; the
// service hears of nothing.
func TestBrowserUndoesADelete(t *testing.T) {
	t.Parallel()
	s, page := openSite(t, "--single-user")
	s.save(t, "One", "Two", "Three")
	page.Open("/library?sort=title")
	remove(page, "Three")
	page.Wait(shown + ` === "One Two"`)
	page.WaitText("#notices", "Deleted: Three")
	page.Wait(`document.activeElement.textContent === "Undo"`)
	page.Press(kb.Escape) // goes on beside what went, while the notice stays
	page.Wait(`document.activeElement.closest("[data-row]")?.textContent.includes("Two")`)
	page.See("button", "Undo")
	page.Click("button", "Undo")
	page.Wait(shown + ` === "One Three Two"`)
	page.Wait(`document.activeElement.dataset.notice === "Deleted: Three"`)
	assert.Equal(t, "One Three Two", s.kept(t))
	for _, asked := range page.Asked() {
		assert.NotContains(t, asked, "/web/v1/library/transcripts/")
	}
}

// After ten seconds what is deleted is gone; what the service keeps comes back, with the
// reason; what another tab has deleted meanwhile is gone as well.
func TestBrowserDeletesWhenNobodyUndoesIt(t *testing.T) {
	t.Parallel()
	s, page := openSite(t, "--single-user")
	s.save(t, "One", "Two", "Three")
	page.Expect(`status of 404`)
	page.Open("/library?sort=title")
	page.Wait(`(window.begun = performance.now()) > 0`)
	browsertest.Eval[bool](page, `(() => {
		const ask = window.fetch;
		window.fetch = (url, options) => options?.method === "DELETE" && url.includes("aaaaaaaaa01")
			? Promise.resolve(new Response('{"error":{"code":"SERVICE_UNAVAILABLE","message":"The database is away."}}', {status: 503}))
			: ask(url, options);
		return true;
	})()`)
	remove(page, "One")
	remove(page, "Two")
	remove(page, "Three")
	page.Wait(shown + ` === ""`)
	assert.Equal(t, "One Three Two", s.kept(t))
	require.NoError(t, s.api(t).Library.Delete(t.Context(), library.Key{Platform: transcript.VideoSite, ExternalID: "aaaaaaaaa02", Language: "en"}))

	page.Wait(shown + ` === "Two"`)
	page.WaitText("#notices", "Not deleted. The service is not available for the moment.")
	waited := browsertest.Eval[float64](page, `performance.getEntriesByType("resource").find((e) => e.name.includes("aaaaaaaaa00")).startTime - window.begun`)
	assert.GreaterOrEqual(t, waited, 9_999.0)
	assert.Equal(t, "Two", s.kept(t))
	page.Reload()
	page.Wait(shown + ` === "Two"`)
}

// Who leaves decides: what was held back is deleted, and the next page does not show it
// once more.
func TestBrowserDeletesWhenThePageIsLeft(t *testing.T) {
	t.Parallel()
	s, page := openSite(t, "--single-user")
	s.save(t, "One", "Two", "Three")
	page.Expect(`status of 404`) // the next page asks once more
	page.Open("/library?sort=title")
	remove(page, "One")
	remove(page, "Two")
	page.Wait(shown + ` === "Three"`)
	page.Reload()
	page.Wait(shown + ` === "Three"`)
	page.Click("link", "Settings")
	page.WaitAt(`^/usage$`)
	page.Open("/library?sort=title")
	page.Wait(shown + ` === "Three"`)
	assert.Equal(t, "Three", s.kept(t))

	remove(page, "Three")
	page.Click("button", "Search") // by a form
	page.WaitText("main", "Your library is empty")
	assert.Empty(t, s.kept(t))
}

func TestBrowserGivesStars(t *testing.T) {
	t.Parallel()
	s, page := openSite(t, "--single-user")
	s.save(t, "One", "Two")
	const pressed = `document.querySelector("form.star button").getAttribute("aria-pressed")`
	page.Open("/library?sort=title")
	page.Click("button", "Star: One")
	page.Wait(pressed + ` === "true"`)
	page.Open("/library?view=starred")
	page.Wait(shown + ` === "One"`)
	page.Click("button", "Star: One")
	page.Wait(pressed + ` === "false"`)
	page.Wait(shown + ` === "One"`) // until the list is read anew
	page.Reload()
	page.WaitText("main", "Nothing in your library matches.")

	page.Expect(`status of 404`)
	page.Open("/library?sort=title")
	require.NoError(t, s.api(t).Library.Delete(t.Context(), library.Key{Platform: transcript.VideoSite, ExternalID: "aaaaaaaaa00"}))
	page.Click("button", "Star: One")
	page.WaitText("#notices", "The star was not changed.")
	page.Wait(pressed + ` === "false"`)

	page.NoScripts()
	page.Open("/library")
	page.Click("button", "Star: Two")
	page.WaitAt(`^/library$`)
	page.Wait(pressed + ` === "true"`)
	assert.False(t, page.Sees("button", "Delete Two"), "a delete that cannot be undone")
}

// Work on its way becomes a text in its place, and nothing else moves.
func TestBrowserRowBecomesATranscript(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	heard, flag := newRecognizer(t)
	heard.hold()
	s := startWebsite(t, "--single-user", flag)
	page := newPage(t, s.address())
	s.save(t, "One", "Two")
	wait := time.Duration(0)
	_, job, err := s.api(t).Transcripts.Submit(t.Context(), transcript.Request{Source: transcript.File(recording), Wait: &wait})
	require.NoError(t, err)

	page.Open("/library")
	page.WaitText(".state", "Recognizing speech")
	assert.True(t, browsertest.Eval[bool](page, `!!document.querySelector("[data-busy] a[href='/jobs/`+job.JobID+`']")`))
	browsertest.Eval[bool](page, `(() => {
		window.moved = 0;
		new PerformanceObserver((list) => { for (const e of list.getEntries()) window.moved += e.value; }).observe({type: "layout-shift", buffered: true});
		window.row = document.querySelector("[data-busy]").id;
		document.querySelector("[data-busy] h2 a").focus();
		return true;
	})()`)
	heard.release()
	page.Wait(`document.querySelector("#" + window.row + " h2 a").pathname.startsWith("/transcripts/upload/")`)
	assert.Equal(t, 0, page.Count("[data-busy]"))
	assert.True(t, browsertest.Eval[bool](page, `document.activeElement.closest("[data-row]").id === window.row`), "the keyboard has left")
	assert.Less(t, browsertest.Eval[float64](page, `window.moved`), 0.01)
}

// Work that fails says so where it stands.
func TestBrowserRowSaysThatItFailed(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	heard, flag := newRecognizer(t)
	heard.hold()
	heard.refuse(true)
	s := startWebsite(t, "--single-user", flag)
	page := newPage(t, s.address())
	wait := time.Duration(0)
	_, _, err := s.api(t).Transcripts.Submit(t.Context(), transcript.Request{Source: transcript.File(recording), Wait: &wait})
	require.NoError(t, err)
	page.Open("/library")
	page.WaitText(".state", "Recognizing speech")
	heard.release()
	page.WaitText("[data-row]", "Failed")
	page.See("link", "What to do about it")
	page.See("link", "Send the file again")
}

// The first row stands in the first screen of a phone, below what begins a text. Files that are
// dropped on another page are sent from this one.
func TestBrowserBeginsAndFindsOnOnePage(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	_, flag := newRecognizer(t)
	s := startWebsite(t, "--single-user", flag)
	page := newPage(t, s.address())
	s.save(t, "One", "Two")
	page.Do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch))
	for _, language := range []string{"en", "de"} {
		page.Open("/")
		page.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector('.foot button[value="` + language + `"]')?.click()`))
		page.Wait(`document.documentElement.lang === ` + browsertest.Quote(language))
		page.Open("/")
		assert.Less(t, browsertest.Eval[float64](page, `document.querySelector("[data-row]").getBoundingClientRect().top`), 844.0, language)
		assert.Equal(t, 390, browsertest.Eval[int](page, `document.documentElement.scrollWidth`), language)
	}
	page.Open("/usage")
	browsertest.Eval[bool](page, `(() => {
		const dataTransfer = new DataTransfer();
		dataTransfer.items.add(new File([], "nothing.wav"));
		return document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
	})()`)
	page.WaitAt(`^/$`)
	page.WaitText("#queue", "nothing.wav")
	page.Open("/usage")
	page.Open("/")
	assert.Zero(t, page.Count("#queue li"), "files are handed over once")
}
