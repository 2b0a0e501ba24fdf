// Package egress guards content egress: every connection whose address a caller or a remote
// page can influence.
//
//	guard, err := egress.New(egress.Config{Allow: []string{"127.0.0.1:9099"}})
//	client := guard.Client()                             // for Go
//	pass, err := guard.Open(ctx, "job-1", 500<<20)       // for an external program:
//	cmd.Env = append(cmd.Env, pass.Env()...)             // http_proxy=…, https_proxy=…, ftp_proxy=…
//	…
//	err = pass.Close()
//	err = guard.Close()
//
// The guard judges an address when the connection is made, after its name has been resolved. So
// neither a redirect nor a name with changing addresses leads elsewhere. Public addresses are
// permitted on the ports 80 and 443. The configuration can permit further addresses by name.
// Denied addresses are never reached.
//
// The guard covers only programs that use it. A program that ignores its environment reaches
// the network without the guard. Arguments can forbid that, and finally a firewall.
package egress

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/clip"
)

// ErrRefused is wrapped by the error of a refused connection. That error is a *[Refusal] with
// the reason.
var ErrRefused = errors.New("egress: refused")

// ErrLimit is the cause with which a [Pass] ends that has received too much.
var ErrLimit = errors.New("egress: more bytes received than allowed")

// ErrClosed is the error of a closed guard, and the cause with which a closed [Pass] ends.
var ErrClosed = errors.New("egress: closed")

// Refusal names the refused address and the reason. It wraps [ErrRefused], also inside the
// *url.Error of an HTTP client.
type Refusal struct {
	Address string // "host:port" as requested
	Reason  string // a few words: "loopback address 127.0.0.1", "port 22"
}

// Error names the address and the reason.
func (r *Refusal) Error() string { return "egress: refused " + r.Address + ": " + r.Reason }

// Unwrap returns ErrRefused.
func (r *Refusal) Unwrap() error { return ErrRefused }

// Config defines what a guard permits. The zero value permits only public addresses.
type Config struct {
	// Allow are addresses ("host:port") that are permitted although they are private, or on a
	// port other than 80 and 443. The guard compares the requested text, not the resolved
	// address: "localhost:9099" does not permit "127.0.0.1:9099", and the reverse is also true.
	// Other spellings of the same number are not permitted either. Case is ignored.
	Allow []string
	// Deny are addresses ("host:port") of the deployment itself: its recognizer, database,
	// blobs. The guard never connects to them, under any name. An address in both lists is an
	// error of New. All loopback addresses count as one. While the name of a denied address
	// cannot be resolved, the guard refuses its port on all hosts.
	Deny []string
	// Proxies are the deployment's own outgoing proxies: http or https URLs of proxies with
	// CONNECT, which must permit port 80 too, or socks5 URLs, with credentials. If there are
	// none, connections are direct. Each proxy is an [Exit] with the name "proxy-1", "proxy-2" and
	// so on. A visit leaves by one exit. Outside a visit, passes take the exits in turn, each pass
	// prefers one, and if an exit fails, the next exit is tried. The guard looks names up and
	// judges them itself, and sends only addresses to the proxies. Links with a literal address
	// are refused. Addresses in Allow are reached directly, and no link reaches a proxy itself.
	Proxies []*url.URL
	// ByName tells the Proxies names instead of addresses, for proxies that judge by name. The guard
	// still looks a name up first, and refuses it if one of its addresses is refused. The proxy
	// looks the name up again and is trusted to find no other addresses.
	ByName bool
	// Exits are further exits, at most 1000.
	Exits []Listed
	// Log receives a line for each refusal; nil means no log.
	Log *slog.Logger
}

// ConfigError is New's error about a field of Config.
type ConfigError struct {
	Member string // such as "Allow"
	Err    error  // names the address
}

func (e *ConfigError) Error() string { return "egress: " + e.Member + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e *ConfigError) Unwrap() error { return e.Err }

// Guard permits connections to public addresses. It is safe for concurrent use.
type Guard struct {
	allow   map[string]bool
	allowed []target // the same
	log     *slog.Logger
	ports   []uint16
	special specialFunc
	dialer  net.Dialer // copied for every connection

	pool  atomic.Pointer[pool]
	turns atomic.Uint32 // counts the turns of the exits

	proxy   http.Server
	address string        // of the proxy
	stopped chan struct{} // closed when the proxy has ended
	own     *Pass         // of the guard's clients
	inTurn  *Pass         // the same, but used while there are exits, because a kept connection would keep its exit

	mu       sync.Mutex
	passes   map[string][]*Pass // open ones by job; nil once the guard is closed
	services map[string]*Pass   // those whose program may ask a service, by its password
}

