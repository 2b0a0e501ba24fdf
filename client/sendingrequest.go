package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/resumable"
)

// removeTimeout bounds the removal of an upload that is given up.
const removeTimeout = 5 * time.Second

// request sends one request, and takes in its outcome. The answer is nil if there was none.
func (s *sending) request(ctx context.Context, method, to string, header map[string]string, body *uploadBody) (*Response, error) {
	req, err := s.newRequest(ctx, method, to, header)
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Body, req.GetBody, req.ContentLength = body, nil, body.until-body.sent
	}
	s.running.limit = s.attemptTimeout
	if s.attemptTimeout == 0 && s.http.Timeout == 0 && method != http.MethodPatch {
		s.running.limit = attemptTimeout
	}
	s.running.begin()
	resp, err := s.http.Do(req) //nolint:bodyclose // over reads and closes the body
	s.over(ctx, method, s.client.below(req.URL), resp, err)
	if resp == nil {
		return nil, s.err
	}
	if s.from = req.URL; resp.Request != nil {
		s.from = resp.Request.URL // after redirects
	}
	return new(newResponse(resp, s.attempts)), s.err
}

func (s *sending) newRequest(ctx context.Context, method, to string, header map[string]string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, to, http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("client: %s %s: %w", s.method, s.path, err)
	}
	s.client.identify(req.Header, s.settings)
	req.Header.Set("Accept", "application/json")
	s.custom(req.Header)
	for name, value := range header {
		req.Header.Set(name, value)
	}
	return req, nil
}

// below is the path of an address below the base URL, as the paths of all errors are.
func (c *Client) below(at *url.URL) string {
	base, err := url.Parse(c.base)
	if err != nil {
		return at.Path // New has read the base URL
	}
	return strings.TrimPrefix(at.Path, base.Path)
}

// remove removes an upload with which no other call can go on. The sweep of the service removes
// what cannot be removed now.
func (s *sending) remove(ctx context.Context, why error) {
	away := (*transportError)(nil)
	if s.at == "" || !s.ownKey || ctx.Err() == nil && errors.As(why, &away) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTimeout)
	defer cancel()
	req, err := s.newRequest(ctx, http.MethodDelete, s.at, nil)
	if err != nil {
		return // it was good for all requests before
	}
	s.running.limit = removeTimeout
	s.running.begin()
	resp, err := s.http.Do(req)
	if err == nil {
		_, err = readBody(resp)
	}
	s.running.over()
	s.client.log(ctx, req.Method, s.client.below(req.URL), 1, s.running.began, resp, err)
}

// errProxy is a proxy that has ended a request. An upload goes on after it as after a broken
// connection.
var errProxy = errors.New("a proxy has ended the request")

// proxyError returns the answer of a proxy, as many proxies give when a request takes long; nil:
// another error.
func proxyError(err error) *Error {
	var e *Error
	if errors.As(err, &e) && e.ofProxy() {
		return e
	}
	return nil
}

func (e *Error) ofProxy() bool {
	if e.Retryable() || e.Code != "" || e.Slug != "" || e.Err != nil {
		return false
	}
	return e.Response.StatusCode >= 500 || e.Response.StatusCode == http.StatusRequestTimeout
}

// isWhole reports whether an answer is about an upload that has arrived whole.
func isWhole(resp *Response) bool {
	whole, _, _ := resumable.ReadBool(resp.Header, resumable.Complete) // an unreadable header says nothing
	return whole
}
