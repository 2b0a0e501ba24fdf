package egress

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/clip"
)

// DefaultMaxBytes is how many bytes a pass may receive by default: 2 GiB.
const DefaultMaxBytes = 2 << 30

// maxRefused limits the refused addresses that a pass remembers.
const maxRefused = 100

// Pass lets one external program through the guard: it is a password for the proxy, which is
// valid until the pass is closed. It is safe for concurrent use.
type Pass struct {
	guard     *Guard
	job       string
	password  string
	transport *http.Transport
	max       int64  // bytes; 0 means any number
	visit     *visit // that the connections belong to; nil means none
	turn      uint32 // which of the guard's exits it uses first outside a visit

	ctx      context.Context // lives as long as the pass
	cancel   context.CancelCauseFunc
	received atomic.Int64
	work     sync.WaitGroup // requests at the proxy

	mu      sync.Mutex
	open    map[io.Closer]bool // connections in both directions; nil once the pass has ended
	refused []string
	unknown []string
	service *service // that the program may ask; nil means none
	inside  Dialer   // of a site inside this process; nil means that the pass asks the network
}

// Open makes a pass. It ends with ctx, after it has received more than maxBytes over all
// connections (0: DefaultMaxBytes), or with Close, which the caller must call in any case. job
// names the work in the log: 1 to 64 letters, digits and "-"; several passes may have the same
// name. If ctx belongs to a visit, the connections leave by the exit of the visit.
func (g *Guard) Open(ctx context.Context, job string, maxBytes int64) (*Pass, error) {
	if !isJob(job) {
		return nil, fmt.Errorf("egress: job %q: not 1 to 64 letters, digits and \"-\"", clip.Text(job))
	}
	if maxBytes < 0 {
		return nil, fmt.Errorf("egress: a limit of %d bytes", maxBytes)
	}
	if maxBytes == 0 {
		maxBytes = DefaultMaxBytes
	}
	p := g.newPass(ctx, job, maxBytes, visitOf(ctx))
	p.transport.DisableCompression = true // the program itself decides about compression
	if err := g.add(p); err != nil {
		p.end(err)
		return nil, err
	}
	context.AfterFunc(p.ctx, p.release)
	return p, nil
}

func (g *Guard) newPass(ctx context.Context, job string, maxBytes int64, v *visit) *Pass {
	p := &Pass{
		guard: g, job: job, password: rand.Text(), max: maxBytes, visit: v, turn: g.turns.Add(1),
		open: make(map[io.Closer]bool),
	}
	p.ctx, p.cancel = context.WithCancelCause(ctx)
	p.transport = newTransport(p.dial)
	return p
}

func isJob(s string) bool {
	return s != "" && len(s) <= 64 && strings.Trim(s, "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") == ""
}

// Env returns the variables, as KEY=VALUE, that lead a program to the proxy, in both spellings
// and without exceptions for any host.
func (p *Pass) Env() []string {
	proxy := (&url.URL{Scheme: "http", User: url.UserPassword(p.job, p.password), Host: p.guard.address}).String()
	env := []string{"no_proxy=", "NO_PROXY="}
	for _, scheme := range []string{"http", "https", "ftp", "all"} {
		key := scheme + "_proxy"
		env = append(env, key+"="+proxy, strings.ToUpper(key)+"="+proxy)
	}
	return env
}

// Context returns a context that ends with the pass. Its cause is [ErrLimit] if the pass has
// received too much, [ErrClosed] after Close, and otherwise the cause of the context given to
// Open.
func (p *Pass) Context() context.Context { return p.ctx }

// Refused returns the addresses ("host:port") that the guard refused to the program, in order,
// at most 100.
func (p *Pass) Refused() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.refused)
}

// Unknown returns the host names that the program asked for and that the guard could not look up,
// in order, each once, at most 100.
func (p *Pass) Unknown() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.unknown)
}

// Close ends the pass: it invalidates the password and cuts the connections. It returns when
// they are cut; the error is always nil.
func (p *Pass) Close() error {
	p.end(ErrClosed)
	p.work.Wait()
	return nil
}

