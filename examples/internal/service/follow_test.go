package service_test

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest"
)

// watched is a service whose looks a test makes.
type watched struct {
	look  func()
	log   bytes.Buffer
	took  []server.Config
	fails error
}

func watch(t *testing.T, args ...string) *watched {
	t.Helper()
	flags, err := parsed(t, args...)
	require.NoError(t, err)
	w := new(watched)
	setup, err := flags.Setup(t.Context(), slog.New(slog.NewTextHandler(&w.log, nil)))
	require.NoError(t, err)
	w.look = setup.Look(func(c server.Config) error {
		w.took = append(w.took, c)
		return w.fails
	})
	return w
}

// lines returns the lines since the last call.
func (w *watched) lines() []string {
	text := w.log.String()
	w.log.Reset()
	return strings.FieldsFunc(text, func(c rune) bool { return c == '\n' })
}

// The files are read again when they change. A wrong content is told once, and changes nothing.
func TestFollowLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := put(t, filepath.Join(dir, "links.json"), `{"pace": 7, "jsRuntime": "node"}`)
	w := watch(t, "--links="+path, "--asr=none")
	w.look()
	assert.Empty(t, w.took)

	put(t, path, `{"pace": 9, "jsRuntime": "node"}`)
	w.look()
	w.look()
	require.Len(t, w.took, 1)
	assert.InDelta(t, 9, w.took[0].Pace.Rate.PerMinute, 0)
	lines := w.lines()
	require.Len(t, lines, 1)
	assert.Contains(t, lines[0], `level=INFO msg="the settings have changed" flag=--links file=`+path)

	put(t, path, `{"pace": -1}`)
	w.look()
	w.look()
	assert.Len(t, w.took, 1)
	lines = w.lines()
	require.Len(t, lines, 1, "told once")
	assert.Contains(t, lines[0], "level=WARN msg=\"the new settings cannot be used: the present ones stay\" flag=--links err=\""+path+": pace: must be above 0\"")

	require.NoError(t, os.Remove(path))
	w.look()
	w.look()
	assert.Len(t, w.lines(), 1, "a missing file is told once")

	put(t, path, `{"pace": 3, "jsRuntime": "deno", "sites": {"video_site": {"elsewhere": {"own-talk-01": {"canonical": "https://own.test/watch?v=own-talk-01", "at": "https://own.test/watch?v=own-talk-01&t={t}"}}}}}`)
	w.look()
	require.Len(t, w.took, 2)
	assert.InDelta(t, 3, w.took[1].Pace.Rate.PerMinute, 0)
	lines = w.lines()
	require.Len(t, lines, 2)
	assert.Contains(t, lines[1], `these members take effect at the next start" flag=--links members="jsRuntime sites"`)

	w.fails = &server.ConfigError{Member: "Egress.Allow", Err: errors.New("a.test:80 is the deployment's own")}
	put(t, path, `{"exits": [{"name": "a", "address": "http://a.test:80"}]}`)
	w.look()
	assert.Contains(t, strings.Join(w.lines(), "\n"), "the present ones stay")
}

// A file that the settings name counts too.
func TestFollowNamedFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	secret := put(t, filepath.Join(dir, "berlin.txt"), "me:one")
	path := put(t, filepath.Join(dir, "links.json"), `{"exits": [{"name": "berlin", "address": "http://a.test", "credentialsFile": "berlin.txt"}]}`)
	w := watch(t, "--links="+path, "--asr=none")
	put(t, secret, "me:two")
	w.look()
	require.Len(t, w.took, 1)
	assert.Equal(t, "http://me:two@a.test", w.took[0].Egress.Exits[0].Address)
	assert.NotContains(t, strings.Join(w.lines(), ""), "two")
}

// A new key counts from the next request to the recognizer's server on.
func TestFollowRecognizers(t *testing.T) {
	t.Parallel()
	keys := make(chan string, 10)
	asr := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { keys <- r.Header.Get("Authorization") }))
	t.Cleanup(asr.Close)
	dir := t.TempDir()
	key := put(t, filepath.Join(dir, "asr.key"), "one")
	path := put(t, filepath.Join(dir, "recognizers.json"), `{"openai": {"keyFile": "asr.key"}}`)
	flags, err := parsed(t, "--recognizers="+path, "--asr=openai:"+asr.URL+"/v1")
	require.NoError(t, err)
	var log bytes.Buffer
	setup, err := flags.Setup(t.Context(), slog.New(slog.NewTextHandler(&log, nil)))
	require.NoError(t, err)
	host := enginetest.Host(t)
	host.HTTP = http.DefaultClient
	e, err := setup.Engine(host)
	require.NoError(t, err)
	checker, ok := e.Recognizer.(engine.Checker)
	require.True(t, ok)
	_ = checker.Check(t.Context()) // the request counts
	assert.Equal(t, "Bearer one", <-keys)

	look := setup.Look(nil)
	put(t, key, "two")
	look()
	_ = checker.Check(t.Context())
	assert.Equal(t, "Bearer two", <-keys)
	assert.NotContains(t, log.String(), "next start")

	put(t, path, `{"openai": {"keyFile": "asr.key", "model": "large"}, "whisperCLI": "/opt/whisper-cli"}`)
	look()
	assert.Contains(t, log.String(), `members="openai.model whisperCLI"`)
	assert.NotEqual(t, "large", e.Recognizer.Info().Model)
}
