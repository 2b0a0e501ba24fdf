// Package egress is the guard of content egress: of every connection whose
// address a caller or a remote page can influence.
//
//	guard, err := egress.New(egress.Config{Allow: []string{"127.0.0.1:9099"}})
//	client := guard.Client()                             // for Go
//	pass, err := guard.Open(ctx, "job-1", 500<<20)       // for an external program:
//	cmd.Env = append(cmd.Env, pass.Env()...)             // http_proxy=…, https_proxy=…, ftp_proxy=…
//	…
//	err = pass.Close()
//	err = guard.Close()
//
// An address is judged when its connection is made, after its name has been
// resolved, so neither a redirect nor a name that changes its mind leads
// elsewhere. Public addresses pass, on the ports 80 and 443; what else may be
// reached is allowed by name, and what is denied is never reached.
//
// The guard holds those who keep to it. A program that takes no notice of its
// environment reaches the network without it: arguments, and in the end a
// firewall, are the way to forbid that.
package egress

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/clip"
)

// ErrRefused is what a refused connection's error wraps. It is a
// *[Refusal] that says why.
var ErrRefused = errors.New("egress: refused")

// ErrLimit is the cause with which a [Pass] ends that has received more than it
// may.
var ErrLimit = errors.New("egress: more bytes received than allowed")

// ErrClosed is the error of a guard that is closed, and the cause with which a
// closed [Pass] ends.
var ErrClosed = errors.New("egress: closed")

// A Refusal says which address was refused and why. It wraps [ErrRefused], also
// inside the *url.Error of an HTTP client.
type Refusal struct {
	Address string // "host:port" as it was asked for
	Reason  string // a few words: "loopback address 127.0.0.1", "port 22"
}

// Error names the address and the reason.
func (r *Refusal) Error() string { return "egress: refused " + r.Address + ": " + r.Reason }

// Unwrap returns ErrRefused.
func (r *Refusal) Unwrap() error { return ErrRefused }

// Config says what a guard lets pass. The zero value lets public addresses pass
// and nothing else.
type Config struct {
	// Allow are addresses ("host:port") that may be reached although they are
	// private, or on a port other than 80 and 443. They go by what is asked for, not
	// by what it resolves to: "localhost:9099" does not allow "127.0.0.1:9099", nor
	// the other way round, and neither allows another spelling of the same number.
	// Only case is ignored.
	Allow []string
	// Deny are addresses ("host:port") of the deployment itself: its recognizer,
	// database, blobs. They are never reached, under no name; one that is also
	// allowed is an error of New. All loopback addresses are one here. While the
	// name of such an address cannot be resolved, its port is closed.
	Deny []string
	// Proxies are the deployment's own, by which connections leave: http or https URLs
	// of those that know CONNECT, for port 80 too, or socks5 ones, credentials included;
	// none: they leave directly. Passes take them in turn, a pass keeps to one, and
	// what that cannot reach goes by the next. They are told addresses and never
	// names: those are looked up and judged here. A link that names an address
	// itself is refused. What Allow names is reached without them,
	// and no link reaches a proxy itself.
	Proxies []*url.URL
	// Log receives a line for each refusal; nil: none.
	Log *slog.Logger
}

// ConfigError is New's error about a member of Config.
type ConfigError struct {
	Member string // such as "Allow"
	Err    error  // names the address
}

func (e *ConfigError) Error() string { return "egress: " + e.Member + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e *ConfigError) Unwrap() error { return e.Err }

// Guard lets connections to public addresses pass. Safe for concurrent use.
type Guard struct {
	allow   map[string]bool
	deny    []*denied
	log     *slog.Logger
	ports   []uint16
	special specialFunc
	dialer  net.Dialer // copied for every connection

	upstreams []*upstream
	turns     atomic.Uint32 // counts who takes the next of them

	proxy   http.Server
	address string        // of the proxy
	stopped chan struct{} // closed when the proxy has ended
	own     *Pass         // of the guard's clients

	mu     sync.Mutex
	passes map[string][]*Pass // open ones by job; nil once the guard is closed
}

// New checks the configuration, makes a guard and opens its proxy on a loopback
// port. A *ConfigError names the address that cannot be used. Names that are both
// allowed and denied on one port are looked up, which takes up to a few seconds.
// The caller closes the guard.
func New(c Config) (*Guard, error) {
	g := &Guard{
		allow:   make(map[string]bool),
		log:     c.Log,
		ports:   []uint16{80, 443},
		special: special,
		dialer:  net.Dialer{Timeout: dialTimeout},
		stopped: make(chan struct{}),
		passes:  make(map[string][]*Pass),
	}
	if g.log == nil {
		g.log = slog.New(slog.DiscardHandler)
	}
	if err := g.configure(c); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("egress: proxy: %w", err)
	}
	g.serve(listener)
	g.own = g.newPass(context.Background(), "", 0)
	return g, nil
}

// configure takes the lists over.
func (g *Guard) configure(c Config) error {
	deny := slices.Clone(c.Deny)
	for i, proxy := range c.Proxies {
		up, err := newUpstream(proxy)
		if err != nil {
			return &ConfigError{fmt.Sprintf("Proxies[%d]", i), err} // without the URL, which may hold a password
		}
		g.upstreams, deny = append(g.upstreams, up), append(deny, up.address)
	}
	for _, address := range deny {
		t, err := parse(address)
		if err != nil {
			return &ConfigError{"Deny", fmt.Errorf("%q: %w", clip.Text(address), err)}
		}
		g.deny = append(g.deny, &denied{target: t})
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookupTimeout)
	defer cancel()
	for _, address := range c.Allow {
		t, err := parse(address)
		if err != nil {
			return &ConfigError{"Allow", fmt.Errorf("%q: %w", clip.Text(address), err)}
		}
		for _, d := range g.deny {
			if d.conflicts(ctx, g.dialer.Resolver, t) {
				return &ConfigError{"Allow", fmt.Errorf("%s is the deployment's own %s, which no link may reach", address, d.address)}
			}
		}
		g.allow[t.address] = true
	}
	return nil
}

// Close ends the guard: its proxy, its passes, and the connections of its
// clients. It returns when they have ended; further calls do nothing.
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

// add makes a pass known to the proxy.
func (g *Guard) add(p *Pass) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.passes == nil {
		return ErrClosed
	}
	g.passes[p.job] = append(g.passes[p.job], p)
	return nil
}

// remove makes the proxy forget a pass.
func (g *Guard) remove(p *Pass) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.passes == nil {
		return
	}
	// A new slice: the proxy may be looking through the old one.
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
	dialTimeout   = 15 * time.Second // for one connection, its name's lookup included
	lookupTimeout = 5 * time.Second  // for a denied address's name
	denyTTL       = 30 * time.Second // how long the addresses of a denied name hold
	idleTimeout   = time.Minute      // without a byte either way
	headerTimeout = 30 * time.Second // for the head of a request or an answer
	maxHeader     = 256 << 10        // bytes of the head of an answer
)
