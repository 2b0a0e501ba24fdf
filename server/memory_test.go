package server_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// unreadable is a body of so many bytes that is refused once all of it is there: to decode
// one that is not takes long.
func unreadable(size int) string { return "!" + strings.Repeat(" ", size-1) }

// sending is a request whose body is on its way.
type sending struct {
	body   *io.PipeWriter
	whole  string
	answer chan *httptest.ResponseRecorder
}

// beginTo begins a POST of a body of which the first bytes arrive. A length of -1 is not told.
func (s *service) beginTo(t *testing.T, path, key, body string, length int64, arrived int) *sending {
	t.Helper()
	out, in := io.Pipe()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, out)
	r.ContentLength = length
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	sent := &sending{in, body[arrived:], make(chan *httptest.ResponseRecorder, 1)}
	go func() {
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		_ = out.Close() // who writes learns that nobody reads
		sent.answer <- w
	}()
	_, err := io.WriteString(in, body[:arrived]) // the handler reads by now
	require.NoError(t, err)
	return sent
}

// finish sends the rest.
func (s *sending) finish(t *testing.T) *httptest.ResponseRecorder {
	t.Helper()
	_, err := io.WriteString(s.body, s.whole)
	require.NoError(t, err)
	require.NoError(t, s.body.Close())
	return <-s.answer
}

// postSized sends a body of which nothing arrives unless somebody reads it, and returns how much
// of it was read.
func (s *service) postSized(t *testing.T, path, key string, body string, length int64) (*httptest.ResponseRecorder, int) {
	t.Helper()
	read := &counted{r: strings.NewReader(body)}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, read)
	r.ContentLength = length
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w, read.n
}

// An account has its part of the memory for bodies, and no more: what does not fit is
// refused before it is read, and nobody else notices.
func TestBodiesOfAnAccountAreBounded(t *testing.T) {
	t.Parallel()
	s := start(t)
	globex := s.NewKey(t, "globex", account.Batches)
	const size = 8 << 20
	body := unreadable(size)
	slow := s.beginTo(t, "/v1/batch", s.Key, body, size, 1)
	for range 20 {
		w, read := s.postSized(t, "/v1/batch", s.Key, body, size)
		require.Equal(t, http.StatusTooManyRequests, w.Code, w.Body)
		assert.Equal(t, "1", w.Header().Get("Retry-After"))
		assert.Contains(t, w.Body.String(), `"error":"rate_limited"`)
		assert.Equal(t, "close", w.Header().Get("Connection"))
		assert.Zero(t, read)
	}
	w, read := s.postSized(t, "/v1/batch", s.Key, body, -1)
	assert.Equal(t, http.StatusTooManyRequests, w.Code, "a length that is not told: %s", w.Body)
	assert.Less(t, read, 3<<20)
	assert.Equal(t, http.StatusAccepted, s.postBatch(t, ofLinks(video)).StatusCode, "an ordinary request")
	w, _ = s.postSized(t, "/v1/batch", globex, body, size)
	assert.Equal(t, http.StatusBadRequest, w.Code, w.Body)
	assert.Equal(t, http.StatusBadRequest, slow.finish(t).Code)
	for _, length := range []int64{size, -1} {
		w, _ = s.postSized(t, "/v1/batch", s.Key, body, length)
		assert.Equal(t, http.StatusBadRequest, w.Code, "there is room again: %s", w.Body)
	}
	// A body that breaks off gives back what it held.
	for range 5 {
		cut := s.beginTo(t, "/v1/batch", s.Key, body, size, 100)
		require.NoError(t, cut.body.CloseWithError(io.ErrUnexpectedEOF))
		assert.Equal(t, http.StatusBadRequest, (<-cut.answer).Code)
	}
	w, _ = s.postSized(t, "/v1/batch", s.Key, body, size)
	assert.Equal(t, http.StatusBadRequest, w.Code, w.Body)
}

