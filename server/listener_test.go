package server_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
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
	require.NoError(t, conn.SetDeadline(time.Now().Add(10*time.Second)))
	go func() { _, _ = io.WriteString(conn, request) }() // refused before all of it is sent
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err, "%.100q", request)
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err, "%.100q", request)
	return resp, string(body)
}

// What net/http refuses by itself has the API's form and an id too, and a line in
// the log.
func TestRefusalsOfTheProtocol(t *testing.T) {
	t.Parallel()
	s := start(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	web := s.HTTPServer("")
	go func() { _ = web.Serve(s.Listener(l)) }()                                // returns when it is closed
	t.Cleanup(func() { assert.NoError(t, web.Shutdown(context.Background())) }) // when net/http has closed them all
	long := strings.Repeat("long", 20_000)
	for request, status := range map[string]int{
		"OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n":     404,
		"GET * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n":         404,
		"CONNECT x:80 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n":  404,
		"GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n":                           400,
		"GET /\x01 HTTP/1.1\r\nHost: x\r\n\r\n":                          400,
		"GET /healthz HTTP/1.1\r\n\r\n":                                  400,
		"GET /healthz HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n":            400,
		"GET /healthz HTTP/1.1\r\nHost: a b\r\n\r\n":                     400,
		"GET /healthz HTTP/1.1\r\nHost: x\r\nA b: c\r\n\r\n":             400,
		"GET /healthz HTTP/1.1\r\nHost: x\r\nA: \x01\r\n\r\n":            400,
		"GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n": 400,
		"nonsense\r\n\r\n":                                                                            400,
		"GET /healthz HTTP/9.1\r\nHost: x\r\n\r\n":                                                    505,
		"GET /healthz HTTP/1.1\r\nHost: x\r\nA: " + long + "\r\n\r\n":                                 431,
		"GET /" + long + " HTTP/1.1\r\nHost: x\r\n\r\n":                                               431,
		"GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: much\r\n\r\n":                                    417,
		"POST /v1/transcript HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n":                  501,
		"POST /v1/transcript HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n": 501,
	} {
		name := fmt.Sprintf("%.60q", request)
		resp, body := raw(t, l.Addr(), request)
		assert.Equal(t, status, resp.StatusCode, name)
		id := resp.Header.Get("X-Request-Id")
		assert.Regexp(t, `^[0-9a-f-]{36}$`, id, name)
		assert.Equal(t, "application/json", resp.Header.Get("Content-Type"), name)
		assert.True(t, resp.Close, name)
		assert.NotEmpty(t, resp.Header.Get("Date"), name)
		var flat struct{ Error, Message, RequestID string }
		require.NoError(t, json.Unmarshal([]byte(body), &flat), "%s: %s", name, body)
		assert.Equal(t, strings.ToLower(strings.ReplaceAll(http.StatusText(status), " ", "_")), flat.Error, name)
		assert.Equal(t, id, flat.RequestID, name)
		assert.Equal(t, status != http.StatusNotFound, flat.Message != "", "%s: %s", name, body)
		assert.Less(t, len(body), 200)
		assert.Regexp(t, `msg=request request=`+id+` .*status=`+fmt.Sprint(status), s.log.String(), name)
	}
}

// What handlers answer is passed on as it is, whatever it begins with.
func TestAnswersOfHandlersStayAsTheyAre(t *testing.T) {
	t.Parallel()
	s := start(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	const like = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close\r\n\r\n400 Bad Request"
	web := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/refused" {
			http.Error(w, "not here", http.StatusTeapot)
			return
		}
		for range 3 {
			_, _ = io.WriteString(w, like) // to a client that reads it
			w.(http.Flusher).Flush()
		}
	})}
	go func() { _ = web.Serve(s.Listener(l)) }() // returns when it is closed
	t.Cleanup(func() { assert.NoError(t, web.Close()) })
	for path, want := range map[string]string{"/refused": "not here\n", "/": strings.Repeat(like, 3)} {
		resp, err := http.Get("http://" + l.Addr().String() + path)
		require.NoError(t, err)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		assert.Equal(t, want, string(body))
	}
	http.DefaultClient.CloseIdleConnections()
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
