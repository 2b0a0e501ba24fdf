package openai_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/speechtest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/openai"
)

// key is what the recognizers of these tests send.
const key = "sk-test-5ecret5ecret"

// request is what reached the endpoint.
type request struct {
	Method, Path  string
	Authorization string
	Form          map[string][]string
	FileName      string
	FileType      string
	File          []byte
	Length        int64
}

// endpoint is a server that answers as it is told to, and keeps what it was asked.
type endpoint struct {
	*httptest.Server
	mu       sync.Mutex
	requests []request
}

// serve starts an endpoint that answers with answer, which is told the request's
// number, from 1.
func serve(t *testing.T, answer func(w http.ResponseWriter, n int, r request)) *endpoint {
	t.Helper()
	e := &endpoint{}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, err := read(r)
		if err != nil { // a client that has gone
			return
		}
		e.mu.Lock()
		e.requests = append(e.requests, got)
		n := len(e.requests)
		e.mu.Unlock()
		answer(w, n, got)
	}))
	t.Cleanup(e.Close)
	return e
}

func read(r *http.Request) (request, error) {
	got := request{Method: r.Method, Path: r.URL.Path, Authorization: r.Header.Get("Authorization"), Length: r.ContentLength}
	if r.Method != http.MethodPost {
		return got, nil
	}
	if err := r.ParseMultipartForm(32 << 20); err != nil {
		return got, err
	}
	got.Form = r.MultipartForm.Value
	file, header, err := r.FormFile("file")
	if err != nil {
		return got, err
	}
	got.FileName, got.FileType = header.Filename, header.Header.Get("Content-Type")
	got.File, err = io.ReadAll(file)
	return got, err
}

func (e *endpoint) seen() []request {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.requests
}

// says answers every request with a status and a body.
func says(t *testing.T, status int, contentType, body string, header ...string) *endpoint {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, _ int, _ request) {
		w.Header().Set("Content-Type", contentType)
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body) // the client may be gone
	})
}

// recognizer asks the endpoint with the key of these tests.
func recognizer(t *testing.T, e *endpoint, change ...func(*openai.Options)) *openai.Recognizer {
	t.Helper()
	o := openai.Options{BaseURL: e.URL + "/v1", Key: key}
	for _, c := range change {
		c(&o)
	}
	r, err := openai.New(o)
	require.NoError(t, err)
	return r
}

func model(name string) func(*openai.Options) {
	return func(o *openai.Options) { o.Model = name }
}

// tone is a recording in which something can be heard.
func tone(t *testing.T, length time.Duration) engine.Audio {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tone.wav")
	pcm := bytes.Repeat([]byte{0, 0x20, 0, 0xe0}, int(length.Seconds()*8000))
	require.NoError(t, speechtest.WriteFile(path, pcm))
	return engine.Audio{Path: path, Duration: length}
}
