package follower

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/internal/feed"
	"github.com/transcriptkit/transcriptkit/internal/retryafter"
	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/batcher"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	// headTimeout limits the wait for the head of the answer, including redirects, and
	// fetchTimeout limits the whole download of a feed.
	headTimeout  = 10 * time.Second
	fetchTimeout = 30 * time.Second
	// maxFeed limits the bytes of a feed that are read.
	maxFeed = 32 << 20
	// longestPause limits the pause that a publisher may ask for.
	longestPause = 24 * time.Hour
)

// fetched is the result of a request for a feed.
type fetched struct {
	feed           *feed.Feed // nil if it has not changed
	etag, modified string
	moved          string // where permanent redirects led; "" means nowhere
}

// errNotAFeed means that there is no feed at an address, and that the list may be read in
// another way.
var errNotAFeed = errors.New("follows: there is no feed")

// errGone means that the publisher has ended a feed.
var errGone = errors.New("the feed is gone")

// fetch reads a feed through the egress guard, unless the feed has not changed. Its
// errors have codes, except errNoPlace.
func (lk *looker) fetch(ctx context.Context, p *place, address, etag, modified string) (*fetched, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, transcript.Errorf(transcript.InvalidRequest, "The address of the feed is no link.").Because(err)
	}
	r.Header.Set("Accept", "application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, */*;q=0.1")
	if etag != "" {
		r.Header.Set("If-None-Match", etag)
	}
	if modified != "" {
		r.Header.Set("If-Modified-Since", modified)
	}
	head := time.AfterFunc(headTimeout, cancel)
	answer, err := lk.Client().Do(r)
	head.Stop()
	if failed := (*url.Error)(nil); errors.As(err, &failed) {
		err = failed.Err // without the address, which may contain a secret
	}
	switch {
	case errors.Is(err, egress.ErrRefused):
		return nil, transcript.Errorf(transcript.Unavailable, "The feed has an address that this service does not visit.").Because(err)
	case err != nil:
		return nil, transcript.Errorf(transcript.UpstreamFailed, "The feed could not be reached.").Because(err)
	}
	defer func() { _ = answer.Body.Close() }() // the body was read or is not needed
	if answer.StatusCode == http.StatusNotModified && (etag != "" || modified != "") {
		return &fetched{etag: etag, modified: modified, moved: movedTo(answer.Request)}, nil
	}
	if answer.StatusCode != http.StatusOK {
		return nil, refused(answer)
	}
	f, err := feed.Parse(p.reading(ctx, http.MaxBytesReader(nil, answer.Body, maxFeed)), answer.Request.URL, answer.Header.Get("Content-Type"))
	switch {
	case errors.Is(err, errNoPlace):
		return nil, err
	case tooLarge(err):
		return nil, transcript.Errorf(transcript.UpstreamFailed, "The feed has more than %d MiB.", maxFeed>>20)
	case errors.Is(err, feed.ErrNotFeed), errors.Is(err, feed.ErrTooLarge), errors.Is(err, feed.ErrDocType):
		return nil, transcript.Errorf(transcript.UpstreamFailed, "The feed cannot be read: %v.", err).Because(fmt.Errorf("%w: %w", errNotAFeed, err))
	case err != nil:
		return nil, transcript.Errorf(transcript.UpstreamFailed, "The feed could not be read to its end.").Because(err)
	}
	return &fetched{
		feed: f,
		etag: header(answer.Header, "ETag"), modified: header(answer.Header, "Last-Modified"),
		moved: movedTo(answer.Request),
	}, nil
}

func tooLarge(err error) bool {
	large := (*http.MaxBytesError)(nil)
	return errors.As(err, &large)
}

// maxValidator limits the headers that are sent again, in bytes.
const maxValidator = 1 << 10

func header(h http.Header, name string) string {
	if v := h.Get(name); len(v) <= maxValidator {
		return v
	}
	return ""
}

// refused is the error of an answer without a feed.
func refused(answer *http.Response) error {
	var e *transcript.Error
	switch status := answer.StatusCode; status {
	case http.StatusGone:
		return transcript.Errorf(transcript.Unavailable, "The publisher has ended the feed: the answer had status 410.").Because(fmt.Errorf("%w: %w", errNotAFeed, errGone))
	case http.StatusNotFound:
		return transcript.Errorf(transcript.Unavailable, "There is no feed at the address any more: the answer had status %d.", status).Because(errNotAFeed)
	case http.StatusUnauthorized, http.StatusForbidden:
		e = transcript.Errorf(transcript.Unavailable, "The publisher refuses the feed: the answer had status %d.", status)
	default:
		e = transcript.Errorf(transcript.UpstreamFailed, "The publisher answered the request for the feed with status %d.", status)
	}
	if pause, ok := retryafter.Parse(answer.Header, longestPause); ok {
		e.RetryAfter = retryafter.Seconds(pause)
	}
	return e
}

// MayFollow refuses a feed that this service could not use: without direct media, the
// items of a feed must be contents of platforms. MayFollow reads the feed if it may, and
// otherwise refuses it. nil means that the account may follow the feed. The code is
// SERVICE_UNAVAILABLE if the account or others are reading large feeds at the moment.
func (fs *Follows) MayFollow(ctx context.Context, account, address string, read bool) *transcript.Error {
	if fs.cfg.DirectMedia {
		return nil
	}
	if !read {
		e := transcript.Errorf(transcript.UnsupportedPlatform, "This service does not look at the feeds of a list.")
		e.Cure = "Follow the feed by itself, or let the operator permit direct links to recordings."
		return e
	}
	e := transcript.Errorf(transcript.UnsupportedPlatform, "The items of the feed are on no platform of this service, and it reads no other recordings.")
	e.Cure = "The operator can let the service read direct links to recordings."
	p := fs.looker.placeOf(account)
	defer p.end()
	got, err := fs.looker.fetch(ctx, p, address, "", "")
	if errors.Is(err, errNoPlace) {
		return transcript.Errorf(transcript.ServiceUnavailable, "The service reads other large feeds. Send the request again.")
	}
	if err != nil {
		return attempt.Coded(err)
	}
	for _, i := range got.feed.Items {
		if match, err := fs.cfg.Sites.Detect(i.Link); err == nil && !match.Short {
			return nil
		}
	}
	return e
}

// listed reads the first n entries of a playlist or a channel, and stops after an entry
// for which known is true.
func (lk *looker) listed(ctx context.Context, s *source, n int, known func(found) bool) (title string, all []found, err error) {
	if !lk.canList(s) {
		return "", nil, transcript.Errorf(transcript.NotImplemented, "This service cannot list the playlists and channels of %s.", s.Platform.Words())
	}
	list := listOf(s)
	for len(all) < n {
		page, err := lk.Lists.List(ctx, list, len(all), min(n-len(all), listPage))
		if err != nil {
			return "", nil, err
		}
		title = page.Title
		seen := false
		for _, e := range page.Entries {
			f := lk.foundInList(s.Platform, e)
			seen = seen || known(f)
			all = append(all, f)
		}
		if page.Last || seen || len(page.Entries) == 0 {
			break
		}
	}
	return title, all, nil
}

const (
	// listPage is how many entries of a list are read at a time.
	listPage = 50
	// longestList is how much of a list is read.
	longestList = batcher.MaxItems
)
