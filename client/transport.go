package client

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"time"
)

// httpClient is a copy of the configured one, with its transport wrapped and
// its redirects bounded.
func (c *config) httpClient() (*http.Client, error) {
	h := *c.http
	rt := h.Transport
	if rt == nil {
		rt = http.DefaultTransport
	}
	rt, err := wrap(shared{rt}, c.middleware)
	if err != nil {
		return nil, err
	}
	h.Transport = rt
	h.CheckRedirect = checkRedirect(h.CheckRedirect)
	return &h, nil
}

// shared is a transport whose idle connections are not ours to close: it hides
// CloseIdleConnections, which the repeating client calls after every failure.
type shared struct{ rt http.RoundTripper }

func (s shared) RoundTrip(r *http.Request) (*http.Response, error) { return s.rt.RoundTrip(r) }

// checkRedirect follows a redirect only within the same service and only when
// the request stays what it was. Any other is not followed: the 3xx becomes the
// answer, so that a key never reaches another host or an unencrypted connection.
func checkRedirect(users func(*http.Request, []*http.Request) error) func(*http.Request, []*http.Request) error {
	return func(req *http.Request, via []*http.Request) error {
		first := via[0]
		if req.Method != first.Method || !sameService(first.URL, req.URL) || len(via) >= 10 {
			return http.ErrUseLastResponse
		}
		if users != nil {
			return users(req, via)
		}
		return nil
	}
}

func sameService(a, b *url.URL) bool {
	if a.Scheme == b.Scheme {
		return a.Host == b.Host
	}
	// From http to https on the same name, both at their usual ports.
	return b.Scheme == "https" && a.Host == a.Hostname() && a.Host == b.Host
}

// log records one attempt. Queries, headers and bodies stay out of it.
func (c *Client) log(ctx context.Context, method, path string, attempt int, began time.Time, resp *http.Response, err error) {
	if !c.logger.Enabled(ctx, slog.LevelDebug) {
		return
	}
	attrs := []slog.Attr{
		slog.String("method", method),
		slog.String("path", path),
		slog.Int("attempt", attempt),
		slog.Duration("duration", time.Since(began)),
	}
	if resp != nil {
		attrs = append(attrs, slog.Int("status", resp.StatusCode),
			slog.String("requestId", resp.Header.Get("X-Request-Id")))
	}
	if err != nil {
		attrs = append(attrs, slog.String("err", err.Error()))
	}
	c.logger.LogAttrs(ctx, slog.LevelDebug, "request", attrs...)
}
