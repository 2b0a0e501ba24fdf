// Package silence ends requests and answers over connections that stall: no byte moves for too
// long. It does not limit the whole time.
package silence

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Answers ends an answer that stalls for longer than Limit: the head does not arrive, or no bytes
// of the body arrive while the caller reads. The error is a timeout, as net.Error says.
type Answers struct {
	Transport http.RoundTripper
	Limit     time.Duration
}

// RoundTrip sends a request. The caller closes the body of the answer.
func (t *Answers) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, hangUp := context.WithCancelCause(r.Context())
	timer := time.AfterFunc(t.Limit, func() { hangUp(silentError(t.Limit)) })
	resp, err := t.Transport.RoundTrip(r.WithContext(ctx))
	timer.Stop()
	body := &heardBody{ctx: ctx, timer: timer, limit: t.Limit, hangUp: hangUp}
	if err != nil {
		defer hangUp(nil)
		return nil, body.reason(err)
	}
	body.ReadCloser = resp.Body
	resp.Body = body
	return resp, nil
}

// silentError is the error of an answer that stalled for the given time. It is a timeout,
// after which a request may be sent again.
type silentError time.Duration

func (e silentError) Error() string {
	return fmt.Sprintf("the service was silent for %s", time.Duration(e))
}
func (e silentError) Timeout() bool   { return true }
func (e silentError) Temporary() bool { return true }

type heardBody struct {
	io.ReadCloser
	ctx    context.Context //nolint:containedctx // that of the request, whose end has a reason
	timer  *time.Timer
	limit  time.Duration
	hangUp context.CancelCauseFunc
}

func (b *heardBody) Read(p []byte) (int, error) {
	b.timer.Reset(b.limit)
	n, err := b.ReadCloser.Read(p)
	b.timer.Stop()
	return n, b.reason(err)
}

// reason returns the stall that has caused an error, or the error.
func (b *heardBody) reason(err error) error {
	if silent, ok := context.Cause(b.ctx).(silentError); ok && err != nil && err != io.EOF { //nolint:errorlint // it is the cause itself
		return silent
	}
	return err
}

func (b *heardBody) Close() error {
	b.timer.Stop()
	defer b.hangUp(nil)
	return b.ReadCloser.Close()
}

// Requests ends a request if the connection accepts none of its bytes for longer than Limit. The
// time in which the body waits for its bytes does not count, nor the time after its end. The error
// is a timeout, as net.Error says.
type Requests struct {
	Transport http.RoundTripper
	Limit     time.Duration
}

// RoundTrip sends a request. The caller closes the body of the answer.
func (t *Requests) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil || r.Body == http.NoBody {
		return t.Transport.RoundTrip(r)
	}
	ctx, hangUp := context.WithCancelCause(r.Context()) // which ends with the attempt
	timer := time.AfterFunc(t.Limit, func() { hangUp(stalledError(t.Limit)) })
	defer timer.Stop()
	body := r.Body
	r = r.WithContext(ctx)
	r.Body = &takenBody{body, timer, t.Limit}
	resp, err := t.Transport.RoundTrip(r)
	if stalled, ok := context.Cause(ctx).(stalledError); ok && err != nil { //nolint:errorlint // it is the cause itself
		err = stalled
	}
	return resp, err
}

// stalledError is the error of a connection that accepted no bytes for the given time. It is
// a timeout, after which a request may be sent again.
type stalledError time.Duration

func (e stalledError) Error() string {
	return fmt.Sprintf("the connection took no bytes for %s", time.Duration(e))
}
func (e stalledError) Timeout() bool   { return true }
func (e stalledError) Temporary() bool { return true }

// takenBody measures the time between the end of a read and the beginning of the next
// one.
type takenBody struct {
	io.ReadCloser
	timer *time.Timer
	limit time.Duration
}

func (b *takenBody) Read(p []byte) (int, error) {
	b.timer.Stop()
	n, err := b.ReadCloser.Read(p)
	if err == nil {
		b.timer.Reset(b.limit)
	}
	return n, err
}

func (b *takenBody) Close() error {
	b.timer.Stop()
	return b.ReadCloser.Close()
}
