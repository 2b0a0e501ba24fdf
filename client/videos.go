package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// VideoService finds videos, channels and playlists on the video site. A field is nil
// if the site does not provide it.
//
// If the service cannot ask the site, the error is an [*Error] with one of the codes
// UPSTREAM_FAILED, IP_BLOCKED, LOGIN_REQUIRED and PO_TOKEN_REQUIRED; the service never
// returns a shortened list instead. NOT_IMPLEMENTED means that the service is not
// configured to ask the site, or that its configuration does not support the parameter
// in Details["parameter"].
//
// A page of a list has 1 to 50 entries. A page is shorter than the requested size if
// the site gives fewer entries. A page's Next is valid for the same list and the same
// account, for as long as the site remembers it. After that, the error is an [*Error]
// with the code INVALID_REQUEST.
type VideoService struct{ client *Client }

// mostDiscovered is the largest page of what there is on the video site.
const mostDiscovered = 50

// Search returns a page of the video site's results for a search. A page has at.Size
// entries, 20 by default. If nothing matches, the page is empty and there is no error.
func (s *VideoService) Search(ctx context.Context, search video.Search, at PageParams, opts ...RequestOption) (*Page[video.Result], error) {
	query := at.query()
	query.Set("q", search.Q)
	for name, value := range map[string]string{
		"type": string(search.Type), "order": string(search.Order), "channelId": search.ChannelID,
	} {
		if value != "" {
			query.Set(name, value)
		}
	}
	var found video.Found
	answer, err := s.get(ctx, "/v1/video_site/search", query, &found, opts)
	if err != nil {
		return nil, err
	}
	if found.Items == nil || slices.ContainsFunc(found.Items, lacksMember) {
		return nil, answer.malformed(errors.New("no items, or an item without the member that its type names"))
	}
	return &Page[video.Result]{Items: found.Items, Next: found.NextPageToken}, nil
}

// lacksMember tells that a result has not the member that its type names.
func lacksMember(r video.Result) bool {
	switch r.Type {
	case video.TypeVideo:
		return r.Video == nil
	case video.TypeChannel:
		return r.Channel == nil
	case video.TypePlaylist:
		return r.Playlist == nil
	}
	return false // a newer service may find more
}

// AllSearch yields all results of a search: see [VideoService.Search]. The site ends a
// search after some hundreds of results. AllSearch requests a page when the loop
// reaches it. An error is the last value of the sequence. Each range starts with the
// first result.
func (s *VideoService) AllSearch(ctx context.Context, search video.Search, opts ...RequestOption) iter.Seq2[video.Result, error] {
	opts = slices.Clone(opts)
	return all(PageParams{Size: mostDiscovered}, func(at PageParams) (*Page[video.Result], error) {
		return s.Search(ctx, search, at, opts...)
	})
}

// Get describes 1 to 50 videos by their ids or links, in their order. Missing, private
// and removed videos are in NotFound of the answer, and Get returns no error for them,
// even if it finds no video at all.
func (s *VideoService) Get(ctx context.Context, videos []string, opts ...RequestOption) (*video.Videos, error) {
	if n := len(videos); n < 1 || n > mostDiscovered {
		return nil, fmt.Errorf("client: %d videos: want 1 to %d", n, mostDiscovered)
	}
	for _, v := range videos {
		if strings.TrimSpace(v) == "" || strings.Contains(v, ",") { // which would be more than one
			return nil, fmt.Errorf("client: %q is neither the id of a video nor a link", v)
		}
	}
	var found video.Videos
	answer, err := s.get(ctx, "/v1/video_site/videos", url.Values{"videoId": {strings.Join(videos, ",")}}, &found, opts)
	if err != nil {
		return nil, err
	}
	if len(found.Items)+len(found.NotFound) != len(videos) {
		return nil, answer.malformed(fmt.Errorf("it tells of %d videos and not of %d", len(found.Items)+len(found.NotFound), len(videos)))
	}
	if slices.ContainsFunc(found.Items, func(v video.Video) bool { return v.VideoID == "" }) {
		return nil, answer.malformed(errors.New("a video has no id"))
	}
	return &found, nil
}

