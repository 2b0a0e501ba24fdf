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

// clientKey is the context key of a request's connection.
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
		ErrorLog:                     log.New(io.Discard, "", 0), // killed programs leave half a request
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, clientKey{}, c)
		},
	}
	go func() {
		defer close(g.stopped)
		// Serve ends with the guard, with http.ErrServerClosed. If the listener fails earlier,
		// programs find no proxy and so no network.
		_ = g.proxy.Serve(l)
	}()
}

// Port returns the proxy's port on the loopback address.
func (g *Guard) Port() uint16 { return netip.MustParseAddrPort(g.address).Port() }

// answer answers a request to the proxy.
func (g *Guard) answer(w http.ResponseWriter, r *http.Request) {
	p, path := g.forService(r)
	asksService := p != nil
	if !asksService {
		p = g.authenticate(r)
	}
	client, _ := r.Context().Value(clientKey{}).(net.Conn)
	if p == nil || !p.begin(client) {
		w.Header().Set("Proxy-Authenticate", `Basic realm="egress"`)
		http.Error(w, "wrong or missing password", http.StatusProxyAuthRequired)
		return
	}
	defer p.done(client)
	if asksService {
		p.askService(w, r, path)
		return
	}
	if r.Method == http.MethodConnect {
		p.tunnel(w, r)
		return
	}
	p.forward(w, r)
}

// authenticate returns the pass with the request's credentials, or nil.
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
		job = "" // the text could be anything, even a password
	}
	g.log.WarnContext(r.Context(), "egress refused", "job", job, "address", asked(r), "reason", reason)
	return nil
}

// asked returns the requested address.
func asked(r *http.Request) string {
	if r.Method == http.MethodConnect {
		return clip.Text(r.Host)
	}
	return hostPort(r.URL)
}

// begin registers a request. It reports false if the pass has ended.
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

// done unregisters the request.
func (p *Pass) done(client net.Conn) {
	p.untrack(client)
	p.work.Done()
}

// forward passes on a plain HTTP request, and its answer.
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
	r.Header.Del("Upgrade") // only HTTP is passed on
	proxy := httputil.ReverseProxy{
		// ReverseProxy strips the headers that are meant for proxies.
		Rewrite:       func(pr *httputil.ProxyRequest) { pr.Out.URL = asSent(pr.In) },
		Transport:     p.transport,
		FlushInterval: -1,
		ErrorHandler:  fail,
		ErrorLog:      log.New(io.Discard, "", 0), // the program sees a truncated answer itself
	}
	proxy.ServeHTTP(w, r.WithContext(ctx))
}

// asSent returns the link of a request to a proxy with its path and query exactly as sent. It
// leaves out the fragment, which sites must not receive (RFC 9110, 7.1): some programs send it,
// and servers would read it as a part of the path or the query.
func asSent(r *http.Request) *url.URL {
	target, _, _ := strings.Cut(r.RequestURI, "#")
	sent, err := url.ParseRequestURI(target)
	if err != nil {
		sent = r.URL // parsed from the same text, so it cannot be worse
	}
	u := *r.URL
	u.Path, u.RawPath, u.RawQuery, u.ForceQuery = sent.Path, sent.RawPath, sent.RawQuery, sent.ForceQuery
	_, path, _ := strings.Cut(target, "://")
	path, _, _ = strings.Cut(path, "?")
	if n := strings.IndexByte(path, '/'); n >= 0 && !strings.HasPrefix(path[n:], "//") { // otherwise the link would be read as a host
		u.Opaque = path[n:]
	}
	return &u
}

// tunnel connects a program to an address.
func (p *Pass) tunnel(w http.ResponseWriter, r *http.Request) {
	if r.RequestURI != r.Host { // the request line has more than host and port
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
		_ = remote.Close() // no data has been sent on it
		fail(w, r, err)
		return
	}
	var sender sync.WaitGroup
	sender.Go(func() {
		// If this direction ends, the other direction tells the program.
		_, _ = io.Copy(remote, buffered)
		_ = remote.(*conn).CloseWrite()
	})
	_, err = io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n")
	if err == nil {
		_, _ = io.Copy(client, remote) // the program sees a truncation itself
	}
	// Both directions have ended, so no error can be reported any more.
	_, _ = remote.Close(), client.Close()
	sender.Wait()
}

// fail answers with the error: 403 for a refusal, otherwise 502.
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