// end ends the pass without waiting for its requests.
func (p *Pass) end(cause error) {
	p.cancel(cause)
	p.release()
}

// release cuts all connections. Further calls do nothing.
func (p *Pass) release() {
	p.guard.remove(p)
	p.mu.Lock()
	open := p.open
	p.open = nil
	p.mu.Unlock()
	for c := range open {
		// The users of the connection see its end, so no error is lost here.
		_ = c.Close()
	}
	p.transport.CloseIdleConnections()
}

// track registers a connection to cut when the pass ends. It reports false if the pass has
// ended.
func (p *Pass) track(c io.Closer) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open == nil {
		return false
	}
	p.open[c] = true
	return true
}

func (p *Pass) untrack(c io.Closer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, c)
}

// logRefusal logs a refusal and remembers its address.
func (p *Pass) logRefusal(ctx context.Context, r *Refusal) {
	p.guard.log.WarnContext(ctx, "egress refused", "job", p.job, "address", r.Address, "reason", r.Reason)
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.refused) < maxRefused {
		p.refused = append(p.refused, r.Address)
	}
}

// knows reports whether a password is the pass's own.
func (p *Pass) knows(password string) bool {
	return subtle.ConstantTimeCompare([]byte(p.password), []byte(password)) == 1
}

// dial connects through the guard for the pass.
func (p *Pass) dial(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.ctx, cancel)()
	turn := p.turn
	if p == p.guard.own || p == p.guard.inTurn { // the guard's own pass serves many clients
		turn = p.guard.turns.Add(1)
	}
	dial := func() (net.Conn, error) { return p.guard.dial(ctx, p.visit, turn, network, address) }
	if inside := p.site(); inside != nil {
		dial = func() (net.Conn, error) { return inside(ctx, address) }
	}
	raw, err := dial()
	var refusal *Refusal
	switch {
	case errors.As(err, &refusal):
		p.logRefusal(ctx, refusal)
		return nil, err
	case err != nil && p.ctx.Err() != nil:
		return nil, context.Cause(p.ctx)
	case err != nil:
		p.noteUnknown(address, err)
		return nil, err
	}
	c := &conn{Conn: raw, pass: p}
	if !p.track(c) {
		// no data has been sent on the connection
		_ = raw.Close()
		return nil, context.Cause(p.ctx)
	}
	return c, nil
}

// Dialer opens a connection to an address, "host:port".
type Dialer func(ctx context.Context, address string) (net.Conn, error)

// Inside lets the pass reach a site inside this process and nothing else. The caller calls it
// before the program runs.
func (p *Pass) Inside(dial Dialer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inside = dial
}

func (p *Pass) site() Dialer {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.inside
}

// noteUnknown remembers the host of an address if an error says that its name could not be looked
// up. The name of an outgoing proxy does not belong to the program.
func (p *Pass) noteUnknown(address string, err error) {
	var lookup *net.DNSError
	host, _, _ := net.SplitHostPort(address) // the guard has read the address
	if !errors.As(err, &lookup) || !strings.EqualFold(lookup.Name, host) {
		return
	}
	host = strings.ToLower(host)
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.unknown) < maxRefused && !slices.Contains(p.unknown, host) {
		p.unknown = append(p.unknown, host)
	}
}

// conn is a connection to an outside address. It counts received bytes and ends when it is
// idle.
type conn struct {
	net.Conn
	pass *Pass
}

// Read returns ErrLimit and no data once too much has been received.
func (c *conn) Read(b []byte) (int, error) {
	if err := c.moved(); err != nil {
		return 0, err
	}
	n, err := c.Conn.Read(b)
	if total := c.pass.received.Add(int64(n)); c.pass.max > 0 && total > c.pass.max {
		c.pass.end(ErrLimit)
		return 0, ErrLimit
	}
	return n, err
}

// Write writes data.
func (c *conn) Write(b []byte) (int, error) {
	if err := c.moved(); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}

// CloseWrite tells the other side that no more data comes.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// Close closes the connection.
func (c *conn) Close() error {
	c.pass.untrack(c)
	return c.Conn.Close()
}

func (c *conn) moved() error { return c.SetDeadline(time.Now().Add(idleTimeout)) }
