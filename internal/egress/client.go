package egress

import (
	"errors"
	"net"
	"net/http"
	"net/url"
)

// maxRedirects is how many redirects a [Guard.Client] follows by itself.
const maxRedirects = 5

// Client is an HTTP client that reaches only what the guard lets pass. It uses no
// proxy, keeps no cookies, follows up to 5 redirects, and waits 30 seconds at most
// for the head of an answer; the body is for the caller to bound. A copy with a
// CheckRedirect of its own is as safe. The guard's Close ends its connections.
func (g *Guard) Client() *http.Client {
	return &http.Client{
		Transport: guarded{g.own},
		CheckRedirect: func(_ *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return errors.New("egress: too many redirects")
			}
			return nil
		},
	}
}

// guarded refuses the links that never get as far as a connection.
type guarded struct{ pass *Pass }

// RoundTrip sends a request whose link is http or https, without credentials.
func (t guarded) RoundTrip(r *http.Request) (*http.Response, error) {
	if reason := refuseURL(r.URL, "http", "https"); reason != "" {
		if r.Body != nil {
			// A transport closes the body; there is nobody left to tell of an error.
			_ = r.Body.Close()
		}
		refusal := &Refusal{hostPort(r.URL), reason}
		t.pass.note(r.Context(), refusal)
		return nil, refusal
	}
	return t.pass.transport.RoundTrip(r)
}

// CloseIdleConnections is what http.Client.CloseIdleConnections calls.
func (t guarded) CloseIdleConnections() { t.pass.transport.CloseIdleConnections() }

// newTransport connects by way of a pass.
func newTransport(p *Pass) *http.Transport {
	return &http.Transport{
		DialContext:            p.dial,
		TLSHandshakeTimeout:    dialTimeout,
		ResponseHeaderTimeout:  headerTimeout,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxHeader,
		MaxIdleConnsPerHost:    2,
		MaxIdleConns:           32,
	}
}

// refuseURL gives the reason why a link is refused whatever its host.
func refuseURL(u *url.URL, schemes ...string) string {
	for _, scheme := range schemes {
		if u.Scheme == scheme {
			if u.User != nil {
				return "credentials in the link"
			}
			return ""
		}
	}
	return "scheme " + clip(u.Scheme)
}

// hostPort names the address that a link leads to.
func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443", "ftp": "21"}[u.Scheme]
	}
	return clip(net.JoinHostPort(u.Hostname(), port))
}
