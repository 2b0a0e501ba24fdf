package dataapi

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"google.golang.org/api/youtube/v3"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// mostIDs is how many ids one call can name.
const mostIDs = 50

// The kinds of answers.
const (
	searchAnswer    = "youtube#searchListResponse"
	videosAnswer    = "youtube#videoListResponse"
	channelsAnswer  = "youtube#channelListResponse"
	playlistsAnswer = "youtube#playlistListResponse"
	entriesAnswer   = "youtube#playlistItemListResponse"
)

var errNoID = errors.New("an item without an id, or a field without a value")

// videos returns the existing videos among ids, by their ids.
func (d *Discovery) videos(ctx context.Context, ids []string) (map[string]video.Video, error) {
	found := map[string]video.Video{}
	if len(ids) == 0 {
		return found, nil
	}
	call, body := keepBody(ctx)
	answer, err := d.api.Videos.List([]string{"snippet,contentDetails,statistics"}).Id(strings.Join(ids, ",")).Context(call).Do()
	if err := d.judge(ctx, err, answer != nil && answer.Kind == videosAnswer); err != nil {
		return nil, err
	}
	shown, err := readMembers(*body, len(answer.Items))
	if err != nil {
		return nil, strange(err)
	}
	for n, v := range answer.Items {
		if v == nil || v.Id == "" {
			return nil, strange(errNoID)
		}
		found[v.Id] = readVideo(v, shown[n].Statistics)
	}
	return found, nil
}

// channels returns the existing channels that the option which selects.
func (d *Discovery) channels(ctx context.Context, which func(*youtube.ChannelsListCall) *youtube.ChannelsListCall) ([]video.Channel, error) {
	call, body := keepBody(ctx)
	answer, err := which(d.api.Channels.List([]string{"snippet,contentDetails,statistics"})).MaxResults(mostIDs).Context(call).Do()
	if err := d.judge(ctx, err, answer != nil && answer.Kind == channelsAnswer); err != nil {
		return nil, err
	}
	shown, err := readMembers(*body, len(answer.Items))
	if err != nil {
		return nil, strange(err)
	}
	var found []video.Channel
	for n, c := range answer.Items {
		if c == nil || c.Id == "" {
			return nil, strange(errNoID)
		}
		found = append(found, d.readChannel(c, shown[n].Statistics))
	}
	return found, nil
}

// playlists returns the playlists among ids that exist and are public, by their ids.
func (d *Discovery) playlists(ctx context.Context, ids []string) (map[string]video.Playlist, error) {
	call, body := keepBody(ctx)
	answer, err := d.api.Playlists.List([]string{"snippet,contentDetails"}).Id(strings.Join(ids, ",")).MaxResults(mostIDs).Context(call).Do()
	if err := d.judge(ctx, err, answer != nil && answer.Kind == playlistsAnswer); err != nil {
		return nil, err
	}
	shown, err := readMembers(*body, len(answer.Items))
	if err != nil {
		return nil, strange(err)
	}
	found := map[string]video.Playlist{}
	for n, p := range answer.Items {
		if p == nil || p.Id == "" {
			return nil, strange(errNoID)
		}
		found[p.Id] = readPlaylist(p, shown[n].ContentDetails)
	}
	return found, nil
}

// entry is one entry of a playlist.
type entry struct {
	position int
	id       string // of the video
}

// entries returns one page of a playlist's entries, and the token of the next page.
func (d *Discovery) entries(ctx context.Context, playlist string, at engine.Window) (entries []entry, next string, err error) {
	call, body := keepBody(ctx)
	ask := d.api.PlaylistItems.List([]string{"snippet"}).PlaylistId(playlist).MaxResults(int64(at.Max)).Context(call)
	if at.After != "" {
		ask.PageToken(at.After)
	}
	answer, err := ask.Do()
	if err := d.judge(ctx, err, answer != nil && answer.Kind == entriesAnswer); err != nil {
		return nil, "", err
	}
	shown, err := readMembers(*body, len(answer.Items))
	if err != nil {
		return nil, "", strange(err)
	}
	for n, item := range answer.Items {
		if item == nil || item.Snippet == nil || item.Snippet.ResourceId == nil || item.Snippet.ResourceId.VideoId == "" ||
			item.Snippet.Position < 0 || shown[n].Snippet["position"] == nil {
			return nil, "", strange(errNoID)
		}
		entries = append(entries, entry{int(item.Snippet.Position), item.Snippet.ResourceId.VideoId})
	}
	next, err = nextPage(at, answer.NextPageToken, len(entries))
	return entries, next, err
}

// nextPage checks the token that the API names for the next page.
func nextPage(at engine.Window, token string, entries int) (string, error) {
	if !isToken(token) || token != "" && token == at.After || entries > at.Max {
		return "", strange(errors.New("an invalid token for the next page, or more entries than requested"))
	}
	return token, nil
}

// isToken reports whether a text can be one of the API's page tokens, which are below 200
// bytes; the empty one names the first page.
func isToken(text string) bool { return pageToken.MatchString(text) }

var pageToken = regexp.MustCompile(`\A[A-Za-z0-9_.=-]{0,512}\z`)
