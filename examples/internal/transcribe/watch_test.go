package transcribe

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// watching is a call with --watch.
type watching struct {
	*watched
	interrupt context.CancelFunc
	ended     chan int
}

func watch(t *testing.T, server, key, folder string, args ...string) *watching {
	t.Helper()
	ctx, interrupt := context.WithCancel(t.Context())
	w := &watching{&watched{}, interrupt, make(chan int, 1)}
	args = append([]string{"--server", server, "--watch", folder}, args...)
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.ended <- run(ctx, args, func(string) string { return key }, &strings.Builder{}, w)
	}()
	t.Cleanup(func() {
		interrupt()
		<-done
	})
	return w
}

// stop interrupts the call and returns its exit code.
func (w *watching) stop() int {
	w.interrupt()
	return <-w.ended
}

func drop(t *testing.T, folder, name, content string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func read(t *testing.T, folder, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, name))
	require.NoError(t, err)
	return string(text)
}

// submissions counts the requests for a text that reach a service.
type submissions struct {
	*relay
	mu    sync.Mutex
	count int
	keys  map[string]bool // the idempotency keys
}

func countSubmissions(t *testing.T, s *servertest.Server) *submissions {
	t.Helper()
	c := &submissions{relay: newRelay(t, s.URL), keys: map[string]bool{}}
	handler := c.Config.Handler
	c.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.URL.Path == "/v1/transcript" {
			c.mu.Lock()
			c.count++
			c.keys[r.Header.Get("Idempotency-Key")] = true
			c.mu.Unlock()
		}
		handler.ServeHTTP(w, r)
	})
	return c
}

func (c *submissions) number() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.count
}

func (c *submissions) differentKeys() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.keys)
}

// Recordings that are there and recordings that come get a text, each once, also in later calls.
func TestWatch(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	counted := countSubmissions(t, s)
	dir := t.TempDir()
	drop(t, dir, "one.mp3", "first")
	drop(t, dir, "notes.pdf", "no recording")
	drop(t, dir, ".hidden.mp3", "hidden")
	drop(t, dir, "old.mp3", "has a text")
	drop(t, dir, "old.txt", "mine")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder.mp3"), 0o700))
	w := watch(t, counted.URL, s.Key, dir)
	w.await(t, "Wrote "+filepath.Join(dir, "one.txt"))
	drop(t, dir, "TWO.WAV", "second")
	w.await(t, "Wrote "+filepath.Join(dir, "TWO.txt"))
	assert.Equal(t, exitOK, w.stop(), w.String())
	assert.Equal(t, "[00:00:00] hello world\n", read(t, dir, "one.txt"))
	assert.Equal(t, "[00:00:00] hello world\n", read(t, dir, "TWO.txt"))
	assert.Equal(t, "mine", read(t, dir, "old.txt"))
	assert.Equal(t, 2, counted.number())

	require.NoError(t, os.Remove(filepath.Join(dir, "one.txt")))
	drop(t, dir, "three.mp3", "third")
	w = watch(t, counted.URL, s.Key, dir)
	w.await(t, "Wrote "+filepath.Join(dir, "three.txt"))
	assert.Equal(t, exitOK, w.stop())
	assert.NoFileExists(t, filepath.Join(dir, "one.txt"), "its text was made before, and moved away")
	assert.Equal(t, 3, counted.number())

	w = watch(t, counted.URL, s.Key, dir, "--format", "srt", "--name", "t*.mp3")
	w.await(t, "Wrote "+filepath.Join(dir, "three.srt"))
	assert.Equal(t, exitOK, w.stop())
	assert.Contains(t, read(t, dir, "three.srt"), "-->")
	assert.NoFileExists(t, filepath.Join(dir, "one.srt"))
}

