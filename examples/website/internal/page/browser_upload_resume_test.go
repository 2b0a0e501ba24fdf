package page_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
)

// largeFile writes a file whose upload goes on after a break. It returns the id of its text.
func largeFile(t *testing.T) (path, id string) {
	t.Helper()
	content := make([]byte, 20<<20)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(content) // it never fails
	path = filepath.Join(t.TempDir(), "long talk ü.wav")
	require.NoError(t, os.WriteFile(path, content, 0o600))
	return path, fmt.Sprintf("%x", sha256.Sum256(content))[:32]
}

// badLine is the line between a browser and the website. It ends each request that appends to an
// upload.
type badLine struct {
	carries int64                                             // bytes of a request
	ends    func(w http.ResponseWriter, r *http.Request)      // the request whose bytes have been carried
	before  func(w http.ResponseWriter, r *http.Request) bool // nil, or whether it has answered

	mu     sync.Mutex
	passed int64
	calls  []string
}

var errLine = errors.New("the line is cut")

func (l *badLine) carry(w http.ResponseWriter, r *http.Request, next http.Handler) {
	upload := r.URL.Path == "/web/v1/transcript" || strings.HasPrefix(r.URL.Path, "/web/v1/transcript/uploads/")
	if upload {
		l.mu.Lock()
		l.calls = append(l.calls, r.Method)
		l.mu.Unlock()
	}
	if l.before != nil && l.before(w, r) {
		return
	}
	if !upload || r.Method != http.MethodPatch {
		next.ServeHTTP(w, r)
		return
	}
	l.mu.Lock()
	body := &carried{ReadCloser: r.Body, line: l, left: l.carries}
	l.mu.Unlock()
	r.Body = body
	unseen := &buffered{header: http.Header{}}
	next.ServeHTTP(unseen, r)
	if body.left == 0 {
		l.ends(w, r)
		return
	}
	for name, values := range unseen.header {
		w.Header()[name] = values
	}
	w.WriteHeader(max(unseen.status, http.StatusOK))
	_, _ = w.Write(unseen.body) // a browser that has gone needs no answer
}

// silentLine carries 8 MiB of a request, and then nothing until release.
func silentLine() (line *badLine, release func()) {
	over := make(chan struct{})
	return &badLine{carries: 8 << 20, ends: func(w http.ResponseWriter, r *http.Request) {
		<-over
		away(w, r, nil)
	}}, sync.OnceFunc(func() { close(over) })
}

// carried is a body that ends with an error after so many bytes.
type carried struct {
	io.ReadCloser
	line *badLine
	left int64
}

func (c *carried) Read(b []byte) (int, error) {
	if c.left == 0 {
		return 0, errLine
	}
	n, err := c.ReadCloser.Read(b[:min(int64(len(b)), c.left)])
	c.left -= int64(n)
	c.line.mu.Lock()
	c.line.passed += int64(n)
	c.line.mu.Unlock()
	return n, err
}

// buffered is an answer that is sent later.
type buffered struct {
	header http.Header
	status int
	body   []byte
}

func (b *buffered) Header() http.Header         { return b.header }
func (b *buffered) Write(p []byte) (int, error) { b.body = append(b.body, p...); return len(p), nil }
func (b *buffered) WriteHeader(status int) {
	if status >= http.StatusOK {
		b.status = status
	}
}

