package server_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/servertest"
)

// raw sends bytes and reads what comes back until the connection ends.
func raw(t *testing.T, to net.Addr, request string) (*http.Response, string) {
	t.Helper()
	conn, err := net.Dial(to.Network(), to.String())
	require.NoError(t, err)
	defer conn.Close()
	go func() { _, _ = io.WriteString(conn, request) }() // refused before all of it is sent
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err, "%.100q", request)
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err, "%.100q", request)
	return resp, string(body)
}

// A request for no path is refused in the API's form. What is no HTTP, or is too large, is refused.
func TestRefusalsOfTheProtocol(t *testing.T) {
	t.Parallel()
	s := start(t)
	to := s.serveOn(t, func(l net.Listener) net.Listener { return l })
	long := strings.Repeat("long", 20_000)
	for request, status := range map[string]int{
		"OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n":    404,
		"GET * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n":        404,
		"CONNECT x:80 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n": 404,
		"nonsense\r\n\r\n": 400,
		"GET /healthz HTTP/1.1\r\nHost: x\r\nA: " + long + "\r\n\r\n": 431,
	} {
		name := fmt.Sprintf("%.60q", request)
		resp, body := raw(t, to, request)
		assert.Equal(t, status, resp.StatusCode, name)
		assert.True(t, resp.Close, name)
		if status == http.StatusNotFound {
			assert.JSONEq(t, `{"error":"not_found","requestId":"`+resp.Header.Get("X-Request-Id")+`"}`, body, name)
		}
	}
}

// countedConn counts the writes that are no writev: net.Buffers passes Write by.
type countedConn struct {
	*net.TCPConn
	writes *atomic.Int64
}

func (c countedConn) Write(b []byte) (int, error) {
	c.writes.Add(1)
	return c.TCPConn.Write(b)
}

type countedListener struct {
	net.Listener
	writes *atomic.Int64
}

func (l countedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return countedConn{c.(*net.TCPConn), l.writes}, nil
}

// TestLargeAnswersLeaveByOneCall reads a long text: head, segments and tail leave by one
// writev, packed or not, and are the same bytes as without it.
func TestLargeAnswersLeaveByOneCall(t *testing.T) {
	t.Parallel()
	s := start(t)
	words := make([]string, 4000)
	for i := range words {
		words[i] = rand.Text() // which gzip cannot make small
	}
	_, err := s.PutTranscript(t.Context(), servertest.Account, corrected("en", strings.Join(words, " ")))
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	writes := new(atomic.Int64)
	web := s.HTTPServer("")
	go func() { _ = web.Serve(s.Listener(countedListener{l, writes})) }() // returns when it is closed
	t.Cleanup(func() { assert.NoError(t, web.Shutdown(context.Background())) })

	const path = "/v1/library/transcripts/video_site/" + video
	plain := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	r.Header.Set("Authorization", "Bearer "+s.Key)
	s.Handler().ServeHTTP(plain, r)
	require.Equal(t, http.StatusOK, plain.Code)
	ask := func(method, coding string) string {
		_, body := raw(t, l.Addr(), method+" "+path+" HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAccept-Encoding: "+coding+"\r\nAuthorization: Bearer "+s.Key+"\r\n\r\n")
		return body
	}
	require.Equal(t, plain.Body.String(), ask(http.MethodGet, "identity"))
	unpacked, err := gzip.NewReader(strings.NewReader(ask(http.MethodGet, "gzip")))
	require.NoError(t, err)
	text, err := io.ReadAll(unpacked)
	require.NoError(t, err)
	require.Equal(t, plain.Body.String(), string(text))
	require.Zero(t, writes.Load(), "writes by themselves")

	// A client that goes away in the middle of an answer harms no other one.
	conn, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	_, err = io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+s.Key+"\r\n\r\n")
	require.NoError(t, err)
	_, err = io.ReadFull(conn, make([]byte, 100))
	require.NoError(t, err)
	require.NoError(t, conn.(*net.TCPConn).SetLinger(0))
	require.NoError(t, conn.Close())
	require.Equal(t, plain.Body.String(), ask(http.MethodGet, "identity"))
}

// slowly is a listener whose connections take only a few bytes at once from the service, and
// break at the third write if breaks is set.
type slowly struct {
	net.Listener
	breaks bool
}

