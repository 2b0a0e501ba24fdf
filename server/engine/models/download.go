package models

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/cenkalti/backoff/v4"

	"github.com/transcriptkit/transcriptkit/internal/retryafter"
)

const (
	// mostRedirects limits the redirects of one download.
	mostRedirects = 5
	// mostRetries limits the consecutive tries that bring no progress.
	mostRetries = 5
	// longestAsked is the longest pause that a server may ask for.
	longestAsked = time.Minute
)

var errStalled = errors.New("no byte arrived")

// withoutProxy returns a transport that connects directly and ignores the proxy variables of
// the environment.
func withoutProxy() http.RoundTripper {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	return transport
}

// downloader returns a client that follows only permitted redirects and has no overall timeout,
// as long as bytes arrive.
func downloader(client *http.Client) *http.Client {
	c := *client
	c.Timeout = 0
	c.CheckRedirect = func(next *http.Request, via []*http.Request) error {
		at, first := next.URL, via[0].URL
		switch {
		case len(via) > mostRedirects:
			return &refusal{fmt.Sprintf("it redirects more than %d times: use another mirror", mostRedirects)}
		case at.Scheme == "https", first.Scheme == "http" && at.Scheme == "http" && at.Host == first.Host:
			return nil
		}
		return &refusal{fmt.Sprintf("it redirects to %s://%s, which is not https: if that is a page to sign in to the network, sign in with a browser; else use another mirror", at.Scheme, at.Host)}
	}
	return &c
}

// pauses returns the waits between tries.
func pauses() backoff.BackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.MaxInterval, b.MaxElapsedTime = time.Second, 30*time.Second, 0
	return b
}

// refusal is an answer that another attempt would not change.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

// asked waits at least as long as the server has asked for.
type asked struct {
	backoff.BackOff
	least time.Duration
}

// NextBackOff returns the wait before the next try.
func (a *asked) NextBackOff() time.Duration {
	next := a.BackOff.NextBackOff()
	if next != backoff.Stop {
		next = max(next, a.least)
	}
	a.least = 0
	return next
}

// download gets the rest of a file. It tries again after temporary errors as long as the file
// grows by a hundredth of its size within a few tries.
func (f *Folder) download(ctx context.Context, d Download, p *partial, progress Progress) error {
	wait := &asked{BackOff: backoff.WithMaxRetries(f.pause(), mostRetries)}
	reached, most, passing := false, p.have, false
	err := backoff.Retry(func() error {
		if p.have == d.Bytes {
			return nil
		}
		resp, err := f.request(ctx, d, p) //nolint:bodyclose // receive closes it
		if err == nil {
			reached = true
			wait.least, err = f.receive(resp, d, p, progress)
		}
		if p.have-most > d.Bytes/100 {
			most = p.have
			wait.Reset()
		}
		err = judge(ctx, err, reached)
		passing = !errors.As(err, new(*backoff.PermanentError))
		return err
	}, backoff.WithContext(wait, ctx))
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil && passing {
		return fmt.Errorf("%w: pull again later, or use another mirror; what has come is kept", err)
	}
	return err
}

// stalling ends a request when no byte arrives for the given time.
type stalling struct {
	io.ReadCloser
	timer *time.Timer
	after time.Duration
	ctx   context.Context
	end   context.CancelCauseFunc
}

func (s *stalling) Read(b []byte) (int, error) {
	n, err := s.ReadCloser.Read(b)
	if n > 0 {
		s.timer.Reset(s.after)
	}
	if err != nil && !errors.Is(err, io.EOF) && s.ctx.Err() != nil {
		err = context.Cause(s.ctx)
	}
	return n, err
}

// Close ends the request.
func (s *stalling) Close() error {
	s.timer.Stop()
	s.end(nil)
	return s.ReadCloser.Close()
}

// request asks for the missing bytes, on condition that the server still has the same file.
func (f *Folder) request(ctx context.Context, d Download, p *partial) (*http.Response, error) {
	ctx, end := context.WithCancelCause(ctx)
	timer := time.AfterFunc(f.stall, func() { end(fmt.Errorf("%w for %s", errStalled, f.stall)) })
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.url.String(), nil)
	if err == nil {
		req.Header.Set("Accept-Encoding", "identity") // ranges and hashes refer to the uncompressed file
		if p.have > 0 {
			req.Header.Set("Range", fmt.Sprintf("bytes=%d-", p.have))
		}
		if p.have > 0 && p.tag != "" {
			req.Header.Set("If-Range", p.tag)
		}
		resp, failed := f.http.Do(req)
		if failed == nil {
			resp.Body = &stalling{resp.Body, timer, f.stall, ctx, end}
			return resp, nil
		}
		err = failed
	}
	timer.Stop()
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	end(nil)
	return nil, err
}

