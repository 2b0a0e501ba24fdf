package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/r3labs/sse/v2"
	backoffv1 "gopkg.in/cenkalti/backoff.v1"

	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	// maxEvent is the largest event that is read, in bytes. The service puts a
	// transcript of up to 256 KiB into one.
	maxEvent = 4 << 20
	// streamIdle is how long a stream may be silent before it counts as broken: the
	// service sends a heartbeat every 15 s.
	streamIdle = 20 * time.Second
)

var (
	// errNoContent is a 204: there is nothing after the id that was named.
	errNoContent = errors.New("client: nothing follows")
	errSilent    = fmt.Errorf("the stream was silent for %s", streamIdle)
)

// stream is one connection to an event stream.
type stream struct {
	client *Client
	settings
	transport http.RoundTripper
	path      string
	lastID    string // of the last event seen, empty for none
	attempt   int
	answer    Response // to the last attempt, where there was one
}

// read opens the stream and hands its events to each until it returns false;
// then read returns nil. A stream that ends before is an error, also when it
// ends in an orderly way. All that belongs to the connection is gone when read
// returns, or panics with each.
func (s *stream) read(ctx context.Context, each func(*sse.Event) bool) error {
	conn, hangUp := context.WithCancelCause(ctx)
	messages := make(chan *sse.Event)
	var ended error // belongs to the reading goroutine until messages is closed
	go func() {
		defer close(messages)
		ended = s.reader(hangUp).SubscribeRawWithContext(conn, func(m *sse.Event) {
			if len(m.Data) == 0 {
				return // a heartbeat, or a block of retry alone
			}
			select {
			case messages <- m:
			case <-conn.Done():
			}
		})
	}()
	defer func() {
		hangUp(nil)
		for range messages { // until the reading goroutine has ended
		}
	}()
	for m := range messages {
		if !each(m) {
			return nil
		}
	}
	return s.reason(ctx, conn, ended)
}

// reason is why the stream ended by itself.
func (s *stream) reason(ctx, conn context.Context, ended error) error {
	var refused *Error
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("client: GET %s: %w", s.path, contextError(ctx))
	case errors.As(ended, &refused), errors.Is(ended, errNoContent):
		return ended
	case errors.Is(ended, bufio.ErrTooLong):
		return fmt.Errorf("client: GET %s: an event is larger than %d bytes", s.path, maxEvent)
	case conn.Err() != nil:
		return &transportError{http.MethodGet, s.path, context.Cause(conn)}
	case ended == nil:
		return &transportError{http.MethodGet, s.path, io.ErrUnexpectedEOF}
	}
	return &transportError{http.MethodGet, s.path, ended}
}

// reader parses one connection. It does not reconnect and keeps no state, so each
// connection has its own reader.
func (s *stream) reader(hangUp context.CancelCauseFunc) *sse.Client {
	r := sse.NewClient(s.client.base+s.path, sse.ClientMaxBufferSize(maxEvent))
	h := *s.client.http
	h.Timeout = 0 // a stream lives as long as it brings something
	h.Transport = &streamTransport{rt: s.transport, stream: s, hangUp: hangUp}
	r.Connection = &h
	r.ReconnectStrategy = &backoffv1.StopBackOff{}
	r.ResponseValidator = func(_ *sse.Client, resp *http.Response) error { return s.accept(resp) }
	return r
}

// accept refuses what is not an event stream, and closes its body.
func (s *stream) accept(resp *http.Response) error {
	r := newResponse(resp, s.attempt)
	s.answer = r
	if s.response != nil {
		*s.response = r
	}
	media, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.StatusCode == http.StatusOK && err == nil && media == "text/event-stream" {
		return nil
	}
	defer resp.Body.Close() //nolint:errcheck // nothing is written
	if resp.StatusCode == http.StatusNoContent {
		return errNoContent
	}
	// If the body breaks off, its beginning still says more than nothing.
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	body = bytes.TrimPrefix(body, byteOrderMark)
	if resp.StatusCode/100 == 2 {
		a := answer{Response: r, method: http.MethodGet, path: s.path, body: body}
		return a.malformed(fmt.Errorf("%q is not an event stream", media))
	}
	return newError(http.MethodGet, s.path, r, body)
}

// unauthorized is the error of a stream that the service ended because its key is
// no longer good: a 401 that came late.
func (s *stream) unauthorized() error {
	e := &Error{Method: http.MethodGet, Path: s.path, Code: transcript.Unauthorized, Slug: transcript.ClosingUnauthorized, Response: s.answer,
		Message: "the key is no longer good: it was revoked or has expired, or its account is suspended"}
	e.Response.StatusCode = http.StatusUnauthorized
	return e
}

// streamTransport sets the headers of the connection and watches its silence.
type streamTransport struct {
	rt     http.RoundTripper
	stream *stream
	hangUp context.CancelCauseFunc
}

func (t *streamTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	t.stream.client.identify(r.Header, t.stream.settings)
	for key, values := range t.stream.header {
		r.Header[key] = values
	}
	if t.stream.lastID != "" {
		r.Header.Set("Last-Event-ID", t.stream.lastID)
	}
	began := time.Now()
	timer := time.AfterFunc(streamIdle, func() { t.hangUp(errSilent) })
	resp, err := t.rt.RoundTrip(r)
	timer.Stop()
	t.stream.client.log(r.Context(), r.Method, t.stream.path, t.stream.attempt, began, resp, err)
	if err == nil {
		resp.Body = &watchedBody{ReadCloser: resp.Body, timer: timer}
	}
	return resp, err
}

// watchedBody runs the timer while a read waits for bytes: a reader that is slow
// to ask for more is no silence of the stream. It leaves out a byte order mark.
type watchedBody struct {
	io.ReadCloser
	timer *time.Timer
	begun *bufio.Reader // nil before the first read
}

func (b *watchedBody) Read(p []byte) (int, error) {
	b.timer.Reset(streamIdle)
	defer b.timer.Stop()
	if b.begun == nil {
		b.begun = bufio.NewReader(b.ReadCloser)
		if mark, err := b.begun.Peek(len(byteOrderMark)); err == nil && bytes.Equal(mark, byteOrderMark) {
			_, _ = b.begun.Discard(len(mark)) // what was peeked at is there
		}
	}
	return b.begun.Read(p)
}
