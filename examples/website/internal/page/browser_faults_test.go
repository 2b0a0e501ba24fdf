package page_test

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
)

// A page that nobody looks at holds no stream, and has one again when it is looked at.
func TestBrowserHiddenTabHoldsNoStream(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User)
	release := s.Engine.Hold()
	defer release()
	path := s.begin(t, talk("talk.wav"), "")
	var open atomic.Int32
	defer s.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if isStream(r) {
			open.Add(1)
			defer open.Add(-1)
		}
		next.ServeHTTP(w, r)
	})()
	streams := func(n int32) {
		t.Helper()
		require.Eventually(t, func() bool { return open.Load() == n }, browsertest.Patience, 10*time.Millisecond)
	}
	page := s.open(t)
	for _, path := range []string{"/library", path + "#main"} {
		page.Open(path)
		streams(1)
		page.Hide(true)
		streams(0)
		page.Hide(false)
		streams(1)
	}
	release()
	page.WaitAt("^/transcripts/upload/") // also with a #place in its address
}

// A laptop that wakes finds its stream dead, and soon asks again: its timers have stood
// still, its clock has not.
func TestBrowserDoubtsAStreamAfterSleep(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User)
	release := s.Engine.Hold()
	defer release()
	path := s.begin(t, talk("talk.wav"), "")
	silent := make(chan struct{}, 1)
	undo := s.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if !isStream(r) {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
		select {
		case silent <- struct{}{}:
		default:
		}
		<-r.Context().Done()
	})
	defer undo()
	page := s.open(t)
	page.Before(`const start = setTimeout; globalThis.setTimeout = (run, ms, ...args) => ms < 30_000 ? start(run, ms, ...args) : 0;`)
	page.Open(path)
	<-silent
	undo()
	release()
	s.end(t, path)
	browsertest.Eval[any](page, `(() => { const now = Date.now; Date.now = () => now() + 3_600_000; })()`)
	page.WaitAt("^/transcripts/upload/")
}

// Who leaves the page while a file is being sent is asked whether that is meant.
func TestBrowserAsksBeforeAnUploadIsLost(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User)
	held := make(chan struct{})
	defer close(held)
	defer s.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if isUpload(r) {
			<-held
			return
		}
		next.ServeHTTP(w, r)
	})()
	page := s.open(t)
	page.Open("/")
	page.Click("textbox", "Link") // browsers ask only who has touched the page
	choose(t, page, map[string]int{"talk.wav": 8 << 20})
	page.See("button", "Cancel talk.wav")
	page.Open("/usage")
	page.See("heading", "Usage and limits")
	assert.Equal(t, []string{`dialog: beforeunload ""`}, page.Faults())
	page.Expect("^dialog: beforeunload")
}

// An answer that is none of the API's is not taken for one, and what was done is undone.
func TestBrowserTakesNoPageForAnAnswer(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User)
	s.save(t, "aaaaaaaaaaa", "One", "en", "hello")
	var answer atomic.Pointer[http.HandlerFunc]
	defer s.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if hand := answer.Load(); hand != nil && strings.HasPrefix(r.URL.Path, "/web/") {
			(*hand)(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})()
	page := s.open(t)
	page.Expect(loadFaults)
	// Notices stay until they have been read.
	page.Before(`const start = setTimeout; globalThis.setTimeout = (run, ms, ...more) => start(run, ms === 6000 ? 600_000 : ms, ...more);`)
	page.Open("/library")
	for name, c := range map[string]struct {
		hand http.HandlerFunc
		says string
	}{
		"a page": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "<!DOCTYPE html><h1>Welcome to this hotel")
		}, "The star was not changed. Something went wrong on our side."},
		"nothing":            {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }, "The star was not changed. Something went wrong on our side."},
		"JSON without sense": {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "7") }, "The star was not changed. Something went wrong on our side."},
		"a fault": {func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, `{"error": null}`, http.StatusInternalServerError)
		}, "The star was not changed. Something went wrong on our side."},
		"to sign in":    {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/sign-in", http.StatusFound) }, "You are signed out."},
		"signed out":    {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "", http.StatusUnauthorized) }, "You are signed out."},
		"no connection": {func(w http.ResponseWriter, r *http.Request) { away(w, r, nil) }, "The star was not changed. The site does not answer."},
	} {
		t.Log(name)
		answer.Store(&c.hand)
		page.Click("button", "Star: One")
		page.WaitText("#notices", c.says)
		page.Wait(`document.querySelector(".star button").getAttribute("aria-pressed") === "false"`)
		browsertest.Eval[any](page, `document.getElementById("notices").replaceChildren()`)
	}
	answer.Store(nil)
	page.Click("button", "Star: One")
	page.Wait(`document.querySelector(".star button").getAttribute("aria-pressed") === "true"`)
}

// Work that is canceled elsewhere leaves the library, which has nothing to follow then.
func TestBrowserLibraryLetsGoOfCanceledWork(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User)
	s.save(t, "aaaaaaaaaaa", "One", "en", "hello")
	page := s.open(t)
	release := s.Engine.Hold()
	defer release()
	path := s.begin(t, talk("talk.wav"), "")
	page.Open("/library")
	page.WaitText(".state", "Recognizing speech")
	require.Equal(t, http.StatusSeeOther, s.post(t, path+"/cancel").status)
	page.Wait(`document.querySelector("[data-job]") === null`)
	page.See("link", "One")
}

// A browser that keeps nothing for sites, and knows no locks, follows and deletes all the same.
func TestBrowserNeedsNeitherStorageNorLocks(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User)
	s.save(t, "aaaaaaaaaaa", "One", "en", "hello")
	page := s.open(t)
	page.Before(`Object.defineProperty(globalThis, "sessionStorage", {get() { throw new DOMException("no", "SecurityError"); }});
		Object.defineProperty(Navigator.prototype, "locks", {value: undefined});`)
	release := s.Engine.Hold()
	defer release()
	path := s.begin(t, talk("talk.wav"), "")
	page.Open("/library")
	page.WaitText(".state", "Recognizing speech")
	browsertest.Eval[any](page, `document.querySelectorAll(".more").forEach((menu) => { menu.open = true })`)
	page.Click("button", "Delete One")
	page.Open(path)
	page.WaitText("#stage", "Recognizing speech")
	release()
	page.WaitAt("^/transcripts/upload/")
	require.Eventually(t, func() bool { return s.get(t, "/transcripts/video_site/aaaaaaaaaaa").status == http.StatusNotFound }, browsertest.Patience, 20*time.Millisecond)
}
