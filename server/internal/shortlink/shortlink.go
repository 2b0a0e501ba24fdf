// Package shortlink resolves links that only redirect to a platform's content. It does not
// depend on a request: the caller bounds the time with its context.
package shortlink

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// Patience is the longest time for resolving a short link, for all hops together.
const Patience = 5 * time.Second

const maxHops = 3

// Follower follows short links through the egress guard. Both members are required. It is
// safe for concurrent use.
type Follower struct {
	Sites  *site.Table
	Client func() *http.Client // returns a client of the egress guard
}

// Follow resolves a short link to its content. The link may pass through hosts of no platform,
// but must end on a platform's host. The errors have codes: UPSTREAM_FAILED if the link cannot
// be followed now; UNAVAILABLE if the link does not exist or leads to an address that is not
// public; UNSUPPORTED_PLATFORM or INVALID_VIDEO if the link leads to no content of a platform.
func (f *Follower) Follow(ctx context.Context, link string) (site.Match, error) {
	for range maxHops {
		next, err := f.hop(ctx, link)
		if err != nil {
			return site.Match{}, err
		}
		match, err := f.Sites.Detect(next)
		if err == nil && !match.Short {
			return match, nil
		}
		if err != nil && !errors.Is(err, transcript.UnsupportedPlatform) {
			return site.Match{}, err
		}
		link = next
	}
	return site.Match{}, transcript.Errorf(transcript.UnsupportedPlatform, "The short link redirects more than %d times.", maxHops)
}

// hop returns the target of one redirect.
func (f *Follower) hop(ctx context.Context, link string) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, link, nil)
	if err != nil {
		return "", transcript.Errorf(transcript.UnsupportedPlatform, "The short link leads to something that is no link.").Because(err)
	}
	client := f.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	answer, err := client.Do(r)
	switch {
	case errors.Is(err, egress.ErrRefused):
		return "", transcript.Errorf(transcript.Unavailable, "The short link leads to an address that this service does not visit.").Because(err)
	case errors.Is(err, context.Canceled):
		return "", err // the caller has given up
	case err != nil:
		return "", transcript.Errorf(transcript.UpstreamFailed, "The short link could not be followed.").Because(err)
	}
	_ = answer.Body.Close() // only the header is needed
	return leadsTo(answer)
}

// leadsTo returns the target of the redirect in an answer.
func leadsTo(answer *http.Response) (string, error) {
	next, err := answer.Location()
	switch status := answer.StatusCode; {
	case err == nil && status/100 == 3 && isWeb(next):
		return next.String(), nil
	case status < http.StatusBadRequest:
		return "", transcript.Errorf(transcript.UnsupportedPlatform, "The short link leads to no supported site.").
			With("host", clip.Text(answer.Request.URL.Host))
	case status == http.StatusNotFound, status == http.StatusGone:
		return "", transcript.Errorf(transcript.Unavailable, "The short link does not exist.")
	default:
		return "", transcript.Errorf(transcript.UpstreamFailed, "The short link was answered with status %d.", status)
	}
}

func isWeb(u *url.URL) bool { return (u.Scheme == "http" || u.Scheme == "https") && u.User == nil }
