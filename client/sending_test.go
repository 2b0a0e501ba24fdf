package client_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// large is a file that is sent as a resumable upload.
var large = sync.OnceValue(func() []byte {
	content := make([]byte, 16<<20+12_345)
	_, _ = rand.NewChaCha8([32]byte{27}).Read(content) // it never fails
	return content
})

// keeper is a service of resumable uploads, as far as one test needs it. It does what the draft
// says, except for what the members change.
type keeper struct {
	// hook sees each request first, with its name in calls. It returns true if it has answered.
	hook func(w http.ResponseWriter, r *http.Request, call string) bool
	cut  int64  // how many bytes a connection carries before it breaks; 0: any number
	says string // the Upload-Limit

	mu       sync.Mutex
	got      []byte
	whole    bool
	calls    []string // "POST", "HEAD", "PATCH 0", "DELETE", "form"
	passed   int64    // bytes of all appends
	created  *http.Request
	keys     []string // of creations
	location string   // empty: /v1/uploads/1
}

func (k *keeper) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	call := r.Method
	switch {
	case strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/"):
		call = "form"
	case r.Method == http.MethodPatch:
		call += " " + r.Header.Get("Upload-Offset")
	}
	k.mu.Lock()
	k.calls = append(k.calls, call)
	if call == "POST" {
		k.created = r
		k.keys = append(k.keys, r.Header.Get("Idempotency-Key"))
	}
	k.mu.Unlock()
	if k.hook != nil && k.hook(w, r, call) {
		return
	}
	switch call {
	case "form":
		k.form(w, r)
	case "POST":
		if n := len(k.keys); n > 1 && k.keys[n-1] == k.keys[n-2] {
			w.Header().Set("Idempotency-Replayed", "true")
		}
		k.create(w)
	case "HEAD":
		k.tell(w, http.StatusNoContent)
	case "DELETE":
		w.WriteHeader(http.StatusNoContent)
	default:
		k.append(w, r)
	}
}

func (k *keeper) form(w http.ResponseWriter, r *http.Request) {
	content, err := received(r)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	k.mu.Lock()
	k.got = content
	k.mu.Unlock()
	writeJSON(w, http.StatusAccepted, jobBody("pending", "queued", 1))
}

func (k *keeper) create(w http.ResponseWriter) {
	location := k.location
	if location == "" {
		location = "/v1/uploads/1"
	}
	w.Header().Set("Location", location)
	if k.says != "" {
		w.Header().Set("Upload-Limit", k.says)
	}
	w.Header().Set("Upload-Complete", "?0")
	w.WriteHeader(http.StatusCreated)
}

// tell answers with how far the upload has come.
func (k *keeper) tell(w http.ResponseWriter, status int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	w.Header().Set("Upload-Offset", strconv.Itoa(len(k.got)))
	w.Header().Set("Upload-Complete", map[bool]string{true: "?1", false: "?0"}[k.whole])
	w.WriteHeader(status)
}

func (k *keeper) append(w http.ResponseWriter, r *http.Request) {
	k.mu.Lock()
	at := strconv.Itoa(len(k.got))
	k.mu.Unlock()
	if r.Header.Get("Upload-Offset") != at {
		k.tell(w, http.StatusConflict)
		return
	}
	body := io.Reader(r.Body)
	if k.cut > 0 {
		body = io.LimitReader(body, k.cut)
	}
	part, err := io.ReadAll(body)
	k.mu.Lock()
	k.got = append(k.got, part...)
	k.passed += int64(len(part))
	k.mu.Unlock()
	if err != nil || int64(len(part)) < r.ContentLength {
		panic(http.ErrAbortHandler)
	}
	if r.Header.Get("Upload-Complete") != "?1" {
		k.tell(w, http.StatusNoContent)
		return
	}
	k.mu.Lock()
	k.whole = true
	k.mu.Unlock()
	w.Header().Set("Upload-Complete", "?1")
	writeJSON(w, http.StatusAccepted, jobBody("pending", "queued", 1))
}

// has waits for the end of all requests and checks what the service has.
func (k *keeper) has(t *testing.T, want []byte) {
	t.Helper()
	k.mu.Lock()
	defer k.mu.Unlock()
	assert.True(t, bytes.Equal(want, k.got), "the service has the file: %d of %d bytes", len(k.got), len(want))
}