// Channel describes a channel by its id, its @handle or a link. If the channel does not
// exist, the error is an [*Error] with the code UNAVAILABLE.
func (s *VideoService) Channel(ctx context.Context, channel string, opts ...RequestOption) (*video.Channel, error) {
	if channel == "" {
		return nil, errors.New("client: empty channel")
	}
	var found video.ChannelFound
	answer, err := s.get(ctx, "/v1/video_site/channels", url.Values{"channel": {channel}}, &found, opts)
	if err != nil {
		return nil, err
	}
	if found.Channel.ChannelID == "" {
		return nil, answer.malformed(errors.New("it has no channel with an id"))
	}
	return &found.Channel, nil
}

// Uploads returns a page of a channel's uploads, newest first. channel is an id or a
// @handle. A page has at.Size entries, 30 by default. An empty kind is [video.All]. If
// the channel does not exist, the error is an [*Error] with the code UNAVAILABLE. If
// channel is neither an id nor a handle, the error is an [*Error] with the Slug
// not_found.
func (s *VideoService) Uploads(ctx context.Context, channel string, kind video.Kind, at PageParams, opts ...RequestOption) (*Page[video.Summary], error) {
	channel, err := segment("channel", channel)
	if err != nil {
		return nil, err
	}
	query := at.query()
	if kind != "" {
		query.Set("type", string(kind))
	}
	var uploads video.Uploads
	answer, err := s.get(ctx, "/v1/video_site/channels/"+channel+"/videos", query, &uploads, opts)
	if err != nil {
		return nil, err
	}
	if uploads.Items == nil {
		return nil, answer.malformed(errors.New("it has no items"))
	}
	return &Page[video.Summary]{Items: uploads.Items, Next: uploads.NextPageToken}, nil
}

// AllUploads yields all uploads of a channel, newest first. It pages as
// [VideoService.AllSearch] does.
func (s *VideoService) AllUploads(ctx context.Context, channel string, kind video.Kind, opts ...RequestOption) iter.Seq2[video.Summary, error] {
	opts = slices.Clone(opts)
	return all(PageParams{Size: mostDiscovered}, func(at PageParams) (*Page[video.Summary], error) {
		return s.Uploads(ctx, channel, kind, at, opts...)
	})
}

// Items returns a page of a playlist's entries, in the playlist's order. A page has
// at.Size entries, 30 by default. A removed or private video stays in the list with
// Available false. If the playlist does not exist, the error is an [*Error] with the
// code UNAVAILABLE. If playlistID is not an id, the error is an [*Error] with the Slug
// not_found.
func (s *VideoService) Items(ctx context.Context, playlistID string, at PageParams, opts ...RequestOption) (*Page[video.Item], error) {
	id, err := segment("playlist id", playlistID)
	if err != nil {
		return nil, err
	}
	var items video.Items
	answer, err := s.get(ctx, "/v1/video_site/playlists/"+id+"/items", at.query(), &items, opts)
	if err != nil {
		return nil, err
	}
	if items.Items == nil {
		return nil, answer.malformed(errors.New("it has no items"))
	}
	return &Page[video.Item]{Items: items.Items, Next: items.NextPageToken}, nil
}

// AllItems yields all entries of a playlist, in its order. It pages as
// [VideoService.AllSearch] does.
func (s *VideoService) AllItems(ctx context.Context, playlistID string, opts ...RequestOption) iter.Seq2[video.Item, error] {
	opts = slices.Clone(opts)
	return all(PageParams{Size: mostDiscovered}, func(at PageParams) (*Page[video.Item], error) {
		return s.Items(ctx, playlistID, at, opts...)
	})
}

// get sends a GET and decodes the answer.
func (s *VideoService) get(ctx context.Context, path string, query url.Values, into any, opts []RequestOption) (*answer, error) {
	answer, err := s.client.send(ctx, http.MethodGet, withQuery(path, query), payload{}, opts)
	if err != nil {
		return nil, err
	}
	return answer, answer.decode(into)
}
