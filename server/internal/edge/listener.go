package edge

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Listener is l. On its connections the refusals of net/http itself have the API's form.
func Listener(l net.Listener, log *slog.Logger) net.Listener {
	return &listener{Listener: l, log: log, ended: make(chan struct{})}
}

type listener struct {
	net.Listener
	log      *slog.Logger
	entrance *Entrance // nil: no server watches the listener
	end      sync.Once
	ended    chan struct{} // closed by Close
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		if l.entrance.leave(l) {
			<-l.ended // an error before its Shutdown would end the http.Server
		}
		return nil, err
	}
	conn := &refusingConn{Conn: c, log: l.log, entrance: l.entrance}
	l.entrance.come(conn)
	return conn, nil
}

// Close implements net.Listener.
func (l *listener) Close() error {
	l.end.Do(func() { close(l.ended) })
	return l.Listener.Close()
}

// refusingConn is a connection on which net/http answers.
type refusingConn struct {
	net.Conn
	log      *slog.Logger
	gathered *gathering // nil: each part of an answer leaves by itself
	entrance *Entrance  // nil: no server watches the listener
	coming   atomic.Bool
}

// Close ends the connection.
func (c *refusingConn) Close() error {
	c.entrance.arrive(c)
	return c.Conn.Close()
}

// Write sends an answer, or a part of one.
func (c *refusingConn) Write(b []byte) (int, error) {
	c.entrance.arrive(c)
	if c.gathered != nil {
		c.gathered.add(b)
		return len(b), nil
	}
	status, reason, refused := refusedByHTTP(b)
	if !refused {
		return c.Conn.Write(b)
	}
	id := newID()
	c.log.LogAttrs(context.Background(), slog.LevelInfo, "request",
		slog.String("request", id), slog.String("route", "none"), slog.Int("status", status), slog.String("err", reason))
	if _, err := c.Conn.Write(flatRefusal(status, reason, id)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// CloseWrite lets net/http end its side first, so that a refusal arrives.
func (c *refusingConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// maxOwnRefusal is larger than every refusal of net/http, in bytes.
const maxOwnRefusal = 512

// refusedByHTTP recognizes a refusal that net/http makes without a handler. net/http writes
// such a refusal whole, in a single call. The refusal of a bad request has no Date, which every
// answer of a handler has, and its status line has the reason.
func refusedByHTTP(b []byte) (status int, reason string, ok bool) {
	if len(b) > maxOwnRefusal {
		return 0, "", false
	}
	line, rest, _ := bytes.Cut(b, []byte("\r\n"))
	text, ok := strings.CutPrefix(string(line), "HTTP/1.1 ")
	if !ok || len(text) < 3 {
		return 0, "", false
	}
	status, err := strconv.Atoi(text[:3])
	head, _, whole := bytes.Cut(rest, []byte("\r\n\r\n"))
	switch {
	case err != nil, status < http.StatusBadRequest, !whole:
		return 0, "", false
	case status == http.StatusExpectationFailed && !bytes.Contains(head, []byte("X-Request-Id:")):
		return status, "only 100-continue may be expected", true
	case !bytes.Equal(head, []byte("Content-Type: text/plain; charset=utf-8\r\nConnection: close")):
		return 0, "", false
	}
	if _, reason, said := strings.Cut(text, ": "); said {
		return status, reason, true
	}
	return status, unsaid[status], true
}

// unsaid are the reasons of refusals whose status line has no reason.
var unsaid = map[int]string{
	http.StatusBadRequest:                  "the request line or a header cannot be read",
	http.StatusRequestHeaderFieldsTooLarge: "the request line and the headers are too large",
	http.StatusNotImplemented:              "of transfer encodings only chunked is known",
}

// flatRefusal is an answer after which the connection is closed.
func flatRefusal(status int, reason, id string) []byte {
	slug := strings.ReplaceAll(strings.ToLower(http.StatusText(status)), " ", "_")
	body, _ := json.Marshal(FlatError{Error: slug, Message: reason, RequestID: id}) // strings never fail
	var b bytes.Buffer
	resp := http.Response{
		StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Close: true, ContentLength: int64(len(body)),
		Header: http.Header{
			"Content-Type": {"application/json"}, "X-Request-Id": {id}, "Date": {time.Now().UTC().Format(http.TimeFormat)},
			"Cache-Control": {"private, no-cache"}, "X-Content-Type-Options": {"nosniff"},
		},
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	_ = resp.Write(&b) // a buffer never fails
	return b.Bytes()
}
