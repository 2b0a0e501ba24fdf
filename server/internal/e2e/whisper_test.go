package e2e_test

import (
	"bytes"
	"crypto/sha256"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/installed"
	"github.com/transcriptkit/transcriptkit/internal/test/speechtest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/openai"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// whisperUpload is the upload limit of the real Whisper: some twelve seconds.
const whisperUpload = 12*32_000 + 64<<10

// childRecognizer is the recognizer of a child. A real Whisper works for longer than a check waits
// for its answer.
func childRecognizer() engine.Recognizer {
	address := os.Getenv(childWhisper)
	if address == "" {
		return diarist{os.Getenv(childDiary)}
	}
	r, err := openai.New(openai.Options{
		BaseURL: address, Model: installed.WhisperModel, MaxBytes: whisperUpload, CheckTimeout: 100 * time.Millisecond,
	})
	if err != nil {
		panic(err)
	}
	return r
}

// counting stands between a service and a real Whisper, and counts how often each recording is
// sent.
type counting struct {
	*httptest.Server
	mu      sync.Mutex
	order   []string // the recordings, as they were first sent
	times   map[string]int
	arrived chan int // how many recordings have arrived
}

func count(t *testing.T, whisper string) *counting {
	t.Helper()
	at, err := url.Parse(whisper)
	require.NoError(t, err)
	c := &counting{times: map[string]int{}, arrived: make(chan int, 100)}
	forward := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: at.Scheme, Host: at.Host})
	forward.ErrorHandler = func(http.ResponseWriter, *http.Request, error) {} // the service was killed
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			c.note(r)
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(c.Close)
	return c
}

// note counts the recording of a request.
func (c *counting) note(r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the service was killed
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	_, recording, _ := bytes.Cut(body, []byte("RIFF"))
	end := bytes.LastIndex(recording, []byte("\r\n--"))
	if end < 0 {
		return
	}
	sum := sha256.Sum256(recording[:end])
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.times[string(sum[:])]++; c.times[string(sum[:])] == 1 {
		c.order = append(c.order, string(sum[:]))
	}
	c.arrived <- len(c.order)
}

// sent returns how often each recording was sent, in the order in which they were first sent.
func (c *counting) sent() (times []int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, recording := range c.order {
		times = append(times, c.times[recording])
	}
	return times
}

// await waits until n recordings have arrived.
func (c *counting) await(t *testing.T, n int) {
	t.Helper()
	for {
		select {
		case reached := <-c.arrived:
			if reached >= n {
				return
			}
		case <-time.After(2 * time.Minute):
			require.FailNow(t, "the recordings do not arrive")
		}
	}
}

func textOf(r *transcript.Result) string {
	var all []string
	for _, s := range r.Transcript.Segments {
		all = append(all, s.Text)
	}
	return strings.Join(all, " ")
}

// TestKillWhileWhisperWorks uploads a recording to a service with a real Whisper, twice. The
// second service is killed while Whisper works. Whisper answers no check while it works, so each
// check finds it busy.
func TestKillWhileWhisperWorks(t *testing.T) {
	full(t)
	t.Parallel()
	whisper := installed.StartWhisper(t)
	said, err := os.ReadFile("../../../examples/testdata/talk.txt")
	require.NoError(t, err)
	const talk = "../../../examples/testdata/talk.ogg"
	service := func() (s place, seen *counting, key string) {
		seen = count(t, whisper)
		s = newPlace(t, "sqlite:"+filepath.Join(t.TempDir(), "service.db"))
		s.whisper = seen.URL + "/v1"
		return s, seen, s.makeKey(t)
	}

	s, seen, key := service()
	calm := s.spawn(t, "127.0.0.1:0")
	c := newClient(t, calm.url, key)
	job := submit(t, c, talk)
	unbroken, err := c.Jobs.Wait(t.Context(), job.JobID)
	require.NoError(t, err)
	assert.Less(t, speechtest.WordErrorRate(string(said), textOf(unbroken)), 0.1)
	assert.Equal(t, "en", unbroken.Transcript.Lang)
	job, err = c.Jobs.Get(t.Context(), job.JobID)
	require.NoError(t, err)
	assert.Equal(t, 1, job.Attempt, "a recognizer that is slow is not away")
	chunks := len(seen.sent())
	require.Greater(t, chunks, 3)
	assert.Equal(t, slices.Repeat([]int{1}, chunks), seen.sent())
	calm.kill()

	s, seen, key = service()
	addr := freeAddr(t)
	victim := s.spawn(t, addr)
	c = newClient(t, victim.url, key)
	job = submit(t, c, talk)
	seen.await(t, 3)
	victim.kill()
	finished := s.finishedChunks(t, job.JobID)
	require.NotEmpty(t, finished)
	require.Less(t, len(finished), chunks)
	s.spawn(t, addr)
	broken, err := c.Jobs.Wait(t.Context(), job.JobID)
	require.NoError(t, err)
	assert.Equal(t, unbroken.Transcript.Segments, broken.Transcript.Segments)
	times := seen.sent()
	require.Len(t, times, chunks)
	assert.Equal(t, slices.Repeat([]int{1}, len(finished)), times[:len(finished)], "a chunk that had finished was recognized again")
	assert.LessOrEqual(t, slices.Max(times), 2)
}