// Where many accounts together hold what the process may, large bodies wait and ordinary
// requests do not.
func TestBodiesOfTheProcessAreBounded(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *server.Config) { c.Limits.BodyBytes = 16 << 20 })
	const size = 8 << 20
	body := unreadable(size)
	slow := s.beginTo(t, "/v1/batch", s.Key, body, size, 1)
	key := s.NewKey(t, "globex", account.Batches)
	w, read := s.postSized(t, "/v1/batch", key, body, size)
	require.Equal(t, http.StatusServiceUnavailable, w.Code, w.Body)
	assert.Contains(t, w.Body.String(), `"SERVICE_UNAVAILABLE"`)
	assert.Equal(t, "2", w.Header().Get("Retry-After"))
	assert.Zero(t, read)
	w, _ = s.postSized(t, "/v1/batch", key, unreadable(64<<10-1), 64<<10-1)
	assert.Equal(t, http.StatusBadRequest, w.Code, w.Body)
	assert.Equal(t, http.StatusBadRequest, slow.finish(t).Code)
	w, _ = s.postSized(t, "/v1/batch", key, body, size)
	assert.Equal(t, http.StatusBadRequest, w.Code, w.Body)
}

// A body that is kept in memory has two minutes in all, however it moves.
func TestBodiesInMemoryHaveTwoMinutes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		piece int // bytes in a tenth of a second
		until time.Duration
	}{
		"just fast enough": {8 << 10, 0}, "not fast enough": {6 << 10, 2 * time.Minute}, "a bad line": {800, 2 * time.Minute}, "a few bytes": {1, 30 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			d := &deadlines{ResponseRecorder: httptest.NewRecorder()}
			began := time.Now()
			read, err := io.Copy(io.Discard, server.BodyInMemory(io.NopCloser(&sender{d, c.piece, time.Second / 10, 8 << 20}), d))
			if c.until == 0 {
				require.NoError(t, err, name)
				assert.EqualValues(t, 8<<20, read, name)
				return
			}
			assert.EqualError(t, err, "request_timeout", name)
			assert.InDelta(t, c.until.Seconds(), time.Since(began).Seconds(), 2, name)
		})
	}
}

// unread is an answer of which nothing large is taken until it is read.
type unread struct {
	*httptest.ResponseRecorder
	begun func()
	read  chan struct{}
}

func (u *unread) Write(b []byte) (int, error) {
	if len(b) > 64<<10 {
		u.begun()
		<-u.read
	}
	return u.ResponseRecorder.Write(b)
}

// Clients of an account that do not read their large answers hold its part of the memory
// for answers, and nobody else's.
func TestLargeAnswersAreBounded(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *server.Config) { server.SettingsOf(c).AnswerBytes = 1 << 20 })
	long := transcript.Transcript{
		Platform: transcript.VideoSite, ExternalID: video, Lang: "en",
		Segments: []transcript.Segment{{Text: strings.Repeat("a", 100<<10), Duration: 1}}, // two are less than a quarter of 1 MiB, three more
	}
	globex := s.NewKey(t, "globex", account.Transcripts)
	for _, owner := range []string{servertest.Account, "globex"} {
		_, err := s.PutTranscript(t.Context(), owner, long)
		require.NoError(t, err)
	}
	get := func(key string, w http.ResponseWriter) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/library/transcripts/video_site/"+video, nil)
		r.Header.Set("Authorization", "Bearer "+key)
		s.Handler().ServeHTTP(w, r)
	}
	read := make(chan struct{})
	var readers sync.WaitGroup
	for range 2 {
		begun := make(chan struct{})
		readers.Go(func() {
			u := &unread{httptest.NewRecorder(), sync.OnceFunc(func() { close(begun) }), read}
			get(s.Key, u)
			assert.Equal(t, http.StatusOK, u.Code)
		})
		<-begun
	}
	w := httptest.NewRecorder()
	get(s.Key, w)
	assert.Equal(t, http.StatusTooManyRequests, w.Code)
	assert.Equal(t, "1", w.Header().Get("Retry-After"))
	w = httptest.NewRecorder()
	get(globex, w)
	assert.Equal(t, http.StatusOK, w.Code)
	assert.Greater(t, w.Body.Len(), 1<<20/4/3)
	assert.Equal(t, http.StatusOK, s.get(t, "/v1/library/transcripts").StatusCode, "an ordinary answer")
	close(read)
	readers.Wait()
	w = httptest.NewRecorder()
	get(s.Key, w)
	assert.Equal(t, http.StatusOK, w.Code)
}