// TestLargeUpload is created without bytes and then sent, with the fields of the form.
func TestLargeUpload(t *testing.T) {
	t.Parallel()
	k := &keeper{}
	c := served(t, k.ServeHTTP)
	m := &media{content: large()}
	var told progressLog
	var resp client.Response
	request := transcript.Request{Source: m.source(int64(len(m.content))), Language: []string{"de", "asr-en"}, Format: transcript.Text, OmitTimestamp: true, SendMetadata: true,
		Listening: transcript.Listening{AudioTrack: "de", Channels: transcript.AutoChannels, Speakers: 2, RequireWhole: true}}
	_, job, err := c.Transcripts.Submit(t.Context(), request, client.WithUploadProgress(told.note), client.WithResponse(&resp))
	require.NoError(t, err)
	assert.Equal(t, jobID, job.JobID)
	k.has(t, m.content)
	assert.Equal(t, []string{"POST", "PATCH 0"}, k.calls)
	assert.Equal(t, url.Values{"language": {"de,asr-en"}, "format": {"text"}, "includeTimestamp": {"false"}, "sendMetadata": {"true"},
		"audioTrack": {"de"}, "channels": {"auto"}, "speakers": {"2"}, "requireWhole": {"true"}}, k.created.URL.Query())
	assert.Equal(t, "?0", k.created.Header.Get("Upload-Complete"))
	assert.Equal(t, "8", k.created.Header.Get("Upload-Draft-Interop-Version"))
	assert.Equal(t, strconv.Itoa(len(m.content)), k.created.Header.Get("Upload-Length"))
	assert.Equal(t, "application/octet-stream", k.created.Header.Get("Content-Type"))
	assert.Equal(t, `inline; filename=talk.wav`, k.created.Header.Get("Content-Disposition"))
	assert.Zero(t, k.created.ContentLength)
	assert.Equal(t, "Bearer "+key, k.created.Header.Get("Authorization"))
	assert.Equal(t, http.StatusAccepted, resp.StatusCode)
	assert.Equal(t, 1, resp.Attempts)
	assert.Equal(t, m.opened.Load(), m.closed.Load())
	assert.EqualValues(t, 0, told.sent[0])
	assert.EqualValues(t, len(m.content), told.sent[len(told.sent)-1])
}

// TestLargeUploadOverACutLine: whatever has arrived is not sent again, and attempts that bring the
// file on do not count.
func TestLargeUploadOverACutLine(t *testing.T) {
	t.Parallel()
	for name, opened := range map[string]func() io.ReadCloser{
		"a file":   func() io.ReadCloser { return seekable{bytes.NewReader(large())} },
		"a stream": func() io.ReadCloser { return io.NopCloser(bytes.NewReader(large())) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := &keeper{cut: 3 << 20}
			c := served(t, k.ServeHTTP)
			size := int64(len(large()))
			source := transcript.Media("talk.wav", size, func() (io.ReadCloser, error) { return opened(), nil })
			var told progressLog
			var resp client.Response
			breaks := 0
			_, job, err := c.Transcripts.Submit(t.Context(), transcript.Request{Source: source},
				client.WithRetry(client.RetryPolicy{Attempts: 2, MinWait: 1, MaxWait: 1}), client.WithUploadProgress(told.note), client.WithResponse(&resp),
				client.WithRetryNotify(func(error, time.Duration) { breaks++ }))
			require.NoError(t, err)
			assert.Equal(t, jobID, job.JobID)
			k.has(t, large())
			assert.Equal(t, size, k.passed)
			assert.Equal(t, []string{"POST", "PATCH 0", "HEAD", "PATCH 3145728", "HEAD", "PATCH 6291456"}, k.calls[:6])
			assert.Equal(t, 5, breaks)
			assert.Equal(t, 6, resp.Attempts)
			back := 0
			for i := range told.sent[1:] {
				if sent := told.sent[i+1]; sent < told.sent[i] {
					back++
					assert.Zero(t, sent%(3<<20), "the progress goes back to what the service has")
				}
			}
			assert.LessOrEqual(t, back, 5)
			assert.Equal(t, size, told.sent[len(told.sent)-1])
		})
	}
}

type seekable struct{ *bytes.Reader }

func (seekable) Close() error { return nil }
