package videosite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/retryafter"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/player"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/refusal"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/unknownhost"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The limits of one request. A page has some two million bytes, and so have the captions of a
// day-long video.
const (
	maxBody      = 16 << 20
	patience     = 15 * time.Second
	maxRedirects = 5
	maxPause     = 24 * time.Hour // the longest pause that the site may ask for
)

// kind is the purpose of a request.
type kind int

const (
	pageRequest kind = iota
	playerRequest
	trackRequest
)

func (v *visit) get(k kind, p Player, u *url.URL) ([]byte, error) {
	return v.send(k, p, http.MethodGet, u, nil)
}

func (v *visit) post(p Player, u *url.URL, body []byte) ([]byte, error) {
	return v.send(playerRequest, p, http.MethodPost, u, body)
}

// send sends a request as a player and returns the body of the answer. The body is complete and
// not empty, and the status is 200.
func (v *visit) send(k kind, p Player, method string, u *url.URL, body []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(v.ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("videosite: %w", err)
	}
	req.Header = p.header(v.header())
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := v.http.Do(req)
	if err != nil {
		return nil, v.unreachable(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	if resp.StatusCode != http.StatusOK {
		return nil, refused(k, resp)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	switch {
	case err != nil:
		return nil, v.unreachable(ctx, err)
	case len(data) > maxBody:
		return nil, broken("The platform sends too much.").Because(fmt.Errorf("videosite: over %d bytes", maxBody))
	case len(bytes.TrimSpace(data)) == 0:
		return nil, refusal.CaptionToken.Because(errors.New("videosite: an empty answer"))
	}
	return data, nil
}

// checkRedirect keeps redirects on the site.
func (r *Route) checkRedirect(req *http.Request, via []*http.Request) error {
	to := req.URL
	switch {
	case len(via) > maxRedirects:
		return broken("The platform redirects in circles.")
	case to.User == nil && (to.Scheme == r.base.Scheme && to.Host == r.base.Host || to.Scheme == r.consent.Scheme && to.Host == r.consent.Host):
		return nil
	case strings.HasPrefix(to.Path, "/sorry/"): // the captcha is there, on another host
		return refusal.Blocked.Because(errors.New("videosite: redirected to a captcha"))
	}
	return broken("The platform leads elsewhere.").Because(fmt.Errorf("videosite: redirected to host %q", to.Host))
}

// unreachable says why there is no answer, or only a part of one. ctx is the context of the
// request.
func (v *visit) unreachable(ctx context.Context, err error) error {
	var coded *transcript.Error
	switch {
	case v.ctx.Err() != nil:
		return context.Cause(v.ctx)
	case errors.As(err, &coded): // by checkRedirect
		return coded
	case ctx.Err() != nil:
		return broken("The platform did not answer in time.").Because(fmt.Errorf("videosite: %w", err))
	}
	if unknown := unknownhost.Of(err); unknown != nil {
		return unknown
	}
	return broken("The platform cannot be reached, or breaks off.").Because(fmt.Errorf("videosite: %w", err))
}

// refused returns the error for an answer whose status is not 200.
func refused(k kind, resp *http.Response) *transcript.Error {
	why := errors.New("videosite: status " + strconv.Itoa(resp.StatusCode))
	switch code := resp.StatusCode; {
	case code == http.StatusTooManyRequests, code == http.StatusForbidden:
		pause, _ := retryafter.Parse(resp.Header, maxPause) // 0 if the header names no time
		return blocked(pause, why)
	case code == http.StatusUnauthorized:
		return refusal.Login.Because(why)
	case k == playerRequest && (code == http.StatusBadRequest || code == http.StatusNotFound || code == http.StatusGone):
		return player.Outdated(why) // the site knows no such player
	case k == pageRequest && (code == http.StatusNotFound || code == http.StatusGone):
		return refusal.Gone.Because(why)
	case code == http.StatusUnavailableForLegalReasons:
		return refusal.Elsewhere.Because(why)
	}
	return broken("The platform does not answer as it should.").Because(why)
}
