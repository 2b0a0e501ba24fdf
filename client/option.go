package client

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"golang.org/x/net/http/httpguts"
)

// Option configures a client; it is taken by [New].
type Option interface{ applyClient(*config) error }

// RequestOption configures one call. Most may also be given to [New], where they
// become the default of every call.
type RequestOption interface {
	Option
	applyRequest(*settings) error
}

// config is what New gathers.
type config struct {
	http       *http.Client
	middleware []middleware
	logger     *slog.Logger
	userAgent  string
	defaults   settings
}

// settings are what one call goes by.
type settings struct {
	apiKey         string
	header         http.Header
	retry          RetryPolicy
	attemptTimeout time.Duration // 0: the default
	idempotencyKey string
	progress       func(sent, total int64)
	notify         func(err error, pause time.Duration)
	response       *Response
	middleware     []middleware // of this call; those of the client are part of its transport
}

func (c *Client) settings(opts []RequestOption) (settings, error) {
	if c == nil || c.defaults == nil {
		return settings{}, errors.New("client: New has not made this client")
	}
	s := c.defaults()
	return s, s.apply(opts)
}

// apply changes what are the client's defaults.
func (s *settings) apply(opts []RequestOption) error {
	s.header = s.header.Clone()
	for _, opt := range opts {
		if opt == nil {
			return errors.New("client: nil option")
		}
		if err := opt.applyRequest(s); err != nil {
			return err
		}
	}
	return nil
}

type clientOption func(*config) error

func (o clientOption) applyClient(c *config) error { return o(c) }

type requestOption func(*settings) error

func (o requestOption) applyClient(c *config) error    { return o(&c.defaults) }
func (o requestOption) applyRequest(s *settings) error { return o(s) }

// callOption is an option that means nothing as a default of every call.
type callOption struct {
	requestOption
	name string
}

func (o callOption) applyClient(*config) error {
	return fmt.Errorf("client: %s belongs to one call, not to the client", o.name)
}

// WithAPIKey sends key, which is printable ASCII without spaces, as a bearer token.
// The key is never logged, never part of an error, and never sent to another host than
// the base URL's.
func WithAPIKey(key string) RequestOption {
	return requestOption(func(s *settings) error {
		if key == "" {
			return errors.New("client: the API key is empty")
		}
		for i := range len(key) { // the key stays out of the error
			if key[i] <= ' ' || key[i] > '~' {
				return fmt.Errorf("client: the API key holds a space, a line end or a letter that is not ASCII at byte %d of %d: copy the key again", i+1, len(key))
			}
		}
		s.apiKey = key
		return nil
	})
}

// WithHTTPClient uses a copy of h: its transport, cookie jar, redirect policy
// and timeout (which counts per attempt and would cut long uploads). Connections
// in its pool are left alone.
func WithHTTPClient(h *http.Client) Option {
	return clientOption(func(c *config) error {
		if h == nil {
			return errors.New("client: nil HTTP client")
		}
		own := *h
		c.http = &own
		return nil
	})
}

// WithLogger logs every attempt at debug level: method, path, status, duration
// and request id; never keys, queries or bodies. The default is silence.
func WithLogger(l *slog.Logger) Option {
	return clientOption(func(c *config) error {
		if l == nil {
			return errors.New("client: nil logger")
		}
		c.logger = l
		return nil
	})
}

// WithUserAgent sets the User-Agent header, "transcriptkit-go" by default.
func WithUserAgent(name string) Option {
	return clientOption(func(c *config) error {
		if name == "" || !httpguts.ValidHeaderFieldValue(name) {
			return fmt.Errorf("client: user agent %q is empty or not a header value", name)
		}
		c.userAgent = name
		return nil
	})
}

// WithHeader sets a header of the request, in place of the client's own value
// where it has one. X-Request-Id given so appears in the service's log.
func WithHeader(key, value string) RequestOption {
	return requestOption(func(s *settings) error {
		if !httpguts.ValidHeaderFieldName(key) || !httpguts.ValidHeaderFieldValue(value) {
			return fmt.Errorf("client: header %q: not a valid name or value", key)
		}
		if s.header == nil {
			s.header = http.Header{}
		}
		s.header.Set(key, value)
		return nil
	})
}

// WithRetry replaces the default [RetryPolicy].
func WithRetry(p RetryPolicy) RequestOption {
	return requestOption(func(s *settings) error {
		if err := p.validate(); err != nil {
			return err
		}
		s.retry = p.withDefaults()
		return nil
	})
}

// WithAttemptTimeout bounds each attempt, from dialing to the last byte of the answer.
// The default is one minute; requests that send a file have no default, and a large file goes on
// after its attempt. In a [Download] it bounds each
// silence, and not the whole download. It does not apply to event streams, which stay
// open while data comes.
func WithAttemptTimeout(d time.Duration) RequestOption {
	return requestOption(func(s *settings) error {
		if d <= 0 {
			return fmt.Errorf("client: attempt timeout %s is not positive", d)
		}
		s.attemptTimeout = d
		return nil
	})
}

// WithIdempotencyKey names the request, so that the same call made again, also
// by another process, within 24 hours gets the same answer (see docs/guides/errors.md). 1 to
// 255 printable ASCII characters. The default is random per call.
//
// If a call with a large file ends early, the same call with the same key sends the rest of the
// file. The key must belong to one file: the service cannot compare the part of another file of
// the same size.
func WithIdempotencyKey(key string) RequestOption {
	return callOption{name: "WithIdempotencyKey", requestOption: func(s *settings) error {
		if len(key) < 1 || len(key) > 255 {
			return fmt.Errorf("client: idempotency key of %d characters; 1 to 255 are allowed", len(key))
		}
		for i := range len(key) {
			if key[i] < 0x20 || key[i] > 0x7e {
				return errors.New("client: an idempotency key is printable ASCII")
			}
		}
		s.idempotencyKey = key
		return nil
	}}
}

// WithUploadProgress reports the bytes of the file that have been sent; total is -1 when the
// size is unknown. After a break, the progress goes back to the bytes that the service has: to 0
// where the file is sent again (see [TranscriptService.Submit]). Calls come one after the other,
// from another goroutine than the caller's, and hold up the upload while they run.
func WithUploadProgress(report func(sent, total int64)) RequestOption {
	return requestOption(func(s *settings) error {
		if report == nil {
			return errors.New("client: nil progress function")
		}
		s.progress = report
		return nil
	})
}

// WithResponse fills r with the status, the headers, the limits and the JSON of the last
// answer. A refused call fills r too, except for the JSON: see [Error.Body]. In a wait, r is
// about the last question. In a sequence of pages, r is about the page of the present entry.
// In [JobService.Events], r is about the present connection, and its JSON is the data of the
// present event.
func WithResponse(r *Response) RequestOption {
	return callOption{name: "WithResponse", requestOption: func(s *settings) error {
		if r == nil {
			return errors.New("client: nil response")
		}
		s.response = r
		return nil
	}}
}
