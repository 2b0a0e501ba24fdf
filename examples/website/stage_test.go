package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/sitetest"
)

// recording is eight seconds of somebody who talks.
const recording = "../testdata/talk.ogg"

// videos is a video site on this machine, in the place of the real one.
type videos struct {
	*sitetest.Site
	url string
}

// newVideos returns the site and the flags by which a website knows it.
func newVideos(t *testing.T) (videos, []string) {
	t.Helper()
	v := videos{Site: sitetest.New(recording)}
	server := httptest.NewServer(v)
	t.Cleanup(server.Close)
	v.url = server.URL
	host := strings.TrimPrefix(server.URL, "http://")
	table := filepath.Join(t.TempDir(), "links.json")
	require.NoError(t, os.WriteFile(table, fmt.Appendf(nil, `{"pace": 1000, "sites": {"video_site": {
		"hosts": [%[1]q], "shortHosts": [], "links": ["/watch?v={id}"], "canonical": "http://%[1]s/watch?v={id}"
	}}}`, host), 0o600))
	return v, []string{"--links=" + table, "--allow-egress=" + host}
}

// link is the link to a video.
func (v videos) link(id string) string { return v.url + sitetest.Watch(id) }

// recognizer is a speech recognizer that hears what the test says. It begins with saying
// "hello world".
type recognizer struct {
	mu       sync.Mutex
	answer   string
	language string
	refuses  bool
	gate     chan struct{} // closed: who asks is answered
}

// newRecognizer returns the recognizer and the flag by which a website knows it.
func newRecognizer(t *testing.T) (*recognizer, string) {
	t.Helper()
	r := &recognizer{answer: "hello world", language: "english", gate: make(chan struct{})}
	close(r.gate)
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	t.Cleanup(func() { r.release() }) // or the server's end waits for those who ask
	return r, "--asr=whisper-server:" + server.URL
}

// say is what is heard from now on.
func (r *recognizer) say(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = text
}

// refuse has every recording refused from now on, or no more.
func (r *recognizer) refuse(refuse bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refuses = refuse
}

// hold lets who asks wait until release.
func (r *recognizer) hold() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gate = make(chan struct{})
}

func (r *recognizer) release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-r.gate:
	default:
		close(r.gate)
	}
}

// ServeHTTP answers as a server of whisper.cpp.
func (r *recognizer) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if req.URL.Path != "/inference" {
		fmt.Fprint(w, `{"status":"ok"}`)
		return
	}
	if _, err := io.Copy(io.Discard, req.Body); err != nil {
		return
	}
	r.mu.Lock()
	gate := r.gate
	r.mu.Unlock()
	select {
	case <-gate:
	case <-req.Context().Done():
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refuses {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"error":"cannot read this <b>audio</b>"}`)
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{ // who has gone needs no answer
		"task": "transcribe", "language": r.language, "duration": 8, "text": r.answer,
		"segments": []any{map[string]any{"id": 0, "text": r.answer, "start": 0.5, "end": 2.5, "temperature": 0, "avg_logprob": -0.2, "no_speech_prob": 0.01}},
	})
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(name)
	require.NoError(t, err)
	return content
}
