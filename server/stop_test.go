package server_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// What a step uses stays while it runs, however little time Stop is given: the
// database's lock, the way to the network, the scratch files. Stop goes on with
// the next call.
func TestStopThatIsGivenNoTime(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(site.Close)
	var host engine.Host
	s := start(t, func(c *server.Config) {
		make := c.Engine
		c.Engine = func(h engine.Host) (engine.Engine, error) { host = h; return make(h) }
		c.Egress.Allow = []string{site.Listener.Addr().String()}
	})
	told, deaf := make(chan struct{}), make(chan struct{})
	s.Engine.SetRecognize(func(ctx context.Context, _ int, a engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
		<-ctx.Done()
		close(told)
		<-deaf // a program that does not end when it is told to
		assert.FileExists(t, a.Path)
		_, err := get(host.HTTP, site.URL)
		assert.NoError(t, err, "a step lost its way to the network")
		return engine.Recognition{}, ctx.Err()
	})
	id := s.job(t, "a file")
	require.NoError(t, s.Engine.Await(t.Context(), 1))
	elsewhere := func() error {
		release, err := db.Of(s.Store).Serve(t.Context())
		if err != nil {
			return err
		}
		return release()
	}

	for range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		assert.ErrorIs(t, s.Stop(ctx), context.DeadlineExceeded)
		cancel()
		<-told
		assert.ErrorIs(t, elsewhere(), store.ErrServed)
	}
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() { assert.NoError(t, s.Stop(t.Context())) })
	}
	close(deaf)
	all.Wait()
	left, err := os.ReadDir(s.scratch)
	require.NoError(t, err)
	assert.Empty(t, left)
	_, err = get(host.HTTP, site.URL)
	assert.Error(t, err, "the guard is closed")
	assert.NoError(t, elsewhere())
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	assert.NoError(t, s.Stop(ended), "there is nothing left to do")

	s.Engine.Say("hello")
	require.NoError(t, s.Restart(t.Context()))
	assert.Equal(t, "success", s.ended(t, id)["status"])
}

func get(c *http.Client, url string) (status int, err error) {
	resp, err := c.Get(url)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

// listen serves by an http.Server that Stop shuts down.
func (s *service) listen(t *testing.T) (ended <-chan error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan error, 1)
	web := s.HTTPServer("")
	go func() { done <- web.Serve(l) }()
	s.URL = "http://" + l.Addr().String()
	s.http = httpClient(t, s.URL)
	return done
}

// While /readyz says that the service goes, everything works; then whoever waits
// is answered, and nobody by an error of the end.
func TestDrain(t *testing.T) {
	t.Parallel()
	drain := time.Second
	for !drains(t, drain) { // a busy machine has answered too late
		drain *= 2
	}
}

// drains stops a service with a delay. It reports whether the requests of the delay were answered
// in time.
func drains(t *testing.T, drain time.Duration) (inTime bool) {
	t.Helper()
	s := start(t, func(c *server.Config) { c.DrainDelay = drain })
	ended := s.listen(t)
	id, release := s.heldJob(t, "a file")
	defer release()
	stream := s.open(t, id)
	require.Equal(t, "job.snapshot", stream.next(t).name)
	defer s.Engine.HoldCaptions()()
	ask := func(method, path string) <-chan *answer {
		answers := make(chan *answer, 1)
		go func() {
			a, err := s.send(t, method, path, nil)
			assert.NoError(t, err, path)
			answers <- a
		}()
		return answers
	}
	posted := s.inBackground(t, []part{field("waitMs", "10000"), file("a file")})
	question := ask(http.MethodGet, "/v1/video_site/captions?videoId=dQw4w9WgXcQ")
	require.Eventually(t, func() bool { return s.Engine.CaptionReads(transcript.VideoSite) > 0 }, time.Minute, time.Millisecond)

	stopped, began := make(chan error, 1), time.Now()
	go func() { stopped <- s.Stop(context.WithoutCancel(t.Context())) }()
	var ready *answer
	require.Eventually(t, func() bool {
		a, err := s.send(t, http.MethodGet, "/readyz", nil, as(""))
		if err == nil {
			ready = a
		}
		return err != nil || ready.StatusCode == http.StatusServiceUnavailable && ready.Close // the next request is for another process
	}, time.Minute, time.Millisecond)
	body, kind := form(t, field("waitMs", "0"), file("another file"))
	accepted, _ := s.send(t, http.MethodPost, "/v1/transcript", bytes.NewReader(body), header("Content-Type", kind)) // none: too late
	read, _ := s.send(t, http.MethodGet, jobPath(id), nil)                                                           // as above
	if time.Since(began) >= drain {
		require.NoError(t, <-stopped)
		<-posted
		<-question
		return false
	}
	require.NotNil(t, ready)
	assert.Contains(t, ready.body, `"draining"`)
	require.NotNil(t, accepted)
	assert.Equal(t, http.StatusAccepted, accepted.StatusCode)
	require.NotNil(t, read)
	assert.Equal(t, http.StatusOK, read.StatusCode)

	assert.Equal(t, "stream.closing", stream.next(t).name)
	assert.ErrorIs(t, <-ended, http.ErrServerClosed)
	assert.GreaterOrEqual(t, time.Since(began), drain)
	a := <-posted // by the stop alone: in these tests a wait has no other end
	assert.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
	assert.Equal(t, id, a.object(t)["jobId"])
	_, err := s.send(t, http.MethodGet, "/healthz", nil)
	assert.Error(t, err, "the listener is closed")
	a = <-question
	assert.Equal(t, http.StatusServiceUnavailable, a.StatusCode, a.body)
	assert.Equal(t, "SERVICE_UNAVAILABLE", a.failure(t)["code"])
	assert.NotEmpty(t, a.Header.Get("Retry-After"))
	require.NoError(t, <-stopped)
	return true
}

