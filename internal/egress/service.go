package egress

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
)

// maxService limits a question to a service of the operator, and its answer, in bytes.
const maxService = 1 << 20

// service is a service of the operator that the program of one pass may ask.
type service struct {
	at        *url.URL
	transport *http.Transport
}

// Admit lets the program of the pass ask a service of the operator, as "http://127.0.0.1:4416",
// that no link reaches. Admit returns the address at which the program asks: the address of the
// guard's proxy, with a password that is valid for this pass and this service. So the program needs
// no other connection than the one to the guard. The guard passes GET and POST on, each with at
// most 1 MiB, and refuses an answer that redirects. Bytes of the service count as bytes of the
// pass. Call Admit at most once, before the program starts.
func (p *Pass) Admit(at *url.URL) (string, error) {
	if at.Scheme != "http" && at.Scheme != "https" || at.Host == "" || at.User != nil || strings.Trim(at.RequestURI(), "/") != "" || at.Fragment != "" {
		return "", errors.New("egress: a service of the operator has an address like http://HOST:PORT and no more")
	}
	s := &service{at: at}
	s.transport = newTransport(func(ctx context.Context, network, address string) (net.Conn, error) {
		raw, err := p.guard.dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		c := &conn{Conn: raw, pass: p}
		if !p.track(c) {
			_ = raw.Close() // no data has been sent on it
			return nil, context.Cause(p.ctx)
		}
		return c, nil
	})
	s.transport.DisableKeepAlives, s.transport.DisableCompression = true, true
	key := strings.ToLower(rand.Text()) // some programs change the case of such an address
	if err := p.guard.addService(key, p, s); err != nil {
		return "", err
	}
	return "http://" + p.guard.address + "/" + key, nil
}

func (g *Guard) addService(key string, p *Pass, s *service) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.passes == nil {
		return ErrClosed
	}
	p.service = s
	g.services[key] = p
	return nil
}

// forService returns the pass whose program asks a service of the operator, and the path
// after the password. It returns nil if the request is not such a request.
func (g *Guard) forService(r *http.Request) (p *Pass, path string) {
	if r.Method == http.MethodConnect || r.URL.Host != "" && r.URL.Host != g.address {
		return nil, ""
	}
	key, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.services[key], "/" + path
}

// askService passes a request on to the service of the operator.
func (p *Pass) askService(w http.ResponseWriter, r *http.Request, path string) {
	if r.Method != http.MethodGet && r.Method != http.MethodPost {
		http.Error(w, "GET or POST only", http.StatusMethodNotAllowed)
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(p.ctx, cancel)()
	r.Header.Del("Upgrade") // only HTTP is passed on
	r.Body = http.MaxBytesReader(w, r.Body, maxService)
	proxy := httputil.ReverseProxy{
		Rewrite: func(pr *httputil.ProxyRequest) {
			pr.Out.URL = &url.URL{Scheme: p.service.at.Scheme, Host: p.service.at.Host, Path: path, RawQuery: pr.In.URL.RawQuery}
			pr.Out.Host = ""
		},
		Transport:      p.service.transport,
		ModifyResponse: plainAnswer,
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			p.guard.log.WarnContext(r.Context(), "a service of the operator does not answer", "job", p.job, "address", p.service.at.Host, "err", err)
			fail(w, r, err)
		},
		ErrorLog: log.New(io.Discard, "", 0), // the program sees a truncated answer itself
	}
	proxy.ServeHTTP(w, r.WithContext(ctx))
}

// plainAnswer refuses an answer that redirects, and limits its body.
func plainAnswer(answer *http.Response) error {
	if answer.StatusCode < http.StatusOK || answer.StatusCode >= http.StatusMultipleChoices && answer.StatusCode < http.StatusBadRequest {
		return errors.New("egress: the service of the operator answers " + strconv.Itoa(answer.StatusCode))
	}
	answer.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(answer.Body, maxService), answer.Body}
	return nil
}
