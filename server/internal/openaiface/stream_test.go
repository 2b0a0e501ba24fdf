package openaiface_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// event is a data line of a stream.
type event struct {
	Type, Delta, Text, ID, Speaker string
	SegmentID                      string `json:"segment_id"`
	Start, End                     float64
	Usage                          struct {
		Type    string
		Seconds float64
	}
	Error *failure
}

// stream is an answer that is still being sent.
type stream struct {
	*http.Response
	lines *bufio.Reader
}

// open begins a stream.
func (s *service) open(t testing.TB, parts ...part) *stream {
	t.Helper()
	body, contentType := form(t, append(parts, whisper, field("stream", "true"))...)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+transcriptions, bytes.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", contentType)
	r.Header.Set("Authorization", "Bearer "+s.Key)
	resp, err := s.http.Do(r)
	require.NoError(t, err)
	t.Cleanup(func() { _ = resp.Body.Close() }) // it was read as far as the test wants
	require.Equal(t, http.StatusOK, resp.StatusCode)
	assert.Equal(t, "text/event-stream", resp.Header.Get("Content-Type"))
	assert.Equal(t, "no", resp.Header.Get("X-Accel-Buffering"))
	return &stream{resp, bufio.NewReader(resp.Body)}
}

// next is the next event that is not empty; false: the stream has ended. A stream has nothing but
// lines with data and empty lines.
func (s *stream) next(t testing.TB) (e event, more bool) {
	t.Helper()
	for {
		line, err := s.lines.ReadString('\n')
		if err == io.EOF {
			require.Empty(t, line)
			return e, false
		}
		require.NoError(t, err)
		data, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "data: ")
		require.True(t, ok, "%q", line)
		require.NoError(t, json.Unmarshal([]byte(data), &e), data)
		empty, err := s.lines.ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, "\n", empty)
		if e.Type != "transcript.text.delta" || e.Delta != "" {
			return e, true
		}
	}
}

// rest is the events until the stream ends.
func (s *stream) rest(t testing.TB) (all []event) {
	t.Helper()
	for {
		e, more := s.next(t)
		if !more {
			return all
		}
		all = append(all, e)
	}
}

// The first words are sent while the rest of the recording is still recognized.
func TestStreamSendsWordsBeforeTheEnd(t *testing.T) {
	t.Parallel()
	s := start(t, withSpeakers())
	s.Engine.SetMedia(servertest.Media{Duration: 25 * time.Second})
	first := make(chan struct{})
	s.Engine.SetRecognize(func(ctx context.Context, call int, a engine.Audio, o engine.RecognizeOptions) (engine.Recognition, error) {
		if !strings.HasSuffix(a.Path, "-00000.wav") { // the other chunks
			select {
			case <-first:
			case <-ctx.Done():
				return engine.Recognition{}, ctx.Err()
			}
		}
		return talk(ctx, call, a, o)
	})
	open := s.open(t, file("a"))
	e, more := open.next(t)
	require.True(t, more)
	assert.Equal(t, "transcript.text.delta", e.Type)
	assert.Equal(t, "Good morning. Hello.", e.Delta)
	close(first)
	said := e.Delta
	all := open.rest(t)
	done := all[len(all)-1]
	for _, e := range all[:len(all)-1] {
		assert.Equal(t, "transcript.text.delta", e.Type)
		said += e.Delta
	}
	assert.Equal(t, "transcript.text.done", done.Type)
	assert.Equal(t, said, done.Text)
	assert.Equal(t, "duration", done.Usage.Type)
	assert.InDelta(t, 25, done.Usage.Seconds, 0.001)
}

