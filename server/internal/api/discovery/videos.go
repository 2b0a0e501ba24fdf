package discovery

import (
	"context"
	"errors"
	"net/http"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

func (d *Discovery) videosRoute() edge.Route {
	return edge.Route{
		Method: http.MethodGet, Pattern: "/v1/video_site/videos",
		Operation: "getVideos", Tag: "discovery",
		Summary: "Describe videos of the video site.",
		Handle:  d.discovering(d.getVideos),
		Query:   videosQuery(new([]string)),
		Answers: []edge.Answer{{Status: http.StatusOK, Body: video.Videos{}}},
		Codes:   codesOfDiscovery(transcript.InvalidVideo, transcript.UnsupportedPlatform),
	}
}

// maxVideos is the largest number of videos in one request.
const maxVideos = 50

// videosQuery is the query of GET /v1/video_site/videos.
func videosQuery(texts *[]string) request.Table {
	return request.Table{Fields: []*request.Field{
		request.New("videoId", texts, request.Commas(1, maxVideos, resource.MaxURL)).Required().
			About("1 to 50 ids of videos, or links to them, separated by commas."),
	}}
}

// getVideos is GET /v1/video_site/videos.
func (d *Discovery) getVideos(w http.ResponseWriter, r *http.Request) error {
	var texts []string
	if err := videosQuery(&texts).ReadQuery(r.URL.RawQuery); err != nil {
		return err
	}
	contents := make([]engine.Content, len(texts))
	for i, text := range texts {
		var err error
		if contents[i], err = d.videoOf(r.Context(), text); err != nil {
			return named(err, text)
		}
	}
	found, missing, err := d.Pipeline.Ask.Videos(r.Context(), contents)
	return resource.Respond(w, video.Videos{Items: orNone(found), NotFound: orNone(missing)}, err)
}

// videoOf returns the video that an id or a link names.
func (d *Discovery) videoOf(ctx context.Context, text string) (engine.Content, error) {
	match, err := d.Sites.Detect(text)
	if err == nil && match.Platform != transcript.VideoSite {
		err = notOnVideoSite(match.Platform)
	}
	if err != nil {
		return engine.Content{}, err
	}
	return d.ContentOf(ctx, match)
}

// named is an error about one of several videos. It names the video.
func named(err error, video string) error {
	var coded *transcript.Error
	if errors.As(err, &coded) {
		return coded.With("videoId", clip.Text(video))
	}
	return err
}
