package discovery

import (
	"context"
	"net/http"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

func (d *Discovery) searchRoute() edge.Route {
	return edge.Route{
		Method: http.MethodGet, Pattern: "/v1/video_site/search",
		Operation: "searchVideoSite", Tag: "discovery",
		Summary: "Find videos, channels or playlists of the video site.",
		Handle:  d.discovering(d.searchVideoSite),
		Query:   new(videoSearchRequest).table(),
		Answers: []edge.Answer{{Status: http.StatusOK, Body: video.Found{}}},
		Codes:   codesOfDiscovery(transcript.InvalidVideo, transcript.UnsupportedPlatform, transcript.Unavailable),
	}
}

// Bounds of a page of results, and of the text of a search.
const (
	maxFound       = 50
	usualFound     = 20
	maxVideoSearch = 200 // characters
)

// videoSearchRequest is the query of GET /v1/video_site/search.
type videoSearchRequest struct {
	discovered
	search video.Search
}

func (req *videoSearchRequest) table() request.Table {
	return request.Table{Fields: append([]*request.Field{
		request.New("q", &req.search.Q, request.Plain(1, maxVideoSearch)).Required().About("What is searched for."),
		request.New("type", &req.search.Type, request.Enum(video.Types()).Default(video.TypeVideo)).
			About("What is found."),
		request.New("order", &req.search.Order, request.Enum(video.Orders()).Default(video.ByRelevance)).
			About("What comes first."),
		request.New("channelId", &req.search.ChannelID, request.Text(1, resource.MaxURL)).
			About("Only results of this channel: its id, or a link with the id."),
	}, req.Fields(maxFound, usualFound)...)}
}

// searchVideoSite is GET /v1/video_site/search.
func (d *Discovery) searchVideoSite(w http.ResponseWriter, r *http.Request) error {
	var req videoSearchRequest
	at, err := req.read(r, req.table())
	if err != nil {
		return err
	}
	found, err := d.search(r.Context(), &req, at)
	return resource.Respond(w, found, err)
}

// search is a page of the results of the video site.
func (d *Discovery) search(ctx context.Context, req *videoSearchRequest, at engine.Window) (*video.Found, error) {
	if strings.TrimSpace(req.search.Q) == "" {
		return nil, request.Invalid(http.StatusBadRequest, transcript.Issue{Path: "q", Reason: transcript.IssueLength, Message: "must not be blank"})
	}
	search := req.search
	if search.ChannelID != "" {
		var err error
		if search.ChannelID, err = d.channelByID(search.ChannelID); err != nil {
			return nil, err
		}
	}
	found, err := d.Pipeline.Ask.Search(ctx, search, at)
	if err != nil {
		return nil, err
	}
	return &video.Found{
		Query: search.Q, Type: search.Type, Items: orNone(found.Items), NextPageToken: req.next(found.Next),
	}, nil
}

// channelByID returns the id of the channel that a text names. It refuses the name of a
// channel.
func (d *Discovery) channelByID(text string) (string, error) {
	match, err := d.channelOf(text)
	if err != nil {
		return "", err
	}
	if match.Named {
		return "", transcript.Errorf(transcript.InvalidVideo, "A search within a channel takes the id of the channel, and not its name.")
	}
	return match.ExternalID, nil
}

// orNone makes JSON write [] for an empty list.
func orNone[T any](entries []T) []T {
	if entries == nil {
		return []T{}
	}
	return entries
}
