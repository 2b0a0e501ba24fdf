package page_test

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// recordings are files of different contents.
func recordings(n int) map[string]int {
	files := map[string]int{}
	for at := range n {
		files[fmt.Sprintf("talk %02d.wav", at)] = 1<<10 + at
	}
	return files
}

// rows waits until so many rows of the list say the text.
func rows(page *browsertest.Page, n int, says string) {
	page.Wait(fmt.Sprintf(`[...document.querySelectorAll("#queue .said")].filter(row => row.innerText.includes(%s)).length === %d`, strconv.Quote(says), n))
}

// streamsOf counts the event streams that are open at once. A stream that the page has left ends here
// a moment later, so a stream over the bound waits for the end of another one before it counts.
type streamsOf struct {
	bound int

	mu        sync.Mutex
	now, most int
	ended     chan struct{} // closed by the next end
}

func newStreams(bound int) *streamsOf { return &streamsOf{bound: bound, ended: make(chan struct{})} }

func (s *streamsOf) hand(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if !isStream(r) {
		next.ServeHTTP(w, r)
		return
	}
	s.begin()
	defer s.end()
	next.ServeHTTP(w, r)
}

func (s *streamsOf) begin() {
	patience := time.After(browsertest.Patience / 2)
	s.mu.Lock()
	defer s.mu.Unlock()
	for waited := false; s.now >= s.bound && !waited; {
		ended := s.ended
		s.mu.Unlock()
		select {
		case <-ended:
		case <-patience:
			waited = true
		}
		s.mu.Lock()
	}
	s.now++
	s.most = max(s.most, s.now)
}

func (s *streamsOf) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now--
	close(s.ended)
	s.ended = make(chan struct{})
}

// Each of many files is followed to its text or to the reason of its failure, also over a reload
// and a lost connection, with three event streams at most.
func TestBrowserFollowsManyFiles(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	for _, n := range []int{3, 20} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			t.Parallel()
			followsFiles(t, n)
		})
	}
}

func followsFiles(t *testing.T, n int) {
	s := newSite(t, visitor.User)
	release := s.Engine.Hold()
	defer release()
	streams := newStreams(3)
	defer s.between(streams.hand)()
	page := s.open(t)
	page.Expect(loadFaults)
	page.Open("/")
	choose(t, page, recordings(n))
	page.WaitText("#queueSum", fmt.Sprintf("0 of %d files are done.", n))
	page.Wait(`[...document.querySelectorAll("#queue .said")].some(row => row.innerText.includes("Recognizing speech"))`)
	page.Wait(`![...document.querySelectorAll("#queue .said")].some(row => row.innerText.includes("In progress"))`)

	page.Reload()
	page.WaitText("#queueSum", fmt.Sprintf("0 of %d files are done.", n))
	page.Wait(`[...document.querySelectorAll("#queue .said")].some(row => row.innerText.includes("Recognizing speech"))`)
	connected := s.between(away)
	browsertest.Eval[any](page, `dispatchEvent(new Event("online"))`) // ends the open streams
	rows(page, n, "Connection lost. Trying again in")
	connected()
	browsertest.Eval[any](page, `dispatchEvent(new Event("online"))`)
	rows(page, 0, "Connection lost")

	var failed atomic.Bool
	s.Engine.SetRecognize(func(_ context.Context, _ int, a engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
		if failed.CompareAndSwap(false, true) {
			return engine.Recognition{}, transcript.Errorf(transcript.NoTranscript, "There is <b>no</b> speech.")
		}
		return servertest.Heard("hello world", a.Duration), nil
	})
	release()
	rows(page, n-1, "The text is ready")
	rows(page, 1, "There is no text for this. Choose a recording with captions, or sign in where speech is recognized.")
	page.WaitText("#queueSum", fmt.Sprintf("%d of %d files are done. 1 failed.", n-1, n))
	assert.Empty(t, page.Barriers())
	streams.mu.Lock()
	assert.LessOrEqual(t, streams.most, 3)
	assert.Positive(t, streams.most)
	streams.mu.Unlock()

	page.Reload() // what has ended is still there, until the visitor removes it
	page.WaitText("#queueSum", fmt.Sprintf("%d of %d files are done. 1 failed.", n-1, n))
	page.Wait(fmt.Sprintf(`[...document.querySelectorAll("#queue .actions a")].filter(e => e.innerText === "Show").length === %d`, n-1))
	texts := browsertest.Eval[bool](page, `Promise.all([...document.querySelectorAll("#queue .actions a")].map(e => fetch(e.href)))
		.then(all => all.every(r => r.ok && new URL(r.url).pathname.startsWith("/transcripts/")))`)
	assert.True(t, texts, "each row leads to its text, also if its job ended before the page was loaded")
	page.Click("button", "Remove ended files")
	page.Wait(`document.getElementById("queue").childElementCount === 0 && document.activeElement.id === "files"`)
	page.Reload()
	assert.Zero(t, page.Count("#queue li"))
}

