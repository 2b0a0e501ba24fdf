package dataapi

import (
	"context"
	"errors"
	"html"
	"net/url"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// Search costs two calls: the search itself returns few details, so a second call asks for the
// details of all results. In one channel the API finds 500 videos at most.
func (d *Discovery) Search(ctx context.Context, q video.Search, at engine.Window) (engine.Listing[video.Result], error) {
	switch {
	case ctx.Err() != nil:
		return engine.Listing[video.Result]{}, context.Cause(ctx)
	case !isToken(at.After):
		return engine.Listing[video.Result]{}, engine.NoSuchPage()
	}
	hits, next, err := d.search(ctx, q, at)
	if err != nil {
		return engine.Listing[video.Result]{}, err
	}
	page := engine.Listing[video.Result]{Next: next}
	if page.Items, err = d.details(ctx, q.Type, hits); err != nil {
		return engine.Listing[video.Result]{}, err
	}
	return page, nil
}

// hit is one result of a search, before its details are known.
type hit struct {
	id      string
	snippet snippet // with its texts unchanged
}

func (d *Discovery) search(ctx context.Context, q video.Search, at engine.Window) (hits []hit, next string, err error) {
	order := string(q.Order)
	if q.Order == video.ByViews {
		order = "viewCount"
	}
	query := url.Values{"part": {"snippet"}, "q": {q.Q}, "type": {string(q.Type)}, "order": {order}}
	if q.ChannelID != "" {
		query.Set("channelId", q.ChannelID)
	}
	window(query, at)
	answer, err := get[foundHit](ctx, d, "search", query)
	if err := d.judge(ctx, err, answer.isA(searchAnswer)); err != nil {
		return nil, "", err
	}
	for _, r := range answer.Items {
		h, ok := readHit(q.Type, r)
		if !ok {
			return nil, "", strange(errNoID)
		}
		hits = append(hits, h)
	}
	next, err = nextPage(at, answer.NextPageToken, len(hits))
	return hits, next, err
}

// readHit reads one result of a search. ok is false if the result is not of the wanted type.
func readHit(of video.Type, r *foundHit) (h hit, ok bool) {
	if r == nil {
		return h, false
	}
	h.id = map[video.Type]string{video.TypeVideo: r.ID.VideoID, video.TypeChannel: r.ID.ChannelID, video.TypePlaylist: r.ID.PlaylistID}[of]
	h.snippet = r.Snippet
	h.snippet.Title, h.snippet.ChannelTitle = html.UnescapeString(r.Snippet.Title), html.UnescapeString(r.Snippet.ChannelTitle) // only search answers escape their texts
	return h, h.id != ""
}

// details asks for the details of the hits. A hit that no longer exists keeps what the search
// returned.
func (d *Discovery) details(ctx context.Context, of video.Type, hits []hit) (results []video.Result, err error) {
	if len(hits) == 0 {
		return nil, nil
	}
	var ids []string
	for _, h := range hits {
		ids = append(ids, h.id)
	}
	var result func(hit) video.Result
	switch of {
	case video.TypeChannel:
		result, err = d.channelResults(ctx, ids)
	case video.TypePlaylist:
		result, err = d.playlistResults(ctx, ids)
	case video.TypeVideo:
		result, err = d.videoResults(ctx, ids)
	default:
		err = errors.New("dataapi: a search of no type")
	}
	if err != nil {
		return nil, err
	}
	for _, h := range hits {
		results = append(results, result(h))
	}
	return results, nil
}

func (d *Discovery) videoResults(ctx context.Context, ids []string) (func(hit) video.Result, error) {
	there, err := d.videos(ctx, ids)
	return func(h hit) video.Result {
		found := summary(there, h.id)
		if _, ok := there[h.id]; !ok {
			s := h.snippet
			found = video.Summary{
				VideoID: h.id, Title: known(s.Title), ChannelID: known(s.ChannelID), Channel: known(s.ChannelTitle),
				PublishedAt: published(s.PublishedAt), ThumbnailURL: picture(s.Thumbnails), IsLive: onAir(s.Broadcast),
			}
		}
		return video.Result{Type: video.TypeVideo, Video: &found}
	}, err
}

func (d *Discovery) channelResults(ctx context.Context, ids []string) (func(hit) video.Result, error) {
	all, err := d.channels(ctx, "id", strings.Join(ids, ","))
	there := map[string]video.Channel{}
	for _, c := range all {
		there[c.ChannelID] = c
	}
	return func(h hit) video.Result {
		found, ok := there[h.id]
		if !ok {
			found = d.readChannel(&foundChannel{ID: h.id})
			found.Title, found.ThumbnailURL = known(h.snippet.Title), picture(h.snippet.Thumbnails)
		}
		return video.Result{Type: video.TypeChannel, Channel: &found}
	}, err
}

func (d *Discovery) playlistResults(ctx context.Context, ids []string) (func(hit) video.Result, error) {
	there, err := d.playlists(ctx, ids)
	return func(h hit) video.Result {
		found, ok := there[h.id]
		if !ok {
			s := h.snippet
			found = video.Playlist{
				PlaylistID: h.id, Title: known(s.Title), ChannelID: known(s.ChannelID), Channel: known(s.ChannelTitle), ThumbnailURL: picture(s.Thumbnails),
			}
		}
		return video.Result{Type: video.TypePlaylist, Playlist: &found}
	}, err
}
