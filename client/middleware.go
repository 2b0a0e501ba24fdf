package client

import (
	"errors"
	"net/http"
)

// middleware wraps a transport.
type middleware = func(next http.RoundTripper) http.RoundTripper

// RoundTripFunc is a function that implements [http.RoundTripper]. Use it to write
// short middleware:
//
//	client.WithMiddleware(func(next http.RoundTripper) http.RoundTripper {
//		return client.RoundTripFunc(func(r *http.Request) (*http.Response, error) {
//			r.Header.Set("X-Team", "speech")
//			return next.RoundTrip(r)
//		})
//	})
type RoundTripFunc func(*http.Request) (*http.Response, error)

// RoundTrip calls f.
func (f RoundTripFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// WithMiddleware wraps the transport of all calls, or of one call. The middleware sees
// each request as the service will see it: each attempt of a call, each redirect,
// uploads, and each connection of an event stream. Retries happen outside the
// middleware: after an error of the middleware, the client repeats the request as after
// a broken connection. If the middleware answers by itself, the client treats its
// answer as one of the service.
//
// Each middleware wraps those given before, and the middleware of a call wraps that of
// the client: the last one sees a request first. With [New], wrap runs once for all
// calls. With a call, wrap runs once for all attempts. With a wait, wrap runs for each
// request and stream of the wait.
//
// The middleware may change the request, which carries the API key, and the answer. The
// limit of [WithAttemptTimeout] includes the time of the middleware, and cancels the
// context of the request. [WithUploadProgress] counts the bytes of an upload that the
// middleware reads.
func WithMiddleware(wrap func(next http.RoundTripper) http.RoundTripper) RequestOption {
	return middlewareOption{wrap}
}

type middlewareOption struct{ wrap middleware }

func (o middlewareOption) check() error {
	if o.wrap == nil {
		return errors.New("client: nil middleware")
	}
	return nil
}

func (o middlewareOption) applyClient(c *config) error {
	c.middleware = append(c.middleware, o.wrap)
	return o.check()
}

func (o middlewareOption) applyRequest(s *settings) error {
	s.middleware = append(s.middleware, o.wrap)
	return o.check()
}

// wrap puts middleware around a transport.
func wrap(rt http.RoundTripper, all []middleware) (http.RoundTripper, error) {
	if len(all) == 0 {
		return rt, nil
	}
	for _, m := range all {
		if rt = m(rt); rt == nil {
			return nil, errors.New("client: a middleware returned nil")
		}
	}
	return wrapped{rt}, nil
}

// wrapped is a transport in middleware. Each attempt has a request of its own, because the next
// attempt must not have what the middleware changed.
type wrapped struct{ rt http.RoundTripper }

func (w wrapped) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := w.rt.RoundTrip(r.Clone(r.Context()))
	switch {
	case err != nil:
		if resp != nil && resp.Body != nil {
			_ = resp.Body.Close() // the error says more
		}
		return nil, err
	case resp == nil:
		return nil, errors.New("the middleware returned neither an answer nor an error")
	case resp.Body == nil:
		resp.Body = http.NoBody
	}
	return resp, nil
}