// Without locks, as on a plain address in the network of a home, a page holds a single stream.
func TestBrowserFollowsFilesWithoutLocks(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User)
	release := s.Engine.Hold()
	defer release()
	streams := newStreams(1)
	defer s.between(streams.hand)()
	page := s.open(t)
	page.Before(`Object.defineProperty(navigator, "locks", { value: undefined });`)
	page.Open("/")
	choose(t, page, recordings(8))
	page.WaitText("#queueSum", "0 of 8 files are done.")
	page.Wait(`[...document.querySelectorAll("#queue .said")].some(row => row.innerText.includes("Recognizing speech"))`)
	release()
	rows(page, 8, "The text is ready")
	streams.mu.Lock()
	defer streams.mu.Unlock()
	assert.Equal(t, 1, streams.most)
}

// A tab that sleeps holds no stream, and shows the present state when it is looked at.
func TestBrowserFollowsFilesInASleepingTab(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User)
	release := s.Engine.Hold()
	defer release()
	streams := newStreams(3)
	defer s.between(streams.hand)()
	page := s.open(t)
	page.Open("/")
	choose(t, page, recordings(3))
	page.WaitText("#queueSum", "0 of 3 files are done.")
	page.Hide(true)
	assert.Eventually(t, func() bool {
		streams.mu.Lock()
		defer streams.mu.Unlock()
		return streams.now == 0
	}, browsertest.Patience, 20*time.Millisecond)
	release()
	page.Hide(false)
	rows(page, 3, "The text is ready")
}

// A row says that its session has ended. A job that the service has
// forgotten has no row any more.
func TestBrowserSaysWhyFilesAreNotFollowed(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User)
	release := s.Engine.Hold()
	defer release()
	page := s.open(t)
	page.Expect(loadFaults)
	page.Open("/")
	choose(t, page, recordings(3))
	page.WaitText("#queueSum", "0 of 3 files are done.")
	for status, want := range map[int]string{
		http.StatusUnauthorized: `[...document.querySelectorAll("#queue .said")].filter(row => row.textContent.startsWith("You are signed out.")).length === 3`,
		http.StatusNotFound:     `document.querySelectorAll("#queue li").length === 0 && sessionStorage.length === 0`,
	} {
		kept := browsertest.Eval[string](page, `sessionStorage.getItem("files")`)
		undo := s.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if strings.HasPrefix(r.URL.Path, "/web/v1/transcript/job/") {
				http.Error(w, `{"error": {"code": "X", "message": "No."}}`, status)
				return
			}
			next.ServeHTTP(w, r)
		})
		page.Reload()
		page.Wait(want)
		undo()
		browsertest.Eval[any](page, `sessionStorage.setItem("files", `+browsertest.Quote(kept)+`)`)
	}
}

// The rows of one account are not those of the next one in the same tab.
func TestBrowserKeepsFilesOfOneAccount(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.Guest)
	page := s.open(t)
	page.Open("/sign-in")
	browsertest.Eval[any](page, `sessionStorage.setItem("files", JSON.stringify({ account: "somebody", files: [{ name: "secret.wav", job: "x" }] }))`)
	page.Open("/sign-up")
	page.Type("textbox", "Name", "ann")
	page.Type("textbox", "Password", "a few words in a row")
	page.Click("button", "Create an account")
	page.WaitAt(`^/$`)
	page.See("button", "Get the transcript")
	assert.NotContains(t, strings.ToLower(browsertest.Eval[string](page, `document.body.innerHTML`)), "secret")
	assert.Equal(t, 0, browsertest.Eval[int](page, `sessionStorage.length`))

	browsertest.Eval[any](page, `sessionStorage.setItem("files", "{}")`)
	page.Open("/account")
	page.Click("button", "Sign out")
	page.WaitAt(`^/(sign-in)?$`)
	assert.Equal(t, 0, browsertest.Eval[int](page, `sessionStorage.length`))
}
