// Package discovery has the routes that answer from the platforms without a job: captions, the
// content of a link, and the searches and lists of the video site. Package ask works.
package discovery

import (
	"net/http"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/ask"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Discovery shows the content of the video site.
type Discovery struct{ *resource.Shared }

// Routes are the routes that search and list the video site.
func (d *Discovery) Routes() []edge.Route {
	return append(d.channelRoutes(), d.searchRoute(), d.videosRoute(), d.itemsRoute())
}

// codesOfDiscovery are the error codes of a request that asks the video site.
func codesOfDiscovery(more ...transcript.Code) []transcript.Code {
	return append(more,
		transcript.InvalidRequest, transcript.UpstreamFailed, transcript.IPBlocked,
		transcript.POTokenRequired, transcript.LoginRequired, transcript.ConfigError, transcript.NotImplemented,
	)
}

// discovering is a handler of a route of discovery. If the service cannot ask the video
// site, the handler refuses the request without reading it.
func (d *Discovery) discovering(h func(http.ResponseWriter, *http.Request) error) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := d.Pipeline.Ask.CanDiscover(r.Context()); err != nil {
			return err
		}
		return h(w, r)
	}
}

// discovered is the requested page of a list of the video site.
type discovered struct {
	resource.Paging
	list resource.Listing
}

// read reads the query, which contains the fields of the page, and returns the requested part
// of the list.
func (d *discovered) read(r *http.Request, query request.Table) (at engine.Window, err error) {
	if err := query.ReadQuery(r.URL.RawQuery); err != nil {
		return at, err
	}
	return d.at(resource.ListingOf(r, query))
}

// at is the requested part of the list.
func (d *discovered) at(list resource.Listing) (at engine.Window, err error) {
	d.list = list
	// JSON writes bytes without escapes, so every place fits into a token.
	var after []byte
	if err := d.list.After(d.PageToken, &after); err != nil {
		return at, err
	}
	if d.PageToken != "" && !ask.ValidNext(string(after)) {
		return at, resource.InvalidPageToken("is no token of this service")
	}
	return engine.Window{After: string(after), Max: d.MaxResults}, nil
}

// next returns the token of the page that begins at a place, or empty if there is none.
func (d *discovered) next(at string) string {
	if at == "" {
		return ""
	}
	return d.list.Token([]byte(at))
}

func notOnVideoSite(p transcript.Platform) error {
	return transcript.Errorf(transcript.UnsupportedPlatform, "Only what is on %s can be looked up: this is a link to %s.", transcript.VideoSite.Words(), p.Words())
}
