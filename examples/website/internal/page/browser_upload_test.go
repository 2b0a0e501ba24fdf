package page_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
)

// choose chooses files of the sizes by the button of the first page.
func choose(t *testing.T, page *browsertest.Page, files map[string]int) {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	for name, size := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, append([]byte(name), make([]byte, size)...)[:size], 0o600))
		paths = append(paths, path)
	}
	page.Do(chromedp.SetUploadFiles("#files", paths))
}

func isUpload(r *http.Request) bool {
	return r.Method == http.MethodPost && r.URL.Path == "/web/v1/transcript"
}

// A file that cannot be taken is refused, before it is sent where that is known, and says
// what to do.
func TestBrowserRefusesFiles(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	plan := account.WithoutLimits("small")
	plan.MaxUploadBytes = 3 << 20
	s := newSite(t, visitor.User, servertest.OnPlan(plan))
	page := s.open(t)
	page.Expect(loadFaults)
	page.Open("/")
	choose(t, page, map[string]int{"<img src=x onerror=alert(1)>.wav": 4 << 20, "empty.wav": 0})
	page.WaitText("#queue", "Too large: 4 MiB. The limit is 3 MiB.")
	page.WaitText("#queue", "The file is empty, or a folder.")
	page.WaitText("#queue", "<img src=x onerror=alert(1)>.wav")
	page.WaitText("#queueSum", "0 of 2 files are done. 2 failed.")
	assert.NotContains(t, page.Asked(), s.base+"/web/v1/transcript")

	// The plan has become smaller since the page was opened: the refusal comes in mid-upload.
	browsertest.Eval[any](page, `document.getElementById("uploads").dataset.max = 0`)
	choose(t, page, map[string]int{"large.wav": 64 << 20})
	page.WaitText("#queue", "Choose a shorter recording, or a smaller file.")
	page.WaitText("#queueSum", "0 of 3 files are done. 3 failed.")
}

// A connection that breaks half-way is tried again with the same key, and makes one job.
// Files go one after the other.
func TestBrowserRepeatsBrokenUploads(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User)
	var mu sync.Mutex
	keys := map[string]int{}
	defer s.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if isUpload(r) {
			mu.Lock()
			keys[r.Header.Get("Idempotency-Key")]++
			broken := keys[r.Header.Get("Idempotency-Key")] == 1
			mu.Unlock()
			if broken {
				_, _ = io.CopyN(io.Discard, r.Body, 1<<20)
				away(w, r, next)
				return
			}
		}
		next.ServeHTTP(w, r)
	})()
	page := s.open(t)
	page.Expect(loadFaults)
	page.Open("/")
	choose(t, page, map[string]int{"one.wav": 4 << 20, "two.wav": 4 << 20})
	rows(page, 2, "The text is ready")
	page.Wait(`[...document.querySelectorAll("#queue .actions")].filter(e => e.innerText === "Show").length === 2`)
	mu.Lock()
	assert.Len(t, keys, 2)
	for key, times := range keys {
		assert.Len(t, key, 32)
		assert.Equal(t, 2, times)
	}
	mu.Unlock()
	list := s.get(t, "/library")
	assert.Contains(t, list.body, "1–2 of 2")
}

// What is on its way is canceled, and others go after it.
func TestBrowserCancelsUploads(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User)
	held := make(chan struct{})
	undo := s.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if isUpload(r) {
			_, _ = io.Copy(io.Discard, io.LimitReader(r.Body, 1<<20))
			<-held
			return
		}
		next.ServeHTTP(w, r)
	})
	page := s.open(t)
	page.Expect(loadFaults)
	page.Open("/")
	choose(t, page, map[string]int{"talk.wav": 64 << 20})
	page.Click("button", "Cancel talk.wav")
	page.WaitText("#queue", "Canceled")
	close(held)
	undo()
	choose(t, page, map[string]int{"other.wav": 1 << 10})
	page.Wait(`document.querySelectorAll("#queue .actions a").length === 1`)
}

// A file that waits to be sent again holds no other up once it is canceled.
func TestBrowserCancelsAnUploadThatWaits(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User)
	undo := s.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if isUpload(r) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Retry-After", "600")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		next.ServeHTTP(w, r)
	})
	page := s.open(t)
	page.Expect(loadFaults)
	page.Open("/")
	choose(t, page, map[string]int{"talk.wav": 1 << 10})
	page.WaitText("#queue", "10 minutes")
	undo()
	choose(t, page, map[string]int{"other.wav": 2 << 10})
	page.Click("button", "Cancel talk.wav")
	page.Wait(`document.querySelectorAll("#queue .actions a").length === 1`)
}
