package web

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"runtime/debug"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
)

// InProcess returns a client of the API that calls the handler without a connection. The
// request's context holds the visitor. The client repeats no request: visitors reload the page
// themselves.
func InProcess(api http.Handler) (*client.Client, error) {
	return client.New("http://website", client.WithHTTPClient(&http.Client{Transport: direct{api}}), client.WithRetry(client.NoRetry))
}

// ownAddress is the client's address of requests without a visitor.
var ownAddress = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// direct passes requests to a handler.
type direct struct{ handler http.Handler }

// RoundTrip returns when the answer has a header. Its body arrives as the handler writes it.
func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	inner := r.Clone(r.Context())
	inner.RequestURI = inner.URL.RequestURI()
	inner.RemoteAddr = netip.AddrPortFrom(cmp.Or(visitor.Client(r.Context()), ownAddress), 0).String() // by which the API counts
	if inner.Body == nil {
		inner.Body = http.NoBody
	}
	body, to := io.Pipe()
	answer := &answer{header: http.Header{}, body: to, begun: make(chan *http.Response, 1)}
	answer.response = &http.Response{
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: answer.header, Body: body, ContentLength: -1, Request: r,
		TransferEncoding: []string{"chunked"}, // so that the reader sees the end, and a truncation
	}
	broken := make(chan error, 1) // receives the handler's panic
	go func() {
		defer func() {
			if crash := recover(); crash != nil {
				err := &brokenError{crashOf(crash), answer.header.Get("X-Request-Id")}
				broken <- err
				to.CloseWithError(err)
			}
		}()
		d.handler.ServeHTTP(answer, inner)
		answer.WriteHeader(http.StatusOK) // if the handler has written nothing
		to.Close()
	}()
	select {
	case begun := <-answer.begun:
		return begun, nil
	case err := <-broken:
		select {
		case begun := <-answer.begun: // the answer had begun: its body returns the error
			return begun, nil
		default:
			return nil, err
		}
	case <-r.Context().Done():
		body.CloseWithError(r.Context().Err())
		return nil, r.Context().Err()
	}
}

// brokenError is the reason why a handler has not answered, or not completely.
type brokenError struct {
	error
	requestID string // empty: not known
}

func (e *brokenError) Unwrap() error { return e.error }

// errBroken ends an answer that its handler has aborted. The handler has logged the reason.
var errBroken = errors.New("the answer broke off")

// crashOf returns the error of a panic in a handler. It includes the stack if the panic has not
// been logged.
func crashOf(crash any) error {
	if crash == http.ErrAbortHandler { //nolint:errorlint,err113 // net/http compares it so, too
		return errBroken
	}
	return fmt.Errorf("panic: %v\n%s", crash, debug.Stack())
}

// answer is an answer that is being written.
type answer struct {
	header   http.Header
	body     *io.PipeWriter
	response *http.Response
	begun    chan *http.Response // receives the response once its header is known
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

// Flush does nothing, because the reader gets all data at once.
func (a *answer) Flush() {}