// New checks the configuration, makes a guard and opens its proxy on a loopback port. A
// *ConfigError names the invalid address. If names on one port are both allowed and denied, New
// looks them up, which takes up to a few seconds. The caller closes the guard.
func New(c Config) (*Guard, error) {
	g := &Guard{
		allow:   make(map[string]bool),
		log:     c.Log,
		ports:   []uint16{80, 443},
		special: special,
		dialer:  net.Dialer{Timeout: dialTimeout},
		stopped: make(chan struct{}),
		passes:  make(map[string][]*Pass),

		services: make(map[string]*Pass),
	}
	if g.log == nil {
		g.log = slog.New(slog.DiscardHandler)
	}
	for _, address := range c.Allow {
		t, err := parse(address)
		if err != nil {
			return nil, &ConfigError{"Allow", fmt.Errorf("%q: %w", clip.Text(address), err)}
		}
		g.allow[t.address], g.allowed = true, append(g.allowed, t)
	}
	if err := g.Change(c); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("egress: proxy: %w", err)
	}
	g.serve(listener)
	g.own, g.inTurn = g.newPass(context.Background(), "", 0, nil), g.newPass(context.Background(), "", 0, nil)
	g.inTurn.transport.DisableKeepAlives = true
	return g, nil
}

// Change replaces the denied addresses and the exits by those of a configuration, and ignores its
// other fields. Visits that have begun keep their exits. If a value is wrong, Change changes
// nothing, and the error is a *ConfigError that names it.
func (g *Guard) Change(c Config) error {
	p, err := newPool(c)
	if err == nil {
		err = g.conflict(p)
	}
	if err != nil {
		return err
	}
	g.pool.Store(p)
	if g.own != nil { // not in New
		g.own.transport.CloseIdleConnections() // they leave directly
	}
	return nil
}

// conflict returns an error if an allowed address is one of the deployment's own.
func (g *Guard) conflict(p *pool) error {
	ctx, cancel := context.WithTimeout(context.Background(), lookupTimeout)
	defer cancel()
	for _, t := range g.allowed {
		for _, d := range p.deny {
			if d.conflicts(ctx, g.dialer.Resolver, t) {
				return &ConfigError{"Allow", fmt.Errorf("%s is the deployment's own %s, which no link may reach", t.address, d.address)}
			}
		}
		if prefix, own := p.holds(t.ip); own {
			return &ConfigError{"Allow", fmt.Errorf("%s is in the deployment's own %s, which no link may reach", t.address, prefix)}
		}
	}
	return nil
}

// denied returns the addresses that no link may reach.
func (g *Guard) denied() []*denied { return g.pool.Load().deny }

// Close ends the guard: its proxy, its passes, and the connections of its clients. It returns
// when they have ended. Further calls do nothing.
func (g *Guard) Close() error {
	g.mu.Lock()
	passes := g.passes
	g.passes = nil
	g.mu.Unlock()
	if passes == nil {
		<-g.stopped
		return nil
	}
	for _, ps := range passes {
		for _, p := range ps {
			p.end(ErrClosed)
		}
	}
	g.own.end(ErrClosed)
	g.inTurn.end(ErrClosed)
	err := g.proxy.Close()
	for _, ps := range passes {
		for _, p := range ps {
			p.work.Wait()
		}
	}
	<-g.stopped
	if err != nil {
		return fmt.Errorf("egress: proxy: %w", err)
	}
	return nil
}

// add registers a pass with the proxy.
func (g *Guard) add(p *Pass) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.passes == nil {
		return ErrClosed
	}
	g.passes[p.job] = append(g.passes[p.job], p)
	return nil
}

// remove unregisters a pass.
func (g *Guard) remove(p *Pass) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.passes == nil {
		return
	}
	maps.DeleteFunc(g.services, func(_ string, q *Pass) bool { return q == p })
	// Use a new slice, because the proxy may be reading the old one.
	rest := slices.DeleteFunc(slices.Clone(g.passes[p.job]), func(q *Pass) bool { return q == p })
	if g.passes[p.job] = rest; len(rest) == 0 {
		delete(g.passes, p.job)
	}
}

// find returns the open passes of a job.
func (g *Guard) find(job string) []*Pass {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.passes[job]
}

const (
	dialTimeout   = 15 * time.Second // for one connection, including the lookup of its name
	lookupTimeout = 5 * time.Second  // for the name of a denied address
	denyTTL       = 30 * time.Second // how long the addresses of a denied name are cached
	idleTimeout   = time.Minute      // without a byte in either direction
	headerTimeout = 30 * time.Second // for the head of a request or an answer
	maxHeader     = 256 << 10        // bytes of the head of an answer
)
