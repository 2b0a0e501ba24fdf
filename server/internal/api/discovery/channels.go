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
	"github.com/transcriptkit/transcriptkit/transcript/site"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

func (d *Discovery) channelRoutes() []edge.Route {
	return []edge.Route{
		{
			Method: http.MethodGet, Pattern: "/v1/video_site/channels",
			Operation: "getChannel", Tag: "discovery",
			Summary: "Describe a channel of the video site.",
			Handle:  d.discovering(d.getChannel),
			Query:   channelQuery(new(string)),
			Answers: []edge.Answer{{Status: http.StatusOK, Body: video.ChannelFound{}}},
			Codes:   codesOfDiscovery(transcript.InvalidVideo, transcript.UnsupportedPlatform, transcript.Unavailable),
		},
		{
			Method: http.MethodGet, Pattern: "/v1/video_site/channels/{channelId}/videos",
			Operation: "listChannelVideos", Tag: "discovery",
			Summary: "List the uploads of a channel of the video site, newest first.",
			Handle:  d.discovering(d.listChannelVideos),
			Path:    channelPath(new(string)), Query: new(uploadsRequest).table(),
			Answers: []edge.Answer{{Status: http.StatusOK, Body: video.Uploads{}}},
			Codes:   codesOfDiscovery(transcript.Unavailable),
		},
	}
}

// channelQuery is the query of GET /v1/video_site/channels.
func channelQuery(text *string) request.Table {
	return request.Table{
		Fields: []*request.Field{
			request.New("channel", text, request.Text(1, resource.MaxURL)).About("The id of a channel, its @handle, or a link to it."),
			request.New("channelId", text, request.Text(1, resource.MaxURL)).About("The same as channel."),
		},
		OneOf: [][]string{{"channel"}, {"channelId"}},
	}
}

// getChannel is GET /v1/video_site/channels.
func (d *Discovery) getChannel(w http.ResponseWriter, r *http.Request) error {
	var text string
	if err := channelQuery(&text).ReadQuery(r.URL.RawQuery); err != nil {
		return err
	}
	match, err := d.channelOf(text)
	if err != nil {
		return err
	}
	found, err := d.Pipeline.Ask.Channel(r.Context(), resource.ListNamed(engine.ChannelList, match))
	return resource.Respond(w, video.ChannelFound{Channel: found}, err)
}

// channelOf returns the channel of the video site that a text names by its id, name or
// link.
func (d *Discovery) channelOf(text string) (site.Match, error) {
	match, err := d.Sites.Channel(text)
	if err == nil && match.Platform != transcript.VideoSite {
		err = notOnVideoSite(match.Platform)
	}
	return match, err
}

// channelPath is the path of the routes about a channel.
func channelPath(text *string) request.Table {
	return request.Table{Fields: []*request.Field{
		request.New("channelId", text, request.Text(1, resource.MaxExternalID)).Required().About("The id of a channel, or its @handle."),
	}}
}

// channelInPath returns the channel that a path names. If the path has a link or an
// invalid id, the route does not exist.
func (d *Discovery) channelInPath(r *http.Request) (match site.Match, err error) {
	var text string
	if !channelPath(&text).ReadPath(r.PathValue) || strings.Contains(text, "/") {
		return match, edge.ErrUnknownRoute
	}
	if match, err = d.channelOf(text); err != nil || match.ExternalID != text {
		return match, edge.ErrUnknownRoute
	}
	return match, nil
}

// uploadsRequest is the query of GET /v1/video_site/channels/{channelId}/videos.
type uploadsRequest struct {
	discovered
	kind video.Kind
}

func (req *uploadsRequest) table() request.Table {
	return request.Table{Fields: append([]*request.Field{
		request.New("type", &req.kind, request.Enum(video.Kinds()).Default(video.All)).About("Which uploads are listed."),
	}, req.Fields(maxFound, usualListed)...)}
}

// listChannelVideos is GET /v1/video_site/channels/{channelId}/videos.
func (d *Discovery) listChannelVideos(w http.ResponseWriter, r *http.Request) error {
	var req uploadsRequest
	at, err := req.read(r, req.table())
	if err != nil {
		return err
	}
	match, err := d.channelInPath(r)
	if err != nil {
		return err
	}
	found, err := d.uploads(r.Context(), match, &req, at)
	return resource.Respond(w, found, err)
}

// uploads is a page of a channel's uploads.
func (d *Discovery) uploads(ctx context.Context, channel site.Match, req *uploadsRequest, at engine.Window) (*video.Uploads, error) {
	found, err := d.Pipeline.Ask.Uploads(ctx, resource.ListNamed(engine.ChannelList, channel), req.kind, at)
	if err != nil {
		return nil, err
	}
	return &video.Uploads{ChannelID: found.ID, Items: orNone(found.Items), NextPageToken: req.next(found.Next)}, nil
}
