package egress

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"strings"
	"sync"

	"github.com/transcriptkit/transcriptkit/internal/clip"
)

// clientKey is the context key of the connection that a request came on.
type clientKey struct{}

// serve opens the proxy on a listener.
func (g *Guard) serve(l net.Listener) {
	g.address = l.Addr().String()
	g.proxy = http.Server{
		Handler:                      http.HandlerFunc(g.answer),
		DisableGeneralOptionsHandler: true,
		ReadHeaderTimeout:            headerTimeout,
		IdleTimeout:                  idleTimeout,
		MaxHeaderBytes:               maxHeader,
		ErrorLog:                     log.New(io.Discard, "", 0), // programs that are killed leave half a request
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, clientKey{}, c)
		},
	}
	go func() {
		defer close(g.stopped)
		// It ends with the guard, by http.ErrServerClosed; should the listener fail
		// before, programs find no proxy and so no network.
		_ = g.proxy.Serve(l)
	}()
}

// Port is that of the proxy, on the loopback address.
func (g *Guard) Port() uint16 { return netip.MustParseAddrPort(g.address).Port() }

// answer answers a request to the proxy.
func (g *Guard) answer(w http.ResponseWriter, r *http.Request) {
	p := g.authenticate(r)
	client, _ := r.Context().Value(clientKey{}).(net.Conn)
	if p == nil || !p.begin(client) {
		w.Header().Set("Proxy-Authenticate", `Basic realm="egress"`)
		http.Error(w, "wrong or missing password", http.StatusProxyAuthRequired)
		return
	}
	defer p.done(client)
	if r.Method == http.MethodConnect {
		p.tunnel(w, r)
		return
	}
	p.forward(w, r)
}

// authenticate returns the pass that a request shows, or nil.
func (g *Guard) authenticate(r *http.Request) *Pass {
	shown := http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}
	job, password, given := shown.BasicAuth()
	passes := g.find(job)
	for _, p := range passes {
		if p.knows(password) {
			return p
		}
	}
	reason := "no password"
	if given {
		reason = "wrong password"
	}
	if passes == nil {
		job = "" // it may be anything, a password too
	}
	g.log.WarnContext(r.Context(), "egress refused", "job", job, "address", asked(r), "reason", reason)
	return nil
}

// asked names the address that a request is for.
func asked(r *http.Request) string {
	if r.Method == http.MethodConnect {
		return clip.Text(r.Host)
	}
	return hostPort(r.URL)
}

// begin counts a request in. It tells false when the pass has ended.
func (p *Pass) begin(client net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open == nil {
		return false
	}
	p.open[client] = true
	p.work.Add(1)
	return true
}

// done counts it out.
func (p *Pass) done(client net.Conn) {
	p.untrack(client)
	p.work.Done()
}

// forward passes a plain HTTP request on and its answer back.
func (p *Pass) forward(w http.ResponseWriter, r *http.Request) {
	if r.URL.Host == "" {
		http.Error(w, "this is a proxy", http.StatusBadRequest)
		return
	}
	if refusal := refuseURL(r.URL, "http"); refusal != nil {
		p.logRefusal(r.Context(), refusal)
		fail(w, r, refusal)
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(p.ctx, cancel)()
	r.Header.Del("Upgrade") // nothing but HTTP is spoken on
	proxy := httputil.ReverseProxy{
		// Which strips the headers that are for a proxy only.
		Rewrite:       func(pr *httputil.ProxyRequest) { pr.Out.URL = asSent(pr.In) },
		Transport:     p.transport,
		FlushInterval: -1,
		ErrorHandler:  fail,
		ErrorLog:      log.New(io.Discard, "", 0), // a cut answer: the program sees it
	}
	proxy.ServeHTTP(w, r.WithContext(ctx))
}

// asSent is the link of a request to a proxy with its path and query as they
// were sent, byte by byte. The fragment, which is no site's business (RFC 9110,
// 7.1), is left out: some programs send it, and in the target of a request it
// is read as a part of the path or of the query.
func asSent(r *http.Request) *url.URL {
	target, _, _ := strings.Cut(r.RequestURI, "#")
	sent, err := url.ParseRequestURI(target)
	if err != nil {
		sent = r.URL // which is read from the same text; it cannot be worse
	}
	u := *r.URL
	u.Path, u.RawPath, u.RawQuery, u.ForceQuery = sent.Path, sent.RawPath, sent.RawQuery, sent.ForceQuery
	_, path, _ := strings.Cut(target, "://")
	path, _, _ = strings.Cut(path, "?")
	if n := strings.IndexByte(path, '/'); n >= 0 && !strings.HasPrefix(path[n:], "//") { // else it would be read as a host
		u.Opaque = path[n:]
	}
	return &u
}

// tunnel connects a program with an address.
func (p *Pass) tunnel(w http.ResponseWriter, r *http.Request) {
	if r.RequestURI != r.Host { // it says more than host and port
		refusal := &Refusal{clip.Text(r.Host), "not host:port"}
		p.logRefusal(r.Context(), refusal)
		fail(w, r, refusal)
		return
	}
	remote, err := p.dial(r.Context(), "tcp", r.Host)
	if err != nil {
		fail(w, r, err)
		return
	}
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		_ = remote.Close() // nothing has been sent on it
		fail(w, r, err)
		return
	}
	var sender sync.WaitGroup
	sender.Go(func() {
		// Whatever ends this direction, the other one tells the program.
		_, _ = io.Copy(remote, buffered)
		_ = remote.(*conn).CloseWrite()
	})
	_, err = io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n")
	if err == nil {
		_, _ = io.Copy(client, remote) // the program sees where it was cut
	}
	// Both ways have ended for the program; there is nobody left to tell.
	_, _ = remote.Close(), client.Close()
	sender.Wait()
}

// fail answers with what went wrong: 403 for a refusal, else 502.
func fail(w http.ResponseWriter, _ *http.Request, err error) {
	var refusal *Refusal
	if !errors.As(err, &refusal) {
		w.Header().Set("Proxy-Status", "egress; error=destination_unavailable")
		http.Error(w, "cannot be reached", http.StatusBadGateway)
		return
	}
	w.Header().Set("Proxy-Status", "egress; error=http_request_denied") // RFC 9209
	http.Error(w, "refused: "+refusal.Reason, http.StatusForbidden)
}
