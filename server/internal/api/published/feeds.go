package published

import (
	"errors"
	"net/http"
	"regexp"
	"time"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/server/internal/textfeed"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Feeds gives accounts the address of a feed of their new texts, and serves the feeds.
type Feeds struct {
	*resource.Shared
	Store *textfeed.Feeds
}

// feedsPath is the path of all feeds.
const feedsPath = "/v1/feeds/"

// Routes are the routes of the feeds of new texts.
func (f *Feeds) Routes() []edge.Route {
	own := func(method, operation, summary string, handle func(http.ResponseWriter, *http.Request) error, answer edge.Answer) edge.Route {
		return edge.Route{
			Method: method, Pattern: "/v1/feed", Operation: operation, Tag: "library", Summary: summary,
			Scope: account.Transcripts, Handle: handle, Answers: []edge.Answer{answer},
		}
	}
	return []edge.Route{
		own(http.MethodGet, "getFeed", "Check whether the account has a feed of its new transcripts.",
			f.getFeed, edge.Answer{Status: http.StatusOK, Body: library.FeedState{}}),
		own(http.MethodPut, "renewFeed", "Create a feed of the account's new transcripts, or change its private address.",
			f.renewFeed, edge.Answer{Status: http.StatusCreated, Body: library.NewFeed{}}),
		own(http.MethodDelete, "deleteFeed", "Delete the feed.",
			f.deleteFeed, edge.Answer{Status: http.StatusNoContent}),
		{
			Method: http.MethodGet, Pattern: feedsPath + "{token}", Open: true, ByAddress: true,
			Operation: "readFeed", Tag: "library", Summary: "Read the new transcripts of an account as an Atom feed.",
			Handle: f.readFeed, Path: feedPath(new(string)),
			Answers: resource.Tagged(edge.Answer{Status: http.StatusOK, ContentType: "application/atom+xml", Body: ""}),
			Codes:   []transcript.Code{transcript.NotFound},
		},
	}
}

// feedPath is the path of a feed.
func feedPath(token *string) request.Table {
	return request.Table{Fields: []*request.Field{
		request.New("token", token, request.Text(1, maxToken)).Required().About("The secret part of the address."),
	}}
}

// maxToken is the largest number of characters in a token.
const maxToken = 200

// secretToken is the grammar of tokens.
var secretToken = regexp.MustCompile(`^[0-9A-Za-z_-]{43}$`)

// getFeed is GET /v1/feed.
func (f *Feeds) getFeed(w http.ResponseWriter, r *http.Request) error {
	feed, err := f.Store.Of(r.Context(), edge.Principal(r).Account)
	if errors.Is(err, textfeed.ErrNone) {
		return edge.RespondJSON(w, http.StatusOK, library.FeedState{})
	}
	if err != nil {
		return err
	}
	return edge.RespondJSON(w, http.StatusOK, library.FeedState{Feed: &library.Feed{ID: feed.ID, CreatedAt: transcript.At(feed.CreatedAt)}})
}

// renewFeed is PUT /v1/feed. Readers present no credential, so the service itself must be able
// to find out whether the account may still use it.
func (f *Feeds) renewFeed(w http.ResponseWriter, r *http.Request) error {
	own := edge.Principal(r).Account
	if err := f.Checker.CheckAccount(r.Context(), own); errors.Is(err, account.ErrNotFound) {
		return transcript.Errorf(transcript.Forbidden, "Accounts that this service does not keep itself have no feed.")
	} else if err != nil {
		return err
	}
	feed, token, err := f.Store.Renew(r.Context(), own)
	if err != nil {
		return err
	}
	return edge.RespondJSON(w, http.StatusCreated, library.NewFeed{
		Feed: library.Feed{ID: feed.ID, CreatedAt: transcript.At(feed.CreatedAt)}, URL: f.BasePath + feedsPath + token,
	})
}

// deleteFeed is DELETE /v1/feed.
func (f *Feeds) deleteFeed(w http.ResponseWriter, r *http.Request) error {
	if err := f.Store.Delete(r.Context(), edge.Principal(r).Account); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// readFeed is GET /v1/feeds/{token}.
func (f *Feeds) readFeed(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	h.Set("X-Robots-Tag", "noindex, nofollow")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox") // a browser shows the feed as a document of this origin
	feed, err := f.at(r)
	if err != nil {
		return err
	}
	entries, err := f.Store.Entries(r.Context(), feed.Account)
	if err != nil {
		return err
	}
	etag, err := edge.TagOf(feedWriter, feed.ID, feed.CreatedAt, entries)
	if err != nil {
		return err
	}
	if edge.Unchanged(w, r, etag) {
		return nil
	}
	if f.unmodified(w, r, textfeed.Updated(feed, entries)) {
		return nil
	}
	body, err := f.Recent.Remembered(etag, func() (*packed.Body, error) {
		if err := f.Store.Excerpts(r.Context(), entries); err != nil {
			return nil, err
		}
		atom, err := textfeed.Atom(feed, entries)
		return packed.NewBody(packed.Pack(atom)), err
	})
	if err != nil {
		return err
	}
	return edge.RespondPacked(w, r, textfeed.MediaType, http.StatusOK, body)
}

// feedWriter changes whenever the bytes that are written for the same entries change.
const feedWriter = "feed1"

// at returns the feed of a request if its account may use the service. For any other
// token the error is NOT_FOUND.
func (f *Feeds) at(r *http.Request) (textfeed.Feed, error) {
	none := transcript.Errorf(transcript.NotFound, "There is no feed at this address.")
	var token string
	if !feedPath(&token).ReadPath(r.PathValue) || !secretToken.MatchString(token) {
		return textfeed.Feed{}, none
	}
	feed, err := f.Store.At(r.Context(), token)
	if err == nil {
		err = f.Checker.CheckAccount(r.Context(), feed.Account)
	}
	if errors.Is(err, textfeed.ErrNone) || shutOut(err) {
		return textfeed.Feed{}, none
	}
	return feed, err
}

// settled is how old the last change of a feed must be before Last-Modified shows it.
// Another transaction may still write a text with an earlier time.
const settled = time.Minute

// unmodified answers 304 to a reader that sends the time of the last change but no ETag. A
// reader gets the time only if no earlier time can follow.
func (f *Feeds) unmodified(w http.ResponseWriter, r *http.Request, changed time.Time) bool {
	if time.Since(changed) < settled {
		return false
	}
	changed = changed.Truncate(time.Second)
	w.Header().Set("Last-Modified", changed.UTC().Format(http.TimeFormat))
	known, err := http.ParseTime(r.Header.Get("If-Modified-Since"))
	if err != nil || r.Header.Get("If-None-Match") != "" || !known.Equal(changed) { // no such time, or an ETag, which has precedence
		return false
	}
	w.WriteHeader(http.StatusNotModified)
	return true
}
