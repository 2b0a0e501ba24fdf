package egress

import (
	"context"
	"errors"
	"net/netip"
	"sync"
)

// visit is the work that leaves by one exit.
type visit struct {
	exit *Exit
	from netip.Addr // the address of the exit's prefix that all connections come from
	pass *Pass      // with the connections of the guard's clients

	mu      sync.Mutex
	failure *ExitError // of the last connection; nil means that the connection was made
}

type visitKey struct{}

// Visit begins a visit that leaves by an exit of this guard. All connections of the guard's clients
// and passes under visiting leave by the exit, each redirect too. If the exit fails, the connections
// fail: no other exit is tried. Addresses in Config.Allow are reached without the exit.
//
// The caller calls done after the visit: done cuts the visit's connections, so that none of them
// is kept for another visit, and ends visiting.
func (g *Guard) Visit(ctx context.Context, e *Exit) (visiting context.Context, done func()) {
	v := &visit{exit: e, from: e.pick()}
	v.pass = g.newPass(ctx, "", 0, v)
	if err := g.add(v.pass); err != nil {
		v.pass.end(err)
	} else {
		context.AfterFunc(v.pass.ctx, v.pass.release)
	}
	return context.WithValue(v.pass.ctx, visitKey{}, v), func() { v.pass.end(ErrClosed) }
}

func visitOf(ctx context.Context) *visit {
	v, _ := ctx.Value(visitKey{}).(*visit)
	return v
}

// ExitOf returns the exit of the visit that ctx belongs to, or nil if ctx belongs to no
// visit.
func ExitOf(ctx context.Context) *Exit {
	if v := visitOf(ctx); v != nil {
		return v.exit
	}
	return nil
}

// ExitError is the error of a connection that failed at the exit. The platform has not been reached,
// so the error says nothing about the platform. Another exit may work.
type ExitError struct {
	Exit string // the name of the exit
	Err  error  // without credentials
}

// Error names the exit.
func (e *ExitError) Error() string {
	return "egress: through the exit " + e.Exit + ": " + e.Err.Error()
}

// Unwrap returns Err.
func (e *ExitError) Unwrap() error { return e.Err }

// ExitFailed returns the *[ExitError] of a visit whose last connection failed at the exit, even if
// a program made the connection. It returns nil if the last connection was made or failed
// elsewhere, and outside a visit. The visit may have ended.
func ExitFailed(visiting context.Context) *ExitError {
	v := visitOf(visiting)
	if v == nil {
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.failure
}

// note records whether a connection failed at the exit. If the caller has given up, the exit is
// not the cause.
func (v *visit) note(ctx context.Context, err error) {
	if errors.Is(ctx.Err(), context.Canceled) {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.failure = nil
	errors.As(err, &v.failure)
}
