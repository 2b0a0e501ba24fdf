package egress

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"

	"github.com/transcriptkit/transcriptkit/internal/clip"
)

// maxRedirects is how many redirects a [Guard.Client] follows by itself.
const maxRedirects = 5

// Client returns an HTTP client that reaches only permitted addresses. It keeps no cookies,
// follows up to 5 redirects, and waits at most 30 seconds for the head of an answer. The caller
// limits the body. A request whose context belongs to a visit leaves by the exit of the visit.
// Other requests leave by the exits in turn. A copy of the client with its own CheckRedirect is
// equally safe. The guard's Close ends its connections.
func (g *Guard) Client() *http.Client {
	return &http.Client{
		Transport: guarded{g},
		CheckRedirect: func(_ *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return errors.New("egress: too many redirects")
			}
			return nil
		},
	}
}

// JudgeLink returns a *[Refusal] if a link leads to a forbidden address, as far as the link
// shows that without looking up its name. The refusal is logged under the job.
func (g *Guard) JudgeLink(ctx context.Context, job, link string) error {
	refusal := g.judgeLink(ctx, link)
	if refusal == nil {
		return nil
	}
	g.log.WarnContext(ctx, "egress refused", "job", job, "address", refusal.Address, "reason", refusal.Reason)
	return refusal
}

func (g *Guard) judgeLink(ctx context.Context, link string) *Refusal {
	u, err := url.Parse(link)
	if err != nil {
		return &Refusal{clip.Text(link), "not a link"}
	}
	if refusal := refuseURL(u, "http", "https"); refusal != nil {
		return refusal
	}
	t, err := parse(hostPort(u))
	if err != nil {
		return &Refusal{hostPort(u), err.Error()}
	}
	if reason := g.refuse(ctx, t, g.allow[t.address]); reason != "" {
		return &Refusal{hostPort(u), reason}
	}
	return nil
}

// guarded refuses links that are forbidden without a connection.
type guarded struct{ guard *Guard }

// RoundTrip sends a request whose link is http or https and has no credentials.
func (t guarded) RoundTrip(r *http.Request) (*http.Response, error) {
	if refusal := refuseURL(r.URL, "http", "https"); refusal != nil {
		if r.Body != nil {
			// A transport must close the body. No caller could receive the error.
			_ = r.Body.Close()
		}
		t.guard.own.logRefusal(r.Context(), refusal)
		return nil, refusal
	}
	if v := visitOf(r.Context()); v != nil {
		return v.pass.transport.RoundTrip(r)
	}
	if t.guard.pool.Load().direct {
		return t.guard.own.transport.RoundTrip(r)
	}
	return t.guard.inTurn.transport.RoundTrip(r)
}

// CloseIdleConnections implements http.Client.CloseIdleConnections.
func (t guarded) CloseIdleConnections() { t.guard.own.transport.CloseIdleConnections() }

// newTransport returns a transport that connects only with dial.
func newTransport(dial func(ctx context.Context, network, address string) (net.Conn, error)) *http.Transport {
	return &http.Transport{
		DialContext:            dial,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    dialTimeout,
		ResponseHeaderTimeout:  headerTimeout,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxHeader,
		MaxIdleConnsPerHost:    2,
		MaxIdleConns:           32,
	}
}

// refuseURL refuses links that are forbidden without a connection: links with another scheme,
// or with credentials.
func refuseURL(u *url.URL, schemes ...string) *Refusal {
	switch {
	case !slices.Contains(schemes, u.Scheme):
		return &Refusal{hostPort(u), "scheme " + clip.Text(u.Scheme)}
	case u.User != nil:
		return &Refusal{hostPort(u), "credentials in the link"}
	}
	return nil
}

// hostPort returns the address of a link.
func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443", "ftp": "21"}[u.Scheme]
	}
	return clip.Text(net.JoinHostPort(u.Hostname(), port))
}
