package dataapi

import (
	"context"
	"errors"
	"net/url"
	"regexp"
	"strconv"
	"strings"

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

// details are the parts of a video or a channel to ask for.
const details = "snippet,contentDetails,statistics"

// videos returns the existing videos among ids, by their ids.
func (d *Discovery) videos(ctx context.Context, ids []string) (map[string]video.Video, error) {
	found := map[string]video.Video{}
	if len(ids) == 0 {
		return found, nil
	}
	answer, err := get[foundVideo](ctx, d, "videos", url.Values{"part": {details}, "id": {strings.Join(ids, ",")}})
	if err := d.judge(ctx, err, answer.isA(videosAnswer)); err != nil {
		return nil, err
	}
	for _, v := range answer.Items {
		if v == nil || v.ID == "" {
			return nil, strange(errNoID)
		}
		found[v.ID] = readVideo(v)
	}
	return found, nil
}

// channels returns the existing channels that a parameter of the API selects.
func (d *Discovery) channels(ctx context.Context, parameter, value string) ([]video.Channel, error) {
	answer, err := get[foundChannel](ctx, d, "channels", url.Values{
		"part": {details}, parameter: {value}, "maxResults": {strconv.Itoa(mostIDs)},
	})
	if err := d.judge(ctx, err, answer.isA(channelsAnswer)); err != nil {
		return nil, err
	}
	var found []video.Channel
	for _, c := range answer.Items {
		if c == nil || c.ID == "" {
			return nil, strange(errNoID)
		}
		found = append(found, d.readChannel(c))
	}
	return found, nil
}

// playlists returns the playlists among ids that exist and are public, by their ids.
func (d *Discovery) playlists(ctx context.Context, ids []string) (map[string]video.Playlist, error) {
	answer, err := get[foundPlaylist](ctx, d, "playlists", url.Values{
		"part": {"snippet,contentDetails"}, "id": {strings.Join(ids, ",")}, "maxResults": {strconv.Itoa(mostIDs)},
	})
	if err := d.judge(ctx, err, answer.isA(playlistsAnswer)); err != nil {
		return nil, err
	}
	found := map[string]video.Playlist{}
	for _, p := range answer.Items {
		if p == nil || p.ID == "" {
			return nil, strange(errNoID)
		}
		found[p.ID] = readPlaylist(p)
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
	query := url.Values{"part": {"snippet"}, "playlistId": {playlist}}
	window(query, at)
	answer, err := get[foundEntry](ctx, d, "playlistItems", query)
	if err := d.judge(ctx, err, answer.isA(entriesAnswer)); err != nil {
		return nil, "", err
	}
	for _, item := range answer.Items {
		if item == nil || item.Snippet.Resource.VideoID == "" || item.Snippet.Position == nil || *item.Snippet.Position < 0 {
			return nil, "", strange(errNoID)
		}
		entries = append(entries, entry{*item.Snippet.Position, item.Snippet.Resource.VideoID})
	}
	next, err = nextPage(at, answer.NextPageToken, len(entries))
	return entries, next, err
}

// window asks for one page of a list.
func window(query url.Values, at engine.Window) {
	query.Set("maxResults", strconv.Itoa(at.Max))
	if at.After != "" {
		query.Set("pageToken", at.After)
	}
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