// A large file arrives over a line that ends each request. What has arrived is not sent again.
func TestBrowserUploadGoesOn(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	for name, ends := range map[string]func(w http.ResponseWriter, r *http.Request){
		"cut": func(w http.ResponseWriter, r *http.Request) { away(w, r, nil) },
		"ended by a proxy after a time": func(w http.ResponseWriter, r *http.Request) {
			patience, cancel := context.WithTimeout(r.Context(), 100*time.Millisecond)
			defer cancel()
			<-patience.Done()
			http.Error(w, "<html>A timeout occurred</html>", 524)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, visitor.User)
			line := &badLine{carries: 3 << 20, ends: ends}
			defer s.between(line.carry)()
			path, id := largeFile(t)
			page := s.open(t)
			page.Expect(loadFaults)
			page.Open("/")
			page.Choose("#files", path)
			if name == "cut" {
				page.WaitText("#queue", "The connection was lost at ")
			}
			page.WaitAt("^/transcripts/upload/" + id)
			page.WaitText("main", "hello world")
			line.mu.Lock()
			defer line.mu.Unlock()
			assert.EqualValues(t, 20<<20, line.passed, "no byte twice")
			assert.GreaterOrEqual(t, strings.Count(strings.Join(line.calls, ","), "PATCH"), 7, "a browser also repeats by itself")
			assert.Equal(t, 1, strings.Count(strings.Join(line.calls, ","), "POST"))
			assert.Nil(t, browsertest.Eval[any](page, `localStorage.getItem("uploads")`), "what is over is forgotten")
		})
	}
}

// After a reload the same file goes on where it was.
func TestBrowserUploadGoesOnAfterAReload(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User)
	line, release := silentLine()
	defer release()
	defer s.between(line.carry)()
	path, id := largeFile(t)
	page := s.open(t)
	page.Expect(loadFaults, "beforeunload")
	page.Open("/")
	page.Choose("#files", path)
	require.Eventually(t, func() bool {
		line.mu.Lock()
		defer line.mu.Unlock()
		return line.passed == 8<<20
	}, time.Minute, 10*time.Millisecond)
	page.Reload()
	page.WaitText("#queue", filepath.Base(path))
	page.WaitText("#queue", "8 MiB of 20 MiB are here: choose the file again to go on")
	release()
	line.mu.Lock()
	line.carries = 1 << 40
	line.mu.Unlock()
	page.Choose("#files", path)
	page.WaitAt("^/transcripts/upload/" + id)
	line.mu.Lock()
	defer line.mu.Unlock()
	assert.Equal(t, 1, strings.Count(strings.Join(line.calls, ","), "POST"))
	assert.EqualValues(t, 20<<20, line.passed)
}

// An upload that the service no longer has begins again. A service that takes whole files alone
// gets the form.
func TestBrowserUploadBeginsAgain(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	for name, tc := range map[string]struct {
		answers map[string]int // the first answer to a method
		calls   []string
	}{
		"gone":       {map[string]int{"PATCH": 404}, []string{"POST", "PATCH", "POST", "PATCH"}},
		"an old one": {map[string]int{"POST": 415}, []string{"POST", "POST"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, visitor.User)
			line := &badLine{carries: 1 << 40}
			line.before = func(w http.ResponseWriter, r *http.Request) bool {
				line.mu.Lock()
				defer line.mu.Unlock()
				status := tc.answers[r.Method]
				delete(tc.answers, r.Method)
				if status == 0 || !strings.HasPrefix(r.URL.Path, "/web/v1/") {
					return false
				}
				w.WriteHeader(status)
				return true
			}
			defer s.between(line.carry)()
			path, id := largeFile(t)
			page := s.open(t)
			page.Expect(loadFaults)
			page.Open("/")
			page.Choose("#files", path)
			page.WaitAt("^/transcripts/upload/" + id)
			line.mu.Lock()
			defer line.mu.Unlock()
			assert.Equal(t, tc.calls, line.calls)
		})
	}
}

// A canceled upload is removed from the service.
func TestBrowserRemovesACanceledUpload(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User)
	line, release := silentLine()
	defer release()
	defer s.between(line.carry)()
	path, _ := largeFile(t)
	page := s.open(t)
	page.Expect(loadFaults)
	page.Open("/")
	page.Choose("#files", path)
	page.Click("button", "Cancel "+filepath.Base(path))
	page.WaitText("#queue", "Canceled")
	require.Eventually(t, func() bool {
		line.mu.Lock()
		defer line.mu.Unlock()
		return slices.Contains(line.calls, "DELETE") || !slices.Contains(line.calls, "PATCH")
	}, time.Minute, 10*time.Millisecond)
	assert.Nil(t, browsertest.Eval[any](page, `localStorage.getItem("uploads")`))
}
