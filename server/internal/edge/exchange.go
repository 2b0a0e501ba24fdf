package edge

import (
	"context"
	"net/netip"
	"time"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
)

// exchange is what the line of a request in the log says, as far as it is known, and what
// the request holds.
type exchange struct {
	id        string
	route     *metrics.Route
	client    netip.Addr // see ClientAddr
	principal account.Principal
	identity  *identity     // nil: it is not let in yet
	err       error         // why it was refused
	gone      bool          // the client went away
	waited    time.Duration // as its sender wished: for a job, or for events

	body    *PatientBody // of the request; nil: it has none
	holding holding      // the memory that the request takes
}

type exchangeKey struct{}

// exchangeOf returns the log entry of ctx's request. Outside of a request, it returns an
// entry that is never logged.
func exchangeOf(ctx context.Context) *exchange {
	if n, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		return n
	}
	return &exchange{}
}

// waited leaves the time until done is called out of what the request that ctx belongs
// to has taken: its sender wishes to wait.
func Waiting(ctx context.Context) (done func()) {
	began := time.Now()
	return func() { exchangeOf(ctx).waited += time.Since(began) }
}

// clientGone notes that the client of the request that ctx belongs to went away.
func ClientGone(ctx context.Context) { exchangeOf(ctx).gone = true }
