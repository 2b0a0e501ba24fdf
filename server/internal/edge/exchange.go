package edge

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// exchange is the state of one request until its answer: the facts for its log line, the
// identity of the caller, and the memory that the request holds.
type exchange struct {
	id        string
	route     *metrics.Route
	refusal   func(*transcript.Error) ForeignRefusal // see Route.Refusal
	client    netip.Addr                             // see ClientAddr
	principal account.Principal
	identity  *identity     // nil if the request has not been accepted yet
	err       error         // why the request was refused
	gone      bool          // the client disconnected
	waited    time.Duration // for a job or for events, because the client asked for it

	answer  *recorder    // nil: outside of a request
	body    *PatientBody // of the request; nil means no body
	holding holding      // the memory that the request uses
	edge    *Edge        // that counts the request; nil means outside of a request
	counted string       // the account for which the request counts as running; empty means none
}

type exchangeKey struct{}

// exchangeOf returns the exchange of ctx's request. Outside of a request, exchangeOf returns
// an exchange that is never logged.
func exchangeOf(ctx context.Context) *exchange {
	if n, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		return n
	}
	return &exchange{}
}

// Waiting begins a wait that the client asked for, in the request that ctx belongs to. The
// time until done is called does not count as time of the request.
func Waiting(ctx context.Context) (done func()) {
	began := time.Now()
	return func() { exchangeOf(ctx).waited += time.Since(began) }
}

// Begun reports whether a part of the answer to the request that ctx belongs to has been sent.
func Begun(ctx context.Context) bool {
	answer := exchangeOf(ctx).answer
	return answer != nil && answer.status != 0
}

// Abort ends an answer that has begun and cannot be completed. It cuts the connection, so that half
// an answer does not look complete, and does not return. The log shows err.
func Abort(r *http.Request, err error) {
	n := exchangeOf(r.Context())
	n.gone = n.gone || r.Context().Err() != nil || n.answer != nil && n.answer.failed
	n.err = err
	panic(http.ErrAbortHandler)
}
