package edge

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"
)

// bodyTime is how long a body that the process keeps in memory may take, from the start of the
// request to the last byte. At 70 KB a second, the largest body, 8 MiB, takes this long.
const bodyTime = 2 * time.Minute

// bodyLinger is how long a connection stays open if the answer came before the end of the body.
// A client that is still sending then reads the answer.
const bodyLinger = 500 * time.Millisecond

// PatientBody is a request's body with a deadline: see [patience]. A Read after the deadline is
// ErrTooSlow, and a Read on a connection that this process has closed is ErrCut.
type PatientBody struct {
	io.ReadCloser
	control  *http.ResponseController
	began    time.Time
	patience patience
	until    time.Time                 // the deadline; it also holds while the handler does not read
	last     time.Time                 // the latest deadline; zero means no latest
	ended    bool                      // the body was read to its end
	stopped  atomic.Pointer[time.Time] // when Stop was called; nil if it was not
}

// NewPatientBody returns body with the deadlines for a slow client.
func NewPatientBody(body io.ReadCloser, control *http.ResponseController) *PatientBody {
	b := &PatientBody{ReadCloser: body, control: control, began: time.Now(), patience: patience(grace)}
	b.extend(b.began)
	return b
}

func (b *PatientBody) Read(p []byte) (int, error) {
	began := time.Now()
	b.extend(began)
	if !b.last.IsZero() && !began.Before(b.last) {
		return 0, ErrTooSlow
	}
	if at := b.stopped.Load(); at != nil && time.Since(*at) > bodyDrain { // bytes may arrive at any time
		return 0, ErrStopped
	}
	n, err := b.ReadCloser.Read(p)
	b.patience.moved(n, time.Since(began))
	switch {
	case errors.Is(err, io.EOF):
		b.ended = true
		// The handler's next step may take long.
		_ = b.control.SetReadDeadline(time.Time{}) // as in extend
	case errors.Is(err, os.ErrDeadlineExceeded) && b.stopped.Load() != nil:
		err = ErrStopped
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = ErrTooSlow
	case errors.Is(err, net.ErrClosed):
		err = ErrCut
	}
	return n, err
}

// InMemory limits the whole time of a body that the process keeps in memory.
func (b *PatientBody) InMemory() { b.within(bodyTime) }

// within limits the time of the whole body, from its start.
func (b *PatientBody) within(whole time.Duration) {
	b.last = b.began.Add(whole)
	b.extend(time.Now())
}

// A stopped body may still return bytes that have already arrived, for at most bodyDrain. It
// ends when no bytes arrive for bodyPause.
const (
	bodyDrain = 2 * time.Second
	bodyPause = 100 * time.Millisecond
)

// Stop ends the body soon: waiting and later calls of Read return ErrStopped. Stop may be called
// while another goroutine reads.
func (b *PatientBody) Stop() {
	b.stopped.CompareAndSwap(nil, new(time.Now()))
	_ = b.control.SetReadDeadline(time.Now().Add(bodyPause)) // as in extend
}

// StopBody calls Stop for the body of the request that ctx belongs to. Without a body it does
// nothing.
func StopBody(ctx context.Context) (stop func()) {
	if body := exchangeOf(ctx).body; body != nil {
		return body.Stop
	}
	return func() {}
}

// extend moves the deadline, at most once a second.
func (b *PatientBody) extend(now time.Time) {
	if b.stopped.Load() != nil {
		b.Stop()
		return
	}
	until := b.patience.until(now)
	if !b.last.IsZero() && b.last.Before(until) {
		until = b.last
	}
	if until.Sub(b.until) >= time.Second || until.Before(b.until) {
		b.until = until
		_ = b.control.SetReadDeadline(until) // a writer without deadlines has no slow peers
		if b.stopped.Load() != nil {         // Stop may have been called before the new deadline was set
			b.Stop()
		}
	}
}

// abandon lets the connection end after an answer that ends before the body. Otherwise net/http
// would wait for the rest of the body, to reuse the connection.
func (b *PatientBody) abandon() {
	_ = b.control.SetReadDeadline(time.Now().Add(bodyLinger)) // as in extend
}
