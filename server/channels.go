package server

import (
	"net/http"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

func (s *Server) channelRoutes() []route {
	return []route{
		{
			method: http.MethodGet, pattern: "/v1/video_site/channels",
			operation: "getChannel", tag: "discovery",
			summary: "Describe a channel of the video site.",
			handle:  s.discovering(s.getChannel),
			query:   channelQuery(new(string)),
			answers: []answer{{status: http.StatusOK, body: video.ChannelFound{}}},
			codes:   codesOfDiscovery(transcript.InvalidVideo, transcript.UnsupportedPlatform, transcript.Unavailable),
		},
		{
			method: http.MethodGet, pattern: "/v1/video_site/channels/{channelId}/videos",
			operation: "listChannelVideos", tag: "discovery",
			summary: "List what a channel of the video site has uploaded, newest first.",
			handle:  s.discovering(s.listChannelVideos),
			path:    channelPath(new(string)), query: new(uploadsRequest).table(),
			answers: []answer{{status: http.StatusOK, body: video.Uploads{}}},
			codes:   codesOfDiscovery(transcript.Unavailable),
		},
	}
}

// channelQuery is the query of GET /v1/video_site/channels.
func channelQuery(text *string) request.Table {
	return request.Table{
		Fields: []*request.Field{
			request.New("channel", text, request.Text(1, maxURL)).About("The id of a channel, its @handle, or a link to it."),
			request.New("channelId", text, request.Text(1, maxURL)).About("The same as channel."),
		},
		OneOf: [][]string{{"channel"}, {"channelId"}},
	}
}

// getChannel is GET /v1/video_site/channels.
func (s *Server) getChannel(w http.ResponseWriter, r *http.Request) error {
	var text string
	if err := channelQuery(&text).ReadQuery(r.URL.RawQuery); err != nil {
		return err
	}
	match, err := s.channelOf(text)
	if err != nil {
		return err
	}
	found, err := s.pipeline.Channel(r.Context(), listNamed(engine.ChannelList, match))
	if err != nil {
		return err
	}
	s.respondJSON(r.Context(), w, http.StatusOK, video.ChannelFound{Channel: found})
	return nil
}

// channelOf is the channel of the video site that a text means: an id, a name or a link.
func (s *Server) channelOf(text string) (site.Match, error) {
	match, err := s.cfg.Sites.Channel(text)
	if err == nil && match.Platform != transcript.VideoSite {
		err = notOnVideoSite(match.Platform)
	}
	return match, err
}

// channelPath is the path of the routes about a channel.
func channelPath(text *string) request.Table {
	return request.Table{Fields: []*request.Field{
		request.New("channelId", text, request.Text(1, maxExternalID)).Required().About("The id of a channel, or its @handle."),
	}}
}

// channelInPath is the channel that a path names. A link in the place of an id, and what
// is none at all, is no such route.
func (s *Server) channelInPath(r *http.Request) (match site.Match, err error) {
	var text string
	if !channelPath(&text).ReadPath(r.PathValue) || strings.Contains(text, "/") {
		return match, errUnknownRoute
	}
	if match, err = s.channelOf(text); err != nil || match.ExternalID != text {
		return match, errUnknownRoute
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
		request.New("type", &req.kind, request.EnumOf("UploadKind", video.Kinds()).Default(video.All)).About("Which uploads are listed."),
	}, req.fields(maxFound, usualListed)...)}
}

// listChannelVideos is GET /v1/video_site/channels/{channelId}/videos.
func (s *Server) listChannelVideos(w http.ResponseWriter, r *http.Request) error {
	var req uploadsRequest
	at, err := req.read(r, req.table())
	if err != nil {
		return err
	}
	match, err := s.channelInPath(r)
	if err != nil {
		return err
	}
	found, err := s.pipeline.Uploads(r.Context(), listNamed(engine.ChannelList, match), req.kind, at)
	if err != nil {
		return err
	}
	s.respondJSON(r.Context(), w, http.StatusOK, video.Uploads{
		ChannelID: found.ID, Items: orNone(found.Items), NextPageToken: req.next(found.Next),
	})
	return nil
}