func (l slowly) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil || l.breaks {
		return &breaking{Conn: c}, err
	}
	return c, c.(*net.TCPConn).SetWriteBuffer(4 << 10)
}

// breaking is a connection whose third write fails, as at a deadline. It stays open.
type breaking struct {
	net.Conn
	writes int
}

func (c *breaking) Write(b []byte) (int, error) {
	if c.writes++; c.writes == 3 {
		return 0, os.ErrDeadlineExceeded
	}
	return c.Conn.Write(b)
}

// serveOn serves on a listener until the test ends.
func (s *service) serveOn(t *testing.T, wrap func(net.Listener) net.Listener) net.Addr {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	web := s.HTTPServer("")
	go func() { _ = web.Serve(s.Listener(wrap(l))) }() // returns when it is closed
	t.Cleanup(func() { assert.NoError(t, web.Close()) })
	return l.Addr()
}

// startLarge starts a service with a saved text that leaves in several parts, and returns the
// request for it, without the empty line at its end.
func startLarge(t *testing.T) (s *service, get string) {
	t.Helper()
	s = start(t)
	_, err := s.PutTranscript(t.Context(), servertest.Account, corrected("en", strings.Repeat("some words ", 20_000)))
	require.NoError(t, err)
	return s, "GET /v1/library/transcripts/video_site/" + video + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + s.Key + "\r\n"
}

// TestLargeAnswersOnOneConnection asks several times on a connection that takes a few bytes at
// once: each answer is whole, and the next one begins behind it.
func TestLargeAnswersOnOneConnection(t *testing.T) {
	t.Parallel()
	s, get := startLarge(t)
	conn, err := net.Dial("tcp", s.serveOn(t, func(l net.Listener) net.Listener { return slowly{l, false} }).String())
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	answers := bufio.NewReader(conn)
	ask := func(method, request string) (*http.Response, string) {
		_, err := io.WriteString(conn, strings.Replace(request, "GET", method, 1)+"\r\n")
		require.NoError(t, err)
		a, err := http.ReadResponse(answers, &http.Request{Method: method})
		require.NoError(t, err)
		text, err := io.ReadAll(a.Body)
		require.NoError(t, err)
		return a, string(text)
	}
	first, text := ask(http.MethodGet, get)
	require.Equal(t, http.StatusOK, first.StatusCode)
	require.Contains(t, text, "some words")
	require.Len(t, text, int(first.ContentLength))
	for range 3 {
		again, body := ask(http.MethodGet, get)
		require.Equal(t, text, body)
		require.Equal(t, first.Header.Get("ETag"), again.Header.Get("ETag"))
		head, body := ask(http.MethodHead, get)
		require.Equal(t, first.ContentLength, head.ContentLength)
		require.Empty(t, body)
		same, body := ask(http.MethodGet, get+"If-None-Match: "+first.Header.Get("ETag")+"\r\n")
		require.Equal(t, http.StatusNotModified, same.StatusCode)
		require.Empty(t, body)
	}
	old := strings.Replace(get, "HTTP/1.1", "HTTP/1.0", 1)
	for _, keep := range []bool{true, false} {
		request := old
		if keep {
			request += "Connection: keep-alive\r\n"
		}
		a, body := ask(http.MethodGet, request)
		require.Equal(t, http.StatusOK, a.StatusCode)
		require.Equal(t, text, body)
		require.Equal(t, !keep, a.Close)
	}
	_, err = answers.ReadByte()
	require.ErrorIs(t, err, io.EOF)
}

// TestLargeAnswerThatCannotLeave lets a connection fail in the middle of an answer: no other
// answer follows on the connection, because a client would take it for the rest.
func TestLargeAnswerThatCannotLeave(t *testing.T) {
	t.Parallel()
	s, get := startLarge(t)
	conn, err := net.Dial("tcp", s.serveOn(t, func(l net.Listener) net.Listener { return slowly{l, true} }).String())
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	_, err = io.WriteString(conn, strings.Repeat(get+"\r\n", 2))
	require.NoError(t, err)
	got, err := io.ReadAll(conn)
	if err != nil { // the request that was not read
		require.ErrorIs(t, err, syscall.ECONNRESET)
	}
	require.Equal(t, 1, strings.Count(string(got), "HTTP/1.1 200 OK"))
	require.NotContains(t, string(got), "some words")
}