// A file that grows is not sent before it stays as it is.
func TestWatchWaitsForHalfCopies(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	counted := countSubmissions(t, s)
	dir := t.TempDir()
	path := drop(t, dir, "talk.mp3", "")
	w := watch(t, counted.URL, s.Key, dir)
	w.await(t, "Watching ")
	grows := time.NewTicker(quickPace.every)
	defer grows.Stop()
	for range 40 { // four times as long as a file must stay as it is
		<-grows.C
		record(t, path)
	}
	began := counted.number()
	w.await(t, "Wrote ")
	assert.Zero(t, began, "nothing was sent while the file grew")
	assert.Equal(t, 1, counted.number())
	assert.Equal(t, exitOK, w.stop())
}

// A recording that is written to while its text is made is sent again when it is whole.
func TestWatchOfARecorder(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	release := sync.OnceFunc(s.Engine.Hold())
	defer release()
	dir := t.TempDir()
	path := drop(t, dir, "talk.mp3", "the beginning")
	w := watch(t, s.URL, s.Key, dir)
	w.await(t, "talk.mp3: recognizing\n")
	s.Engine.Say("the beginning and the end")
	record(t, path)
	release()
	w.await(t, "talk.mp3 is still written to: it waits.\n")
	w.await(t, "Wrote ")
	assert.Equal(t, exitOK, w.stop())
	assert.Equal(t, "[00:00:00] the beginning and the end\n", read(t, dir, "talk.txt"))
	assert.Equal(t, 1, strings.Count(w.String(), "Wrote "))

	s.Engine.Say("and more") // the recording is replaced, and then its text
	record(t, path)
	w = watch(t, s.URL, s.Key, dir)
	w.await(t, "Wrote ")
	assert.Equal(t, "[00:00:00] and more\n", read(t, dir, "talk.txt"))

	drop(t, dir, "talk.txt", "my corrections")
	record(t, path)
	w.await(t, "talk.mp3 has changed, but talk.txt is not as it was written. Remove the text, and it is made again.\n")
	assert.Equal(t, "my corrections", read(t, dir, "talk.txt"))
	assert.Equal(t, exitOK, w.stop())
}

// A recording without a text is told once, and the others go on.
func TestWatchWithAFailure(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	s.Engine.FailMedia(transcript.Errorf(transcript.UploadInvalid, "There is no sound in it."))
	dir := t.TempDir()
	drop(t, dir, "bad.mp3", "no sound")
	w := watch(t, s.URL, s.Key, dir)
	w.await(t, "transcribe: bad.mp3: ")
	s.Engine.FailMedia(nil)
	drop(t, dir, "same.mp3", "this")
	drop(t, dir, "same.wav", "that")
	w.await(t, "Wrote ")
	w.await(t, "same.wav is left alone: same.txt is for the text of same.mp3. Rename one of them.\n")
	assert.Equal(t, exitFailure, w.stop())
	assert.Contains(t, w.String(), "1 of the recordings have no text, as said above\n")

	w = watch(t, s.URL, s.Key, dir)
	w.await(t, "bad.mp3 is left alone, because it has failed: ")
	drop(t, dir, "bad.mp3", "some sound")
	w.await(t, "Wrote "+filepath.Join(dir, "bad.txt"))
	assert.Equal(t, exitOK, w.stop())
}

// A service that is away for a while costs nothing, and a key that is refused ends the watching.
func TestWatchWithoutAService(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	between := newRelay(t, s.URL)
	between.away.Store(true)
	dir := t.TempDir()
	drop(t, dir, "talk.mp3", "the media")
	w := watch(t, between.URL, s.Key, dir)
	w.await(t, "; trying again in 50ms\n")
	between.away.Store(false)
	w.await(t, "Wrote ")
	assert.Equal(t, exitOK, w.stop())

	drop(t, dir, "more.mp3", "more media")
	w = watch(t, s.URL, "tr_nobody_key", dir)
	assert.Equal(t, exitFailure, <-w.ended)
	assert.Contains(t, w.String(), "The service does not take this key")
}

