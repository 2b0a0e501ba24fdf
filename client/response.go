package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/retryafter"
	"github.com/transcriptkit/transcriptkit/internal/wire"
)

const (
	maxAnswer    = 64 << 20 // bytes of a JSON answer that are read at most
	maxRefusal   = 4 << 20  // bytes of a refused answer that are read at most, for its code
	maxErrorBody = 1 << 20  // bytes of a refused answer that are kept
)

// Response holds the status, the headers, the rate limits and the JSON of an answer.
// See [WithResponse].
type Response struct {
	StatusCode int
	Header     http.Header
	RequestID  string // the service's name for the request, for its log
	RateLimit  RateLimit
	Attempts   int // how often the request was sent, 1 at least

	// RawJSON is the JSON from which the client read the typed value, unchanged: the
	// whole answer, or the data of an event. It is nil in an [Error], which has a Body
	// instead, in a [Download], for an answer without a body, and in [Client.Do]
	// without out.
	RawJSON json.RawMessage

	shape reflect.Type // what RawJSON was decoded into
}

// UnknownFields returns the members of RawJSON for which the typed value has no field,
// because the service is newer than this package. The keys are JSON Pointers (RFC
// 6901), such as "/transcript/segments/0/mood". The map is nil if there is no such
// member. Fields that hold any JSON, such as Metadata, have no unknown members.
func (r *Response) UnknownFields() map[string]json.RawMessage {
	if r.shape == nil {
		return nil
	}
	return wire.Unknown(r.RawJSON, r.shape)
}

// read keeps the JSON of a typed value. A nil Response keeps nothing.
func (r *Response) read(text []byte, shape reflect.Type) {
	if r != nil {
		r.RawJSON, r.shape = text, shape
	}
}

func newResponse(r *http.Response, attempts int) Response {
	return Response{
		StatusCode: r.StatusCode,
		Header:     r.Header,
		RequestID:  r.Header.Get("X-Request-Id"),
		RateLimit:  newRateLimit(r.Header),
		Attempts:   attempts,
	}
}

// maxRetryAfter bounds what is believed of a Retry-After, so that no number
// overflows a duration.
const maxRetryAfter = 365 * 24 * time.Hour

// retryAfter reads the header. It reports false if there is no header.
func retryAfter(h http.Header) (time.Duration, bool) { return retryafter.Parse(h, maxRetryAfter) }

// answer is a 2xx answer, read to its end, or one that is to be read.
type answer struct {
	Response
	method, path string
	body         []byte
	asked        *Response      // the caller asked for it; nil: no
	stream       *http.Response // whose body is not read yet
	late         error          // why the context of the call ended before; nil: it had not
}

// byteOrderMark is what some programs put before a text. JSON and event streams begin
// after it (RFC 8259, 8.1; WHATWG HTML, 9.2.5).
var byteOrderMark = []byte("\uFEFF")

var errTooLarge = errors.New("the answer is too large")

// readBody reads and closes the body. A body that ends early is an error of the
// connection; one over the bound is errTooLarge, with its beginning. Of a refusal, readBody
// returns the beginning without an error.
func readBody(r *http.Response) ([]byte, error) {
	defer r.Body.Close() //nolint:errcheck // nothing is written; the read says what failed
	refused := r.StatusCode/100 != 2
	most := maxAnswer
	switch {
	case refused:
		most = maxRefusal
	case r.ContentLength > maxAnswer:
		most = maxErrorBody
	}
	body, err := readAll(io.LimitReader(r.Body, int64(most)+1), min(r.ContentLength, int64(most)))
	if err != nil {
		return nil, err
	}
	if len(body) <= most {
		return bytes.TrimPrefix(body, byteOrderMark), nil
	}
	body = bytes.Clone(bytes.TrimPrefix(body[:maxErrorBody], byteOrderMark)) // without the rest
	if !refused {
		err = errTooLarge
	}
	return body, err
}

// readAll reads to the end, into a buffer that is made for the announced length. The length is -1
// if it is unknown.
func readAll(from io.Reader, length int64) ([]byte, error) {
	if length < 0 {
		return io.ReadAll(from)
	}
	body := make([]byte, 0, length+1) // a byte more, to see the end
	for {
		n, err := from.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if err == io.EOF {
			return body, nil
		}
		if err != nil {
			return nil, err
		}
		if len(body) == cap(body) {
			body = append(body, 0)[:len(body)]
		}
	}
}

// decode reads the documented JSON into out. Anything else is an [*Error] that
// keeps the body.
func (a *answer) decode(out any) error {
	if len(bytes.TrimSpace(a.body)) == 0 {
		return a.malformed(errors.New("it is empty"))
	}
	if err := json.Unmarshal(a.body, out); err != nil {
		return a.malformed(err)
	}
	a.asked.read(a.body, reflect.TypeOf(out))
	return nil
}

// has reports whether the answer is an object with the member. Of a member that may be null, or
// zero, the typed value does not tell.
func (a *answer) has(member string) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal(a.body, &object) == nil && object[member] != nil
}

func (a *answer) malformed(err error) error {
	return &Error{
		Method:   a.method,
		Path:     a.path,
		Message:  fmt.Sprintf("the answer is not what the API promises: %v", err),
		Response: a.Response,
		Body:     keep(a.body),
		Err:      err,
	}
}

func keep(body []byte) []byte { return body[:min(len(body), maxErrorBody)] }
