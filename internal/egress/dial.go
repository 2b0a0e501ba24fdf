package egress

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/clip"
)

// dial connects to an address if that is permitted. It judges the address that the socket really
// connects to: between the socket's creation and its connection, for each address of the name. The
// connection leaves by the exit of the visit v. If v is nil, it leaves by the exits in turn,
// beginning with turn.
func (g *Guard) dial(ctx context.Context, v *visit, turn uint32, network, address string) (net.Conn, error) {
	if network != "tcp" && network != "tcp4" && network != "tcp6" {
		return nil, &Refusal{clip.Text(address), "network " + network}
	}
	t, err := parse(address)
	if err != nil {
		return nil, &Refusal{clip.Text(address), err.Error()}
	}
	allowed := g.allow[t.address]
	if reason := g.refuse(ctx, t, allowed); reason != "" {
		return nil, &Refusal{address, reason}
	}
	switch {
	case allowed:
		return g.connect(ctx, g.dialer, network, t, t.hostPort(), true)
	case v != nil:
		conn, err := g.leave(ctx, v.exit, v.from, network, t)
		v.note(ctx, err)
		return conn, err
	}
	return g.leaveInTurn(ctx, turn, network, t)
}

// leave connects to a target by an exit. If the exit has a prefix, from is an address of the prefix.
// If the exit fails, the error is an *[ExitError].
func (g *Guard) leave(ctx context.Context, e *Exit, from netip.Addr, network string, t target) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	switch {
	case e.proxy != nil:
		return g.dialProxy(ctx, e, t)
	case e.prefix.IsValid():
		return g.dialFrom(ctx, e, from, t)
	}
	return g.connect(ctx, g.dialer, network, t, t.hostPort(), false)
}

// leaveInTurn tries each exit, and gives each try an equal share of the remaining time.
func (g *Guard) leaveInTurn(ctx context.Context, turn uint32, network string, t target) (net.Conn, error) {
	exits := g.pool.Load().open
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	var first error
	for n := range exits {
		e := exits[(int(turn%uint32(len(exits)))+n)%len(exits)]
		try, cancel := share(ctx, len(exits)-n)
		conn, err := g.leave(try, e, e.pick(), network, t)
		cancel()
		var failure *ExitError
		if err == nil || !errors.As(err, &failure) {
			return conn, err
		}
		first = cmp.Or(first, err)
	}
	return nil, first
}

// share returns a context with an equal share of the time that ctx leaves for n tries. ctx has a
// deadline.
func share(ctx context.Context, n int) (context.Context, context.CancelFunc) {
	deadline, _ := ctx.Deadline() // see above
	return context.WithTimeout(ctx, time.Until(deadline)/time.Duration(n))
}

// connect connects to an address of a target by a dialer, and judges the address when the
// connection is made. The address may also be the target's name.
func (g *Guard) connect(ctx context.Context, dialer net.Dialer, network string, t target, address string, allowed bool) (net.Conn, error) {
	// If some of a name's addresses are refused, the dialer would report the error of the first
	// address, which may be another error.
	var refusal atomic.Pointer[Refusal]
	dialer.ControlContext = func(ctx context.Context, network, resolved string, raw syscall.RawConn) error {
		reason := "unknown address " + resolved
		if to, err := netip.ParseAddrPort(resolved); err == nil {
			reason = g.judge(ctx, to, allowed)
		}
		switch {
		case reason == "" && dialer.LocalAddr != nil:
			return freebind(raw)
		case reason == "":
			return nil
		}
		r := &Refusal{t.address, reason}
		refusal.CompareAndSwap(nil, r)
		return r
	}
	conn, err := dialer.DialContext(ctx, network, address)
	if r := refusal.Load(); err != nil && r != nil {
		return nil, r
	}
	return conn, err
}

// refuse returns the reason to refuse a target before its name is looked up.
func (g *Guard) refuse(ctx context.Context, t target, allowed bool) string {
	if !allowed && !slices.Contains(g.ports, t.port) {
		return "port " + strconv.Itoa(int(t.port))
	}
	for _, d := range g.denied() {
		if d.port == t.port && d.host == t.host {
			return "the deployment's own address"
		}
	}
	if t.ip.IsValid() {
		return g.judge(ctx, netip.AddrPortFrom(t.ip, t.port), allowed)
	}
	return ""
}

// judge returns the reason to refuse a resolved address.
func (g *Guard) judge(ctx context.Context, to netip.AddrPort, allowed bool) string {
	ip := to.Addr().Unmap()
	if !allowed {
		if name := g.special(to.Addr()); name != "" {
			return name + " address " + ip.String()
		}
	}
	for _, d := range g.denied() {
		if d.port != to.Port() {
			continue
		}
		if has, err := d.has(ctx, g.dialer.Resolver, ip); err != nil {
			return "cannot be told from the deployment's own " + d.address
		} else if has {
			return "the deployment's own address " + d.address
		}
	}
	if prefix, own := g.pool.Load().holds(ip); own {
		return "an address of the deployment's own " + prefix.String()
	}
	return ""
}
