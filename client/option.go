package client

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"golang.org/x/net/http/httpguts"
)

// Option configures a [Client]. Pass it to [New].
type Option interface{ applyClient(*config) error }

// RequestOption configures one call. Pass it to [New] to make it the default of every
// call.
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
		return settings{}, errors.New("client: this Client was not made by New")
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

// WithAPIKey sends key as a bearer token. key is printable ASCII without spaces. The
// client never logs the key, puts it into an error, or sends it to a host other than
// that of the base URL.
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

// WithHTTPClient makes the client use a copy of h, with its transport, cookie jar,
// redirect policy and timeout. The timeout applies to each attempt, so it also cuts off
// long uploads. The client never closes idle connections of h.
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

// WithLogger logs every attempt at debug level: method, path, status, duration and
// request id, but never keys, queries or bodies. By default, the client logs nothing.
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

// WithHeader sets a header of the request, and replaces the client's own value. Set
// X-Request-Id to find the request in the service's log.
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

// WithAttemptTimeout limits each attempt, from dialing to the last byte of the answer.
// The default is one minute. A request that sends a file has no default limit. If the
// limit ends an attempt of a resumable upload, the next attempt continues the upload.
// In a [Download], the limit applies to each time without data, not to the whole
// download. It does not apply to event streams, which stay open while data arrives.
func WithAttemptTimeout(d time.Duration) RequestOption {
	return requestOption(func(s *settings) error {
		if d <= 0 {
			return fmt.Errorf("client: attempt timeout %s is not positive", d)
		}
		s.attemptTimeout = d
		return nil
	})
}

// WithIdempotencyKey sets the idempotency key: 1 to 255 printable ASCII characters. If
// the same call is made again with the same key within 24 hours, also by another
// process, it gets the same answer (see docs/guides/errors.md). By default, each call
// has a random key.
//
// If a call with a large file ends early, the same call with the same key sends the
// rest of the file. Use a key for one file only: the service cannot tell that the rest
// comes from another file of the same size.
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

// WithUploadProgress calls report with the bytes of the file that have been sent. total
// is -1 if the size is unknown. After a broken connection, sent goes back to the bytes
// that the service has, or to 0 if the client sends the file again (see
// [TranscriptService.Submit]). The calls come one after the other, from another
// goroutine than the caller's, and the upload waits for them.
func WithUploadProgress(report func(sent, total int64)) RequestOption {
	return requestOption(func(s *settings) error {
		if report == nil {
			return errors.New("client: nil progress function")
		}
		s.progress = report
		return nil
	})
}

// WithResponse fills r with the status, the headers, the rate limits and the JSON of
// the last answer. If the service refuses the call, r has no JSON: see [Error.Body]. In
// a wait, r describes the last request. In a sequence of pages, r describes the page of
// the current entry. In [JobService.Events], r describes the current connection, and
// its JSON is the data of the current event.
func WithResponse(r *Response) RequestOption {
	return callOption{name: "WithResponse", requestOption: func(s *settings) error {
		if r == nil {
			return errors.New("client: nil response")
		}
		s.response = r
		return nil
	}}
}