// An upload that stalls is cut when its time is up: that is the service's doing, and
// not a bad request.
func TestUploadThatTheEndCuts(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *server.Config) { server.SettingsOf(c).RequestGrace = time.Millisecond })
	ended := s.listen(t)
	host := strings.TrimPrefix(s.URL, "http://")
	conn, err := net.Dial("tcp", host)
	require.NoError(t, err)
	defer conn.Close()
	_, err = fmt.Fprintf(conn, "POST /v1/transcript HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000\r\nExpect: 100-continue\r\n\r\n", host, s.Key)
	require.NoError(t, err)
	line, err := bufio.NewReader(conn).ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, line, "100 Continue", "the handler waits for the body")

	require.NoError(t, s.Stop(t.Context()))
	assert.ErrorIs(t, <-ended, http.ErrServerClosed)
	require.Eventually(t, func() bool {
		return strings.Contains(s.log.String(), "route=/v1/transcript ")
	}, time.Minute, 5*time.Millisecond)
	assert.Regexp(t, `route=/v1/transcript status=503 `, s.log.String())
	assert.NotContains(t, s.log.String(), "level=ERROR")
}

// A handler under a server of the embedder's own answers after Stop too: what
// can be done by another process is never refused for good.
func TestAnswersAfterStop(t *testing.T) {
	t.Parallel()
	s := start(t)
	require.NoError(t, s.Stop(t.Context()))
	a := s.upload(t, "a file")
	assert.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
	assert.True(t, a.Close)
	for _, path := range []string{"/v1/video_site/captions?videoId=dQw4w9WgXcQ", "/v1/transcript/info?url=https://video.example/watch?v=dQw4w9WgXcQ"} {
		a = s.get(t, path)
		assert.Equal(t, http.StatusServiceUnavailable, a.StatusCode, a.body)
		assert.Equal(t, "SERVICE_UNAVAILABLE", a.failure(t)["code"], a.body)
	}
	assert.Equal(t, http.StatusNotFound, s.get(t, unknownJob).StatusCode, "what is known is said")
}

// toldListener tells of each connection that it has accepted, and of its end.
type toldListener struct {
	net.Listener
	accepted, ended chan struct{}
}

func (l toldListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil {
		l.accepted <- struct{}{}
	} else {
		close(l.ended)
	}
	return c, err
}

// A connection that was accepted gets an answer, also if its first request comes after the last
// connection.
func TestStopAnswersAcceptedConnections(t *testing.T) {
	t.Parallel()
	s := start(t)
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	told := toldListener{l, make(chan struct{}, 1), make(chan struct{})}
	served := make(chan error, 1)
	go func() { served <- s.HTTPServer("").Serve(s.Listener(told)) }()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", l.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	<-told.accepted

	stopped := make(chan error, 1)
	go func() { stopped <- s.Stop(t.Context()) }()
	<-told.ended
	select {
	case err := <-served:
		require.Fail(t, "the http.Server ends before its connections are read", "%v", err)
	default:
	}
	_, err = io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
	require.NoError(t, err)
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err, "net/http drops a request that it reads during its shutdown")
	require.NoError(t, answer.Body.Close())
	assert.Equal(t, http.StatusOK, answer.StatusCode)
	assert.True(t, answer.Close)
	require.NoError(t, <-stopped)
	require.ErrorIs(t, <-served, http.ErrServerClosed)
}
