package discovery

import (
	"context"
	"slices"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// InfoCall is GET /v1/transcript/info.
func (c *Captions) InfoCall() resource.Call {
	src := new(resource.Source)
	return resource.Call{Table: infoQuery(src), Answer: func(ctx context.Context, p account.Principal) (any, error) {
		return c.info(ctx, p, *src)
	}}
}

// SearchCall is GET /v1/video_site/search.
func (d *Discovery) SearchCall() resource.Call {
	req := new(videoSearchRequest)
	table := req.table()
	return d.call(table, func(ctx context.Context, p account.Principal) (any, error) {
		at, err := req.at(resource.ListOf(p, "searchVideoSite", table))
		if err != nil {
			return nil, err
		}
		return d.search(ctx, req, at)
	})
}

// UploadsCall is GET /v1/video_site/channels/{channelId}/videos. Here channelId may also be a
// link.
func (d *Discovery) UploadsCall() resource.Call {
	var text string
	req := new(uploadsRequest)
	table := req.table()
	table.Fields = slices.Concat(channelPath(&text).Fields, table.Fields)
	return d.call(table, func(ctx context.Context, p account.Principal) (any, error) {
		at, err := req.at(resource.ListOf(p, "listChannelVideos", table))
		var match site.Match
		if err == nil {
			match, err = d.channelOf(text)
		}
		if err != nil {
			return nil, err
		}
		return d.uploads(ctx, match, req, at)
	})
}

// ItemsCall is GET /v1/video_site/playlists/{playlistId}/items. Here playlistId may also be a
// link.
func (d *Discovery) ItemsCall() resource.Call {
	var text string
	req := new(discovered)
	table := request.Table{Fields: slices.Concat(playlistPath(&text).Fields, req.Fields(maxFound, usualListed))}
	return d.call(table, func(ctx context.Context, p account.Principal) (any, error) {
		at, err := req.at(resource.ListOf(p, "listPlaylistItems", table))
		var match site.Match
		if err == nil {
			match, err = d.playlistOf(text)
		}
		if err != nil {
			return nil, err
		}
		return d.items(ctx, match, req, at)
	})
}

// call is a Call of a route about the video site.
func (d *Discovery) call(table request.Table, answer func(context.Context, account.Principal) (any, error)) resource.Call {
	return resource.Call{Table: table, Answer: func(ctx context.Context, p account.Principal) (any, error) {
		if err := d.Pipeline.Ask.CanDiscover(ctx); err != nil {
			return nil, err
		}
		return answer(ctx, p)
	}}
}

// playlistOf returns the playlist of the video site that a text names by its id or link.
func (d *Discovery) playlistOf(text string) (site.Match, error) {
	match, err := d.Sites.Playlist(text)
	if err == nil && match.Platform != transcript.VideoSite {
		err = notOnVideoSite(match.Platform)
	}
	return match, err
}