// Without a key a network has a part of the memory for answers, which others do not notice.
func TestLargeAnswersWithoutAKeyAreBounded(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *server.Config) { server.SettingsOf(c).AnswerBytes = 4 << 20 }) // a quarter without a key, of which a network has a quarter
	_, err := s.PutTranscript(t.Context(), servertest.Account, transcript.Transcript{
		Platform: transcript.VideoSite, ExternalID: video, Lang: "en",
		Segments: []transcript.Segment{{Text: strings.Repeat("a", 150<<10), Duration: 1}},
	})
	require.NoError(t, err)
	_, token := s.share(t, "video_site/"+video, "")
	get := func(from string, w http.ResponseWriter) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/shared/"+token, nil)
		r.RemoteAddr = from + ":1024"
		s.Handler().ServeHTTP(w, r)
	}
	read, begun := make(chan struct{}), make(chan struct{})
	var reader sync.WaitGroup
	reader.Go(func() {
		get("198.51.100.7", &unread{httptest.NewRecorder(), sync.OnceFunc(func() { close(begun) }), read})
	})
	<-begun
	for from, status := range map[string]int{"198.51.100.8": http.StatusTooManyRequests, "203.0.113.9": http.StatusOK} {
		w := httptest.NewRecorder()
		get(from, w)
		assert.Equal(t, status, w.Code, from)
	}
	close(read)
	reader.Wait()
}

// An object store takes an upload in large parts: those of one account are few at once.
func TestUploadsToAnObjectStoreAreBounded(t *testing.T) {
	t.Parallel()
	s := startWithBlobs(t, storetest.S3(t))
	body, contentType := form(t, part{name: "file", content: "some media"})
	upload := func(key string, b io.Reader) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/transcript", b)
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("Content-Type", contentType)
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		return w
	}
	var slow sync.WaitGroup
	var ends []*io.PipeWriter
	keys := []string{s.Key, s.NewKey(t, "globex"), s.NewKey(t, "initech"), s.NewKey(t, "hooli")}
	for i := range 16 {
		out, in := io.Pipe()
		slow.Go(func() { assert.Equal(t, http.StatusBadRequest, upload(keys[i/4], out).Code) })
		head := bytes.Index(body, []byte("\r\n\r\n")) + 4
		for _, some := range [][]byte{body[:head], body[head : head+1]} { // when the file is read, it is counted
			_, err := in.Write(some)
			require.NoError(t, err)
		}
		ends = append(ends, in)
	}
	w := upload(s.Key, bytes.NewReader(body))
	assert.Equal(t, http.StatusTooManyRequests, w.Code, w.Body)
	assert.Equal(t, "1", w.Header().Get("Retry-After"))
	assert.Contains(t, w.Body.String(), `"error":"rate_limited","message":"The account is sending 4 files, as many as it may at once:`)
	w = upload(s.NewKey(t, "umbrella"), bytes.NewReader(body))
	assert.Equal(t, http.StatusServiceUnavailable, w.Code, w.Body)
	assert.Equal(t, "2", w.Header().Get("Retry-After"))
	assert.Contains(t, w.Body.String(), `"details":{"limit":16}`)
	for _, in := range ends {
		require.NoError(t, in.CloseWithError(io.ErrUnexpectedEOF))
	}
	slow.Wait()
	assert.Equal(t, http.StatusOK, upload(s.Key, bytes.NewReader(body)).Code)
}

// A request that waits for its job holds no memory of its upload, which has arrived.
func TestUploadsThatHaveArrivedHoldNoMemory(t *testing.T) {
	t.Parallel()
	s := startWithBlobs(t, storetest.S3(t))
	release := s.Engine.Hold()
	defer release()
	client := s.plain(t).http
	var streams []io.Reader
	for i := range 5 {
		body, contentType := form(t, part{name: "model", content: "whisper-1"}, part{name: "stream", content: "true"},
			part{name: "file", content: fmt.Sprint("talk number ", i)})
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/v1/audio/transcriptions", bytes.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer "+s.Key)
		r.Header.Set("Content-Type", contentType)
		resp, err := client.Do(r)
		require.NoError(t, err)
		defer resp.Body.Close()
		assert.Equal(t, http.StatusOK, resp.StatusCode)
		streams = append(streams, resp.Body)
	}
	release()
	said, err := io.ReadAll(io.MultiReader(streams...))
	require.NoError(t, err)
	assert.Equal(t, 5, strings.Count(string(said), "transcript.text.done"))
}
