package client

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// attemptTimeout is the default of [WithAttemptTimeout]. It does not apply to uploads.
const attemptTimeout = time.Minute

// attempt bounds the running attempt of a call, from dialing to the last byte of the answer.
// One attempt may be several requests, because of redirects. A field Timeout of http.Client
// would do the same at four times the allocations.
type attempt struct {
	rt    http.RoundTripper
	limit time.Duration // 0: none
	began time.Time
	ctx   context.Context //nolint:containedctx // that of the last request, whose end has a reason
	end   context.CancelFunc
}

// begin begins another attempt, which the caller ends by over.
func (a *attempt) begin() { a.began = time.Now() }

func (a *attempt) RoundTrip(r *http.Request) (*http.Response, error) {
	a.over() // the request that was redirected
	if a.limit > 0 {
		a.ctx, a.end = context.WithDeadlineCause(r.Context(), a.began.Add(a.limit), lateError(a.limit))
	} else {
		a.ctx, a.end = context.WithCancel(r.Context())
	}
	resp, err := a.rt.RoundTrip(r.WithContext(a.ctx))
	return resp, a.reason(err)
}

// over releases what the attempt holds. The answer can be read no more.
func (a *attempt) over() {
	if a.end != nil {
		a.end()
	}
}

// reason is the lateness that has led to an error, or the error.
func (a *attempt) reason(err error) error {
	if a.ctx == nil || err == nil {
		return err
	}
	if late, ok := context.Cause(a.ctx).(lateError); ok { //nolint:errorlint // it is the cause itself
		return late
	}
	return err
}

// lateError is an attempt that took so long. It is a timeout, after which a request may be
// sent again.
type lateError time.Duration

func (e lateError) Error() string        { return fmt.Sprintf("no whole answer within %s", time.Duration(e)) }
func (e lateError) Timeout() bool        { return true }
func (e lateError) Temporary() bool      { return true }
func (e lateError) Is(target error) bool { return target == context.DeadlineExceeded } //nolint:errorlint // as net/http does
