package egress

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// target is an address to reach.
type target struct {
	address string // "host:port", lower case
	host    string
	ip      netip.Addr // if the host is a literal address
	port    uint16
}

// parse reads "host:port": the host is a name or an address in its usual form. Numbers that
// only some resolvers read as an address (2130706433, 0x7f.1, 0177.0.0.1) are errors.
func parse(address string) (target, error) {
	t := target{address: strings.ToLower(address)}
	host, port, err := net.SplitHostPort(t.address)
	if err != nil {
		return t, errors.New("not host:port")
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return t, errors.New("not a port")
	}
	t.host, t.port = host, uint16(n)
	if ip, err := netip.ParseAddr(host); err == nil {
		if ip.Zone() != "" {
			return t, errors.New("an address with a zone")
		}
		t.ip = ip.Unmap()
	} else if !isName(host) {
		return t, errors.New("not a host name")
	}
	return t, nil
}

// hostPort returns the address to dial.
func (t target) hostPort() string { return net.JoinHostPort(t.host, strconv.Itoa(int(t.port))) }

// isName reports whether a host is an ASCII domain name that no resolver reads as a number: its
// last label does not begin with a digit (as in RFC 1123, and in the WHATWG's "ends in a
// number").
func isName(host string) bool {
	host = strings.TrimSuffix(host, ".")
	if host == "" || len(host) > 253 {
		return false
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > 63 {
			return false
		}
		for _, c := range []byte(label) {
			if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
				return false
			}
		}
	}
	last := host[strings.LastIndexByte(host, '.')+1]
	return last < '0' || last > '9'
}

// denied is an address of the deployment itself.
type denied struct {
	target
	ofExit bool // it is the proxy of an exit

	mu    sync.Mutex
	known []netip.Addr // the addresses of its name at the last lookup
	until time.Time
}

// has reports whether ip is one of the denied host's addresses. It returns an error if they are
// not known.
func (d *denied) has(ctx context.Context, r *net.Resolver, ip netip.Addr) (bool, error) {
	own, err := d.lookup(ctx, r)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(own, func(o netip.Addr) bool { return sameHost(o, ip) }), nil
}

// lookup returns the denied host's addresses. If a new lookup fails, it returns the previous
// addresses. The name of an exit that does not exist has no addresses: otherwise one lost proxy
// would close its port on all hosts for the other exits.
func (d *denied) lookup(ctx context.Context, r *net.Resolver) ([]netip.Addr, error) {
	if d.ip.IsValid() {
		return []netip.Addr{d.ip}, nil
	}
	d.mu.Lock()
	known, fresh := d.known, time.Now().Before(d.until)
	d.mu.Unlock()
	if fresh {
		return known, nil
	}
	ips, err := lookup(ctx, r, d.target)
	if err != nil {
		if known != nil {
			return known, nil //nolint:nilerr // an older answer is better than none
		}
		var missing *net.DNSError
		if !d.ofExit || !errors.As(err, &missing) || !missing.IsNotFound {
			return nil, err
		}
		ips = []netip.Addr{}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.known, d.until = ips, time.Now().Add(denyTTL)
	return ips, nil
}

// conflicts reports whether an allowed address is the denied one. Names that cannot be looked
// up now are checked when they are dialed.
func (d *denied) conflicts(ctx context.Context, r *net.Resolver, allowed target) bool {
	if d.port != allowed.port {
		return false
	}
	if d.host == allowed.host {
		return true
	}
	ips, err := lookup(ctx, r, allowed)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(ips, func(ip netip.Addr) bool {
		has, err := d.has(ctx, r, ip)
		return err == nil && has
	})
}

// lookup returns the addresses of a host: at least one, or an error.
func lookup(ctx context.Context, r *net.Resolver, t target) ([]netip.Addr, error) {
	if t.ip.IsValid() {
		return []netip.Addr{t.ip}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	ips, err := r.LookupNetIP(ctx, "ip", t.host)
	if err != nil {
		return nil, err
	}
	for i := range ips {
		ips[i] = ips[i].Unmap()
	}
	return ips, nil
}

// sameHost reports whether two addresses belong to one machine: all loopback and unspecified
// addresses mean this machine.
func sameHost(a, b netip.Addr) bool { return a == b || self(a) && self(b) }

func self(ip netip.Addr) bool { return ip.IsLoopback() || ip.IsUnspecified() }
