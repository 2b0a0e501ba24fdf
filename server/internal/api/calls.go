package api

import (
	"context"
	"slices"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/ask"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// SearchLibrary is GET /v1/library/search.
func (a *API) SearchLibrary() resource.Call {
	asked := new(searchRequest)
	table := asked.query()
	return resource.Call{Table: table, Answer: func(ctx context.Context, p account.Principal) (any, error) {
		return a.search.find(ctx, p.Account, resource.ListOf(p, "searchLibrary", table), asked)
	}}
}

// ListLibrary is GET /v1/library/transcripts.
func (a *API) ListLibrary() resource.Call {
	q := new(library.Query)
	return resource.Call{Table: libraryQuery(q), Answer: func(ctx context.Context, p account.Principal) (any, error) {
		return a.library.pipeline.Library.Page(ctx, p.Account, *q)
	}}
}

// ListChunks is GET /v1/library/transcripts/{platform}/{externalId}/chunks. A page has usual
// chunks if the request does not say how many.
func (a *API) ListChunks(usual int) resource.Call {
	asked := new(chunkList)
	table := asked.query(usual)
	table.Fields = slices.Concat(libraryPath(&asked.key).Fields, table.Fields)
	return resource.Call{Table: table, Answer: func(ctx context.Context, p account.Principal) (any, error) {
		if err := a.library.checkKey(asked.key); err != nil {
			return nil, subject.NotSaved().Because(err)
		}
		list := resource.ListOf(p, "listChunks", table)
		from, saved, err := a.library.chunksOf(ctx, p.Account, list, asked)
		if err != nil {
			return nil, err
		}
		t, err := a.library.pipeline.Library.SavedTimedText(ctx, saved)
		if err != nil {
			return nil, err
		}
		return a.library.chunkPage(t, *asked, list, from)
	}}
}

// TranscriptInfo is GET /v1/transcript/info.
func (a *API) TranscriptInfo() resource.Call {
	src := new(resource.Source)
	return resource.Call{Table: infoQuery(src), Answer: func(ctx context.Context, p account.Principal) (any, error) {
		content, err := a.info.contents.Find(ctx, *src)
		if err != nil {
			return nil, err
		}
		return a.info.pipeline.Ask.Info(ctx, ask.Question{Account: p.Account, Plan: p.Plan, Content: content})
	}}
}

// SearchVideoSite is GET /v1/video_site/search.
func (a *API) SearchVideoSite() resource.Call {
	req := new(videoSearchRequest)
	table := req.table()
	return a.discovery.call(table, func(ctx context.Context, p account.Principal) (any, error) {
		at, err := req.at(resource.ListOf(p, "searchVideoSite", table))
		if err != nil {
			return nil, err
		}
		return a.discovery.search(ctx, req, at)
	})
}

// ListChannelVideos is GET /v1/video_site/channels/{channelId}/videos. Here channelId may also be a
// link.
func (a *API) ListChannelVideos() resource.Call {
	var text string
	req := new(uploadsRequest)
	table := req.table()
	table.Fields = slices.Concat(channelPath(&text).Fields, table.Fields)
	return a.discovery.call(table, func(ctx context.Context, p account.Principal) (any, error) {
		at, err := req.at(resource.ListOf(p, "listChannelVideos", table))
		var match site.Match
		if err == nil {
			match, err = a.discovery.channelOf(text)
		}
		if err != nil {
			return nil, err
		}
		return a.discovery.uploads(ctx, match, req, at)
	})
}

// ListPlaylistItems is GET /v1/video_site/playlists/{playlistId}/items. Here playlistId may also be a
// link.
func (a *API) ListPlaylistItems() resource.Call {
	var text string
	req := new(discovered)
	table := request.Table{Fields: slices.Concat(playlistPath(&text).Fields, req.Fields(maxFound, usualListed))}
	return a.discovery.call(table, func(ctx context.Context, p account.Principal) (any, error) {
		at, err := req.at(resource.ListOf(p, "listPlaylistItems", table))
		var match site.Match
		if err == nil {
			match, err = a.discovery.playlistOf(text)
		}
		if err != nil {
			return nil, err
		}
		return a.discovery.items(ctx, match, req, at)
	})
}

// call is a Call about the video site.
func (d *discovery) call(table request.Table, answer func(context.Context, account.Principal) (any, error)) resource.Call {
	return resource.Call{Table: table, Answer: func(ctx context.Context, p account.Principal) (any, error) {
		if err := d.pipeline.Ask.CanDiscover(ctx); err != nil {
			return nil, err
		}
		return answer(ctx, p)
	}}
}

// playlistOf is the playlist of the video site that a text means: an id or a link.
func (d *discovery) playlistOf(text string) (site.Match, error) {
	match, err := d.sites.Playlist(text)
	if err == nil && match.Platform != transcript.VideoSite {
		err = notOnVideoSite(match.Platform)
	}
	return match, err
}
