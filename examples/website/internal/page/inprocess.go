package page

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"

	"github.com/transcriptkit/transcriptkit/client"
)

// InProcess is a client of the API that reaches it without a connection. Whom a request
// comes from is in its context. Nothing is repeated: the page is asked for again by who
// wants it.
func InProcess(api http.Handler) (*client.Client, error) {
	return client.New("http://website", client.WithHTTPClient(&http.Client{Transport: direct{api}}), client.WithRetry(client.NoRetry))
}

// direct hands requests to a handler.
type direct struct{ handler http.Handler }

// RoundTrip returns when the answer has a header; its body comes as it is written.
func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	inner := r.Clone(r.Context())
	inner.RequestURI = inner.URL.RequestURI()
	inner.RemoteAddr = "127.0.0.1:0"
	if inner.Body == nil {
		inner.Body = http.NoBody
	}
	body, to := io.Pipe()
	answer := &answer{header: http.Header{}, body: to, begun: make(chan *http.Response, 1)}
	answer.response = &http.Response{
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: answer.header, Body: body, ContentLength: -1, Request: r,
		TransferEncoding: []string{"chunked"}, // its end is told, and where it breaks off
	}
	broken := make(chan error, 1) // gets why the handler panicked
	go func() {
		defer func() {
			if crash := recover(); crash != nil {
				err := &brokenError{crashOf(crash), answer.header.Get("X-Request-Id")}
				broken <- err
				to.CloseWithError(err)
			}
		}()
		d.handler.ServeHTTP(answer, inner)
		answer.WriteHeader(http.StatusOK) // if it has written nothing
		to.Close()
	}()
	select {
	case begun := <-answer.begun:
		return begun, nil
	case err := <-broken:
		select {
		case begun := <-answer.begun: // it had begun before: its body tells the error
			return begun, nil
		default:
			return nil, err
		}
	case <-r.Context().Done():
		body.CloseWithError(r.Context().Err())
		return nil, r.Context().Err()
	}
}

// brokenError is why a handler has not answered, or not to the end.
type brokenError struct {
	error
	requestID string // empty: it had not said
}

func (e *brokenError) Unwrap() error { return e.error }

// errBroken is how an answer ends that its handler has cut off. It has logged why.
var errBroken = errors.New("the answer broke off")

// crashOf is the error of a handler that panicked. Where nobody has logged the panic yet,
// it has the stack.
func crashOf(crash any) error {
	if crash == http.ErrAbortHandler { //nolint:errorlint,err113 // net/http compares it so, too
		return errBroken
	}
	return fmt.Errorf("panic: %v\n%s", crash, debug.Stack())
}

// answer is the answer while it is written.
type answer struct {
	header   http.Header
	body     *io.PipeWriter
	response *http.Response
	begun    chan *http.Response // gets the response once, when its header is known
	sent     bool
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if a.sent || status < 200 {
		return
	}
	a.sent = true
	a.response.StatusCode = status
	a.response.Status = http.StatusText(status)
	a.response.Header = a.header.Clone()
	a.begun <- a.response
}

func (a *answer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(p)
}

// Flush does nothing: what is written is read at once.
func (a *answer) Flush() {}
