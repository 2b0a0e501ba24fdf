package delivery

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/internal/retryafter"
	"github.com/transcriptkit/transcriptkit/internal/webhooksign"
)

// result is the result of an attempt.
type result struct {
	reason  string // why it failed, for the account; "" means that the endpoint has answered with 2xx
	status  int    // of the answer; 0 if there was none
	took    time.Duration
	after   time.Duration // what Retry-After asks for
	busy    bool          // the endpoint asks for a pause
	gone    bool          // the endpoint wants no more events
	stopped bool          // the service is stopping, so the attempt proves nothing
}

const (
	// readAnswer is how much of an answer is read, and maxQuoted is how much of it the
	// account sees, in bytes.
	readAnswer = 4 << 10
	maxQuoted  = 200
	// longestRetryAfter limits the pause that a receiver may ask for.
	longestRetryAfter = 24 * time.Hour
)

// attempt sends a delivery once. Each attempt makes a new connection, so that the guard checks
// the current address.
func (s *Sender) attempt(ctx context.Context, e *endpoint, d *delivery, now time.Time) (r result) {
	began := time.Now()
	defer func() { r.took = time.Since(began) }()
	within, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	res, err := s.post(within, e, d, now)
	if err != nil {
		if ctx.Err() != nil {
			return result{stopped: true}
		}
		return result{reason: reasonOf(err, s.cfg.Timeout)}
	}
	defer func() { _ = res.Body.Close() }() // nothing more is needed from the answer
	// Only the account sees the text of the answer. The status is valid even if the text is
	// lost.
	said, _ := io.ReadAll(io.LimitReader(res.Body, readAnswer))
	r = result{status: res.StatusCode}
	if r.status/100 == 2 {
		return r
	}
	r.reason = fmt.Sprintf("The receiver answered %d.", r.status)
	switch r.status {
	case http.StatusGone:
		r.gone = true
		r.reason = "The receiver answered 410: it wants no more events."
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusGatewayTimeout:
		r.busy = true
	}
	if r.status/100 == 3 {
		r.reason += " The service follows no redirects."
	}
	if text := clip.OneLine(strings.ToValidUTF8(string(said), ""), maxQuoted); text != "" {
		r.reason += " It said: " + text
	}
	r.after, _ = retryafter.Parse(res.Header, longestRetryAfter) // 0 means that the answer asks for no pause
	return r
}

func (s *Sender) post(ctx context.Context, e *endpoint, d *delivery, now time.Time) (*http.Response, error) {
	keys, err := e.keys(now)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.URL, bytes.NewReader([]byte(d.Body)))
	if err != nil {
		return nil, err
	}
	req.Close = true
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "transcriptkit-webhooks")
	webhooksign.Sign(req.Header, keys, d.ID, now, []byte(d.Body))
	return s.client.Do(req)
}

// reasonOf puts the error of an attempt into words for the account. The error itself may name
// addresses of the service's own network.
func reasonOf(err error, timeout time.Duration) string {
	var noName *net.DNSError
	var notTLS tls.RecordHeaderError
	var certificate *tls.CertificateVerificationError
	var unknownAuthority x509.UnknownAuthorityError
	switch {
	case errors.Is(err, egress.ErrRefused):
		return "The service sends nothing to this address: it is not public, or not on port 80 or 443."
	case errors.As(err, &noName):
		return "The name of the receiver could not be looked up."
	case errors.As(err, &certificate), errors.As(err, &unknownAuthority):
		return "The TLS certificate of the receiver is not good."
	case errors.As(err, &notTLS):
		return "The receiver does not speak TLS."
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("The receiver did not answer within %s.", timeout)
	}
	if slow := net.Error(nil); errors.As(err, &slow) && slow.Timeout() {
		return "The receiver could not be reached in time."
	}
	return "The connection to the receiver failed."
}