// receive writes the body of an answer to the partial file. It returns the pause that the
// server asks for before the next try.
func (f *Folder) receive(resp *http.Response, d Download, p *partial, progress Progress) (pause time.Duration, err error) {
	defer func() { _ = resp.Body.Close() }() // the body was read, or is not needed
	switch resp.StatusCode {
	case http.StatusOK:
		if resp.ContentLength >= 0 && resp.ContentLength != d.Bytes {
			return 0, differs(resp, fmt.Sprintf("it has a different file: of %d bytes, and not of %d", resp.ContentLength, d.Bytes))
		}
		if err := p.reset(); err != nil {
			return 0, &diskError{err}
		}
		p.setTag(resp.Header.Get("ETag"))
	case http.StatusPartialContent:
		if err := p.continues(resp.Header.Get("Content-Range")); err != nil {
			return 0, err
		}
	case http.StatusRequestedRangeNotSatisfiable:
		return 0, errors.Join(errors.New("it does not have the rest: starting over"), p.reset())
	default:
		return refused(resp)
	}
	_, err = io.Copy(p, f.reader(resp.Request.Context(), resp.Body, d.Entry, p.have, progress))
	switch {
	case errors.Is(err, errTooLong):
		return 0, errors.Join(differs(resp, fmt.Sprintf("it sends more than the %d bytes of the file", d.Bytes)), p.reset())
	case err == nil && p.have < d.Bytes:
		err = fmt.Errorf("it ended early: %w", io.ErrUnexpectedEOF)
	}
	return 0, err
}

// continues checks that the sent range begins where the partial file ends. Any other range
// would corrupt the file.
func (p *partial) continues(header string) error {
	var from, to int64
	var total string
	if _, err := fmt.Sscanf(header, "bytes %d-%d/%s", &from, &to, &total); err != nil || from != p.have {
		return errors.Join(fmt.Errorf("it sends another part than requested (%q): starting over", header), p.reset())
	}
	if total != "*" && total != fmt.Sprint(p.entry.Bytes) {
		return &refusal{fmt.Sprintf("it has a different file: of %s bytes, and not of %d: %s", total, p.entry.Bytes, cureOther)}
	}
	return nil
}

const cureOther = "look for a newer version of this program, or use a mirror that has the file"

// differs is the error for an answer of another length. Networks that want a user to sign in
// answer everything with a page.
func differs(resp *http.Response, fault string) error {
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind == "text/html" {
		return &refusal{"it answers with a web page and not with the file: if the network wants you to sign in, sign in with a browser; else use another mirror"}
	}
	return &refusal{fault + encoded(resp) + ": " + cureOther}
}

func encoded(resp *http.Response) string {
	if how := resp.Header.Get("Content-Encoding"); how != "" {
		return fmt.Sprintf(" (it says that it has encoded it: %q)", how)
	}
	return ""
}

// refused returns the error for an answer without the file.
func refused(resp *http.Response) (time.Duration, error) {
	said := "it answers " + resp.Status
	switch code := resp.StatusCode; {
	case code == http.StatusTooManyRequests, code == http.StatusRequestTimeout, code >= 500:
		pause, _ := retryafter.Parse(resp.Header, 24*time.Hour)
		if pause > longestAsked {
			return 0, &refusal{fmt.Sprintf("%s: pull again in %s", said, pause.Round(time.Second))}
		}
		return pause, errors.New(said)
	case code == http.StatusNotFound, code == http.StatusGone:
		return 0, &refusal{said + ": " + cureOther}
	case code == http.StatusUnauthorized, code == http.StatusProxyAuthRequired:
		return 0, &refusal{said + ": put the user and the password into the address of the mirror or of the proxy, as in https://USER:PASSWORD@HOST/FOLDER"}
	}
	return 0, &refusal{said + ": use another mirror"}
}

// judge decides whether another attempt could help; otherwise its error says what would.
func judge(ctx context.Context, err error, reached bool) error {
	var (
		no          *refusal
		disk        *diskError
		certificate *tls.CertificateVerificationError
		record      tls.RecordHeaderError
		network     *net.OpError
		wrapped     *url.Error
	)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return backoff.Permanent(context.Cause(ctx))
	case errors.As(err, &no):
		return backoff.Permanent(no)
	case errors.As(err, &disk):
		return backoff.Permanent(disk)
	}
	if errors.As(err, &wrapped) {
		err = wrapped.Err // without the address, which is reported elsewhere and may hold a password
	}
	switch {
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return backoff.Permanent(&refusal{"it does not speak TLS: write http:// in the address of the mirror"})
	case errors.As(err, &certificate):
		return backoff.Permanent(&refusal{"the server's certificate is not trusted: if a proxy inspects the connection, add its certificate to the system's"})
	case !reached && errors.As(err, &network) && (network.Op == "dial" || network.Op == "proxyconnect"):
		return backoff.Permanent(fmt.Errorf("%w: %w", ErrUnreachable, err))
	}
	return err
}