func TestWrongWatches(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	dir := t.TempDir()
	file := drop(t, dir, "talk.txt", "")
	w := watch(t, s.URL, s.Key, dir)
	w.await(t, "Watching ")
	broken := t.TempDir()
	drop(t, broken, ledgerName, "{")
	for want, args := range map[string][]string{
		"--watch: ": {"--watch", file + "s"},
		"talk.txt is no folder: a single recording is an argument": {"--watch", file},
		"--watch: takes the recordings of the folder alone":        {"--watch", dir, first},
		"--output: --watch writes each text next to":               {"--watch", dir, "-o", "talk.txt"},
		"--format zip: the text of a recording can be":             {"--watch", dir, "-f", "zip"},
		"--name [: syntax error in pattern":                        {"--watch", dir, "--name", "["},
		"--name: is for --watch":                                   {"--name", "*.mp3", file},
		"another transcribe watches this folder":                   {"--watch", dir},
		ledgerName + " remembers what is done, and cannot be read": {"--watch", broken},
	} {
		_, _, stderr := transcribe(t.Context(), s, "", args...)
		assert.Contains(t, stderr, want)
	}
	assert.Equal(t, exitOK, w.stop())
}

// The process is killed at several points. The next one goes on, and no recording is recognized
// twice.
func TestWatchIsKilled(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"sending", "job ", "recognizing", "Wrote "} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			s := servertest.New(t)
			release := sync.OnceFunc(s.Engine.Hold())
			defer release()
			dir := t.TempDir()
			drop(t, dir, "talk.mp3", "the media")
			var stderr watched
			counted := countSubmissions(t, s)
			cmd := program(t.Context(), s, "--server", counted.URL, "--watch", dir)
			cmd.Stderr = &stderr
			require.NoError(t, cmd.Start())
			if at == "Wrote " {
				release()
			}
			stderr.await(t, at)
			require.NoError(t, cmd.Process.Kill())
			require.Error(t, cmd.Wait())
			release()

			w := watch(t, counted.URL, s.Key, dir)
			w.await(t, "Watching ")
			require.Eventually(t, func() bool { _, err := os.Stat(filepath.Join(dir, "talk.txt")); return err == nil }, time.Minute, 10*time.Millisecond)
			assert.Equal(t, "[00:00:00] hello world\n", read(t, dir, "talk.txt"))
			assert.Equal(t, exitOK, w.stop())
			assert.Equal(t, 1, s.Engine.Recognitions())
			assert.Equal(t, 1, counted.differentKeys(), "the same request")
			if at != "sending" {
				assert.Equal(t, 1, counted.number(), "the job is known")
			}
		})
	}
}

// A process that is killed after it has written a text, and before it has noted that, finds its
// own text.
func TestWatchIsKilledAfterTheText(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	dir := t.TempDir()
	drop(t, dir, "talk.mp3", "the media")
	w := watch(t, s.URL, s.Key, dir)
	w.await(t, "talk.mp3: job ")
	_, id, _ := strings.Cut(w.String(), "talk.mp3: job ")
	id, _, _ = strings.Cut(id, "\n")
	w.await(t, "Wrote ")
	require.Equal(t, exitOK, w.stop())
	for text, code := range map[string]int{"[00:00:00] hello world\n": exitOK, "my notes": exitFailure} {
		l, unlock, err := openLedger(dir)
		require.NoError(t, err)
		e, known := l.of("talk.txt")
		require.True(t, known)
		e.Job, e.Done, e.Failed, e.Written = id, false, "", nil
		require.NoError(t, l.put("talk.txt", e))
		unlock()
		drop(t, dir, "talk.txt", text)
		w = watch(t, s.URL, s.Key, dir)
		says := "Wrote "
		if code == exitFailure {
			says = "talk.txt came while the text was made, and is not replaced\n"
		}
		w.await(t, says)
		assert.Equal(t, code, w.stop())
		assert.Equal(t, text, read(t, dir, "talk.txt"))
	}
	assert.Equal(t, 1, s.Engine.Recognitions())
}
