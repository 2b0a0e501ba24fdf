package page_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
)

// seeNotifications lists what the page's real notifications say, in the global variable told.
const seeNotifications = `globalThis.told = [];
globalThis.Notification &&= class extends Notification {
  constructor(title, options) { super(title, options); told.push(title + "|" + options.body); }
};`

// working opens the page of a job that has not ended, and returns a function that ends it.
func working(t *testing.T, prepare func(*browsertest.Page)) (page *browsertest.Page, end func()) {
	t.Helper()
	needBrowser(t)
	s := newSite(t, visitor.User)
	release := s.Engine.Hold()
	t.Cleanup(release)
	path := s.begin(t, talk("My talk.wav"), "")
	page = s.openIn(t, wholeBrowser)
	page.Before(seeNotifications)
	prepare(page)
	page.Open(path)
	page.WaitText("#stage", "Recognizing speech")
	return page, release
}

// Who wants it is told by the browser when the job has ended while the page is hidden. The browser
// is asked only by the visitor's own click.
func TestBrowserTellsWhenAJobIsDone(t *testing.T) {
	t.Parallel()
	page, end := working(t, func(page *browsertest.Page) { page.Notifications(true) })
	page.Click("checkbox", "Tell me when it is done")
	page.WaitText("#tellHow", "a notification tells you")
	assert.Empty(t, page.Barriers())
	page.Reload()
	page.Wait(`document.getElementById("tell").checked`)
	page.Hide(true)
	end()
	page.Wait(`told.join() === "My talk|The text is ready."`)
	page.Wait(`document.title === "The text is ready. · Transcripts"`)
	page.Hide(false)
	page.WaitAt(`^/transcripts/upload/`)
}

// The browser is asked for its permission once, by the visitor's own click.
func TestBrowserAsksBeforeItTells(t *testing.T) {
	t.Parallel()
	page, end := working(t, func(page *browsertest.Page) {
		page.Before(`globalThis.told = []; globalThis.Notification = class {
			static permission = "default";
			static async requestPermission() { told.push("asked"); this.permission = "granted"; }
			constructor(title) { told.push(title); }
			addEventListener() {}
		};`)
	})
	assert.Empty(t, browsertest.Eval[[]string](page, `told`))
	page.Click("checkbox", "Tell me when it is done")
	page.WaitText("#tellHow", "a notification tells you")
	page.Hide(true)
	end()
	page.Wait(`told.join() === "asked,My talk"`)
	page.Hide(false)
	page.WaitAt(`^/transcripts/upload/`)
}

// Without notifications the title of the tab tells, and the page says why.
func TestBrowserTellsByTheTitle(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prepare func(*browsertest.Page)
		says    string
	}{
		"refused": {func(page *browsertest.Page) { page.Notifications(false) }, "does not allow notifications from this site"},
		"insecure": {func(page *browsertest.Page) {
			page.Before(`Object.defineProperty(globalThis, "isSecureContext", { value: false }); delete globalThis.Notification;`)
		}, "only for an address with https"},
		"none": {func(page *browsertest.Page) { page.Before(`delete globalThis.Notification;`) }, "This browser has no notifications"},
		"a phone that has them for installed programs only": {func(page *browsertest.Page) {
			page.Notifications(true)
			page.Before(`globalThis.Notification = class { static permission = "granted"; constructor() { throw new TypeError("Illegal constructor"); } };`)
		}, "a notification tells you"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page, end := working(t, c.prepare)
			page.Click("checkbox", "Tell me when it is done")
			page.WaitText("#tellHow", c.says)
			page.Hide(true)
			end()
			page.Wait(`document.title === "The text is ready. · Transcripts" && told.length === 0`)
			page.Hide(false)
			page.WaitAt(`^/transcripts/upload/`)
		})
	}
}

// Nobody is asked or told who did not want it, or who looks at the page.
func TestBrowserTellsOnlyWhoAsked(t *testing.T) {
	t.Parallel()
	for name, asks := range map[string]bool{"who did not ask": false, "who looks": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page, end := working(t, func(page *browsertest.Page) {
				page.Notifications(true)
				page.Before(`Notification.requestPermission = () => { told.push("asked"); };
					addEventListener("pagehide", () => sessionStorage.setItem("heard", told.join()));`)
			})
			if asks {
				page.Click("checkbox", "Tell me when it is done")
			} else {
				page.Hide(true)
			}
			end()
			page.WaitAt(`^/transcripts/upload/`)
			assert.Empty(t, browsertest.Eval[string](page, `sessionStorage.getItem("heard")`))
		})
	}
}

// Many files, and a batch, tell once, when all have ended, and say only how many.
func TestBrowserTellsWhenFilesAndBatchesAreDone(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User)
	release := s.Engine.Hold()
	defer release()
	page := s.openIn(t, wholeBrowser)
	page.Notifications(true)
	page.Before(seeNotifications)
	page.Open("/")
	choose(t, page, recordings(3))
	page.WaitText("#queueSum", "0 of 3 files are done.")
	page.Click("checkbox", "Tell me when it is done")
	page.Hide(true)
	release()
	page.Wait(`told.join() === "3 of 3 files are done.|"`)
	page.Wait(`document.title === "3 of 3 files are done. · Transcripts"`)
	page.Hide(false)
	page.Wait(`!document.title.includes("3 of 3")`)

	release = s.Engine.HoldCaptions()
	defer release()
	made, err := s.api(t).Batches.Create(t.Context(), client.BatchParams{URLs: []string{"dQw4w9WgXcQ", "9bZkp7q19f0"}})
	require.NoError(t, err)
	page.Open("/batches/" + made.ID)
	page.Wait(`document.getElementById("tell").checked`)
	page.Hide(true)
	release()
	page.Wait(`told.join() === "2 links|Batch: Done"`)
	page.Wait(`document.title === "Batch: Done · Transcripts"`)
}
