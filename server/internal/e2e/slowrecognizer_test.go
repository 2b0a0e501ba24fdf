package e2e_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/speechtest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ffmpeg"
	"github.com/transcriptkit/transcriptkit/server/engine/openai"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// slowEndpoint is an endpoint with OpenAI's API that works but never answers a check in time.
type slowEndpoint struct {
	checks  atomic.Int32
	working chan struct{} // gets a value when a recording has come
	answer  chan struct{} // lets a recording be answered
}

func (e *slowEndpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/v1/models" {
		e.checks.Add(1)
		<-r.Context().Done()
		return
	}
	_, _ = io.Copy(io.Discard, r.Body) // a recording that breaks off is no matter of this test
	e.working <- struct{}{}
	select {
	case <-e.answer:
	case <-r.Context().Done():
	}
	_, _ = io.WriteString(w, `{"language":"english","segments":[{"start":0,"end":1,"text":"Hello."}]}`) // as above
}

// A recognizer that answers no check in time is slow and not away: it gets the recording at once,
// the job never waits, and nothing is asked while the recording is with it.
func TestSlowRecognizerIsNotAway(t *testing.T) {
	t.Parallel()
	slow := &slowEndpoint{working: make(chan struct{}), answer: make(chan struct{})}
	endpoint := httptest.NewServer(slow)
	t.Cleanup(endpoint.Close)
	s := startService(t, func(c *server.Config) {
		c.Engine = func(h engine.Host) (engine.Engine, error) {
			r, err := openai.New(openai.Options{BaseURL: endpoint.URL + "/v1", CheckTimeout: time.Second})
			return engine.Engine{Media: ffmpeg.New(h), Recognizer: r}, err
		}
	})
	assert.Regexp(t, `^busy: The endpoint for speech recognition at \S+ takes connections`, s.readyzOfSpeech(t))

	job := submit(t, s.Client, speechtest.Say(t, "Hello."))
	watch := observe(t, s.Client, job.JobID)
	<-slow.working
	before := slow.checks.Load()
	assert.Equal(t, "ok", s.readyzOfSpeech(t))
	assert.Equal(t, before, slow.checks.Load(), "a recognizer at work was asked")
	close(slow.answer)
	for _, e := range <-watch {
		assert.Nil(t, e.Job.LastError, "%s %s", e.Type, e.Job.Stage)
	}
	ended, err := s.Jobs.Get(t.Context(), job.JobID)
	require.NoError(t, err)
	assert.Equal(t, transcript.JobSuccess, ended.Status)
	assert.Equal(t, 1, ended.Attempt)
}

// readyzOfSpeech returns what /readyz says about speech recognition.
func (s *service) readyzOfSpeech(t *testing.T) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/readyz", nil)
	require.NoError(t, err)
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { _ = answer.Body.Close() }() // it was only read
	var ready struct{ Checks map[string]string }
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&ready))
	return ready.Checks["asr"]
}