// With speakers each segment is an event.
func TestStreamOfSpeakers(t *testing.T) {
	t.Parallel()
	s := start(t, withSpeakers())
	s.Engine.SetRecognize(talk)
	for _, content := range []string{"a", "a"} { // new, and from the cache
		all := s.open(t, file(content), field("response_format", "diarized_json")).rest(t)
		require.Len(t, all, 5)
		assert.Equal(t, event{Type: "transcript.text.delta", Delta: "Good morning.", SegmentID: "seg_0"}, all[0])
		assert.Equal(t, "transcript.text.segment", all[1].Type)
		assert.Equal(t, "Good morning.", all[1].Text)
		assert.Equal(t, "seg_0", all[1].ID)
		assert.InDelta(t, 0.5, all[1].Start, 0.0001)
		assert.InDelta(t, 1.75, all[1].End, 0.0001)
		assert.True(t, strings.HasPrefix(all[1].Speaker, "A"), all[1].Speaker)
		assert.Equal(t, " Hello.", all[2].Delta)
		assert.Equal(t, "seg_1", all[3].ID)
		assert.Equal(t, "transcript.text.done", all[4].Type)
	}
}

// A stream from the cache has the text too.
func TestStreamFromTheCache(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.transcribe(t, []part{whisper, file("a")})
	all := s.open(t, file("a")).rest(t)
	require.Len(t, all, 2)
	assert.Equal(t, "hello world", all[0].Delta)
	assert.Equal(t, "hello world", all[1].Text)
}

// A job that fails, or is cancelled, ends the stream with an error.
func TestStreamOfAFailedJob(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Engine.Fail(transcript.Errorf(transcript.UploadInvalid, "The file has no sound."))
	all := s.open(t, file("a")).rest(t)
	require.Len(t, all, 1)
	require.NotNil(t, all[0].Error)
	assert.Equal(t, failure{Message: "The file has no sound.", Type: "invalid_request_error", Code: "upload_invalid"}, *all[0].Error)

	a := s.transcribe(t, []part{whisper, file("b")}) // without a stream it is the status
	assert.Equal(t, http.StatusBadRequest, a.StatusCode)
	assert.Equal(t, *all[0].Error, a.failure(t))
}

// A stop of the service is told, and the same request goes on with the job.
func TestStreamAcrossARestart(t *testing.T) {
	t.Parallel()
	s := start(t)
	release := s.Engine.Hold()
	open := s.open(t, file("a"))
	require.NoError(t, s.Engine.Await(t.Context(), 1))
	restarted := make(chan error, 1)
	go func() { restarted <- s.Restart(t.Context()) }()
	all := open.rest(t)
	require.Len(t, all, 1)
	require.NotNil(t, all[0].Error)
	assert.Equal(t, "service_unavailable", all[0].Error.Code)
	assert.Equal(t, "server_error", all[0].Error.Type)
	release()
	require.NoError(t, <-restarted)
	again := s.open(t, file("a")).rest(t)
	assert.Equal(t, "transcript.text.done", again[len(again)-1].Type)
	assert.Equal(t, "hello world", again[len(again)-1].Text)
	list := s.do(t, http.MethodGet, "/v1/library/transcripts", nil)
	assert.Equal(t, 1, strings.Count(list.body, `"externalId"`), list.body)
}

// A client that goes away does not lose the job: the same file joins it.
func TestBrokenConnection(t *testing.T) {
	t.Parallel()
	s := start(t)
	release := s.Engine.Hold()
	defer release()
	for _, streams := range []string{"false", "true"} {
		ctx, leave := context.WithCancel(t.Context())
		body, contentType := form(t, whisper, field("stream", streams), file("a"))
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+transcriptions, bytes.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("Content-Type", contentType)
		r.Header.Set("Authorization", "Bearer "+s.Key)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			if resp, err := s.http.Do(r); err == nil {
				_, _ = io.Copy(io.Discard, resp.Body) // it breaks
				_ = resp.Body.Close()
			}
		}()
		require.NoError(t, s.Engine.Await(t.Context(), 1))
		leave()
		<-ended
	}
	release()
	a := s.transcribe(t, []part{whisper, file("a")})
	assert.Contains(t, a.body, "hello world")
	assert.Equal(t, 1, s.Engine.Recognitions(), "the three requests have one job")
	assert.Contains(t, s.transcribe(t, []part{whisper, file("a")}).body, "hello world")
	assert.Equal(t, 1, s.Engine.Recognitions())
}
