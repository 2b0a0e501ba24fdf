package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
