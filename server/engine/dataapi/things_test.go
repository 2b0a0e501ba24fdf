package dataapi_test

import (
	"compress/gzip"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/sitetest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// answers starts an API whose resources answer with one text each.
func answers(t *testing.T, bodies map[string]string) *endpoint {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, ok := bodies[strings.TrimPrefix(r.URL.Path, "/youtube/v3/")]
		if !ok {
			backendError.send(w)
			return
		}
		refusal{http.StatusOK, body}.send(w)
	})
}

func oneVideo(members string) string {
	return `{"kind": "youtube#videoListResponse", "items": [{"kind": "youtube#video", "id": "talk-000001"` + members + `}]}`
}

func content(id string) []engine.Content {
	return []engine.Content{{Platform: transcript.VideoSite, ExternalID: id, URL: "https://site.example.com/watch?v=" + id}}
}

func TestVideosAsTheAPITellsThem(t *testing.T) {
	t.Parallel()
	bare := video.Video{
		Summary:             video.Summary{VideoID: "talk-000001"},
		TrackMetadataStatus: transcript.TracksSkipped, MetadataStatus: transcript.MetadataUnavailable,
	}
	with := func(change func(v *video.Video)) video.Video {
		v := bare
		change(&v)
		return v
	}
	for members, want := range map[string]video.Video{
		``: bare,
		`, "snippet": null, "contentDetails": null, "statistics": null`: bare,
		`, "contentDetails": {"duration": "PT3M33S", "caption": "true"}`: with(func(v *video.Video) {
			v.DurationSec, v.CaptionAvailable, v.MetadataStatus = new(213), new(true), transcript.MetadataPartial
		}),
		`, "contentDetails": {"duration": "P0D", "caption": "false"}`: bare,
		`, "contentDetails": {"duration": "PT0S"}`:                    bare,
		`, "contentDetails": {"duration": "soon"}`:                    bare,
		`, "contentDetails": {"duration": "PT9999999H"}`:              bare,
		`, "contentDetails": {"duration": "P1W2DT3H4M5.5S"}`: with(func(v *video.Video) {
			v.DurationSec, v.MetadataStatus = new((9*24+3)*3600+4*60+6), transcript.MetadataPartial
		}),
		`, "statistics": {"viewCount": "0", "favoriteCount": "0"}`: with(func(v *video.Video) { v.ViewCount = new(int64(0)) }),
		`, "statistics": {"viewCount": "18446744073709551615"}`:    bare,
		`, "statistics": {"viewCount": null, "likeCount": "7"}`:    with(func(v *video.Video) { v.LikeCount = new(int64(7)) }),
		`, "snippet": {"title": " T\u0000 \u0026\n\u202et \ud800 ", "channelTitle": "", "publishedAt": "yesterday", "liveBroadcastContent": "upcoming", "thumbnails": {"high": {"url": "javascript:alert(1)"}, "default": {"url": "http://i.example.com/1.jpg"}}}`: with(func(v *video.Video) {
			v.Title, v.IsLive, v.Description, v.Tags, v.MetadataStatus = new("T & t \uFFFD"), new(false), new(""), []string{}, transcript.MetadataPartial
			v.ThumbnailURL = new("http://i.example.com/1.jpg")
		}),
		`, "snippet": {"liveBroadcastContent": "live", "publishedAt": "2026-01-02T03:04:05.678Z", "thumbnails": {"high": {"url": "//x"}, "medium": null}}`: with(func(v *video.Video) {
			v.IsLive, v.Description, v.Tags = new(true), new(""), []string{}
			at := new(transcript.Time)
			assert.NoError(t, at.UnmarshalText([]byte("2026-01-02T03:04:05.678Z")))
			v.PublishedAt = at
		}),
	} {
		found, err := discovery(t, answers(t, map[string]string{"videos": oneVideo(members)})).Videos(t.Context(), content("talk-000001"))
		require.NoError(t, err, members)
		assert.Equal(t, []video.Video{want}, found, members)
	}
}

// What is not of the shape that the API promises is a fault, and never less than there is.
func TestAnswersOfAnotherShape(t *testing.T) {
	t.Parallel()
	const items = "youtube#playlistItemListResponse"
	for name, bodies := range map[string]map[string]string{
		"counts as numbers":        {"videos": oneVideo(`, "statistics": {"viewCount": 5}`)},
		"negative counts":          {"videos": oneVideo(`, "statistics": {"viewCount": "-5"}`)},
		"a title that is a number": {"videos": oneVideo(`, "snippet": {"title": 5}`)},
		"items that are a text":    {"videos": `{"kind": "youtube#videoListResponse", "items": "none"}`},
		"an item that is null":     {"videos": `{"kind": "youtube#videoListResponse", "items": [null]}`},
		"an item without an id":    {"videos": `{"kind": "youtube#videoListResponse", "items": [{}]}`},
		"another kind":             {"videos": `{"kind": "youtube#channelListResponse", "items": []}`},
		"two answers":              {"videos": oneVideo("") + oneVideo("")},
		"HTML":                     {"videos": "<!doctype html><title>Sign in</title>"},
		"an error with status 200": {"videos": quotaExceeded.body},
	} {
		found, err := discovery(t, answers(t, bodies)).Videos(t.Context(), content("talk-000001"))
		require.ErrorIs(t, err, transcript.UpstreamFailed, name)
		assert.Nil(t, found, name)
	}
	for name, body := range map[string]string{
		"no position":        `{"snippet": {"resourceId": {"videoId": "talk-000001"}}}`,
		"a position before":  `{"snippet": {"position": -1, "resourceId": {"videoId": "talk-000001"}}}`,
		"a position as text": `{"snippet": {"position": "0", "resourceId": {"videoId": "talk-000001"}}}`,
		"no video":           `{"snippet": {"position": 0, "resourceId": {}}}`,
		"no snippet":         `{"id": "x"}`,
		"more than wanted":   `{"snippet": {"position": 0, "resourceId": {"videoId": "a"}}}, {"snippet": {"position": 1, "resourceId": {"videoId": "b"}}}`,
	} {
		e := answers(t, map[string]string{
			"playlists": `{"kind": "youtube#playlistListResponse"}`, "videos": oneVideo(""), "playlistItems": `{"kind": "` + items + `", "items": [` + body + `]}`,
		})
		_, err := discovery(t, e).Items(t.Context(), engine.List{ID: "PL1"}, engine.Window{Max: 1})
		require.ErrorIs(t, err, transcript.UpstreamFailed, name)
	}
	for _, token := range []string{"same", "no token", strings.Repeat("x", 513)} {
		e := answers(t, map[string]string{
			"playlists": `{"kind": "youtube#playlistListResponse"}`, "videos": oneVideo(""),
			"playlistItems": `{"kind": "` + items + `", "items": [], "nextPageToken": "` + token + `"}`,
		})
		_, err := discovery(t, e).Items(t.Context(), engine.List{ID: "PL1"}, engine.Window{After: "same", Max: 1})
		require.ErrorIs(t, err, transcript.UpstreamFailed, token)
	}
}

// What a search finds and nobody can tell of any more has what the search told: there
// alone texts are escaped.
func TestSearchTellsOfWhatIsGoneMeanwhile(t *testing.T) {
	t.Parallel()
	const snippet = `"snippet": {"title": "Fish &amp; &#39;chips&#39; &amp;amp;", "channelId": "UC1", "channelTitle": "A &lt;b&gt;", "publishedAt": "2026-01-02T03:04:05Z", "liveBroadcastContent": "none"}`
	title, channel := new(`Fish & 'chips' &amp;`), new("A <b>")
	for of, c := range map[video.Type]struct {
		id, resource, kind string
		want               video.Result
	}{
		video.TypeVideo: {`"videoId": "gone-000001"`, "videos", "video", video.Result{Type: video.TypeVideo, Video: &video.Summary{
			VideoID: "gone-000001", Title: title, ChannelID: new("UC1"), Channel: channel, IsLive: new(false), PublishedAt: day(t),
		}}},
		video.TypeChannel: {`"channelId": "UC1"`, "channels", "channel", video.Result{Type: video.TypeChannel, Channel: &video.Channel{
			ChannelID: "UC1", Title: title, URL: new("https://site.example.com/channel/UC1"),
		}}},
		video.TypePlaylist: {`"playlistId": "PL1"`, "playlists", "playlist", video.Result{Type: video.TypePlaylist, Playlist: &video.Playlist{
			PlaylistID: "PL1", Title: title, ChannelID: new("UC1"), Channel: channel,
		}}},
	} {
		e := answers(t, map[string]string{
			"search":   `{"kind": "youtube#searchListResponse", "items": [{"id": {` + c.id + `}, ` + snippet + `}]}`,
			c.resource: `{"kind": "youtube#` + c.kind + `ListResponse", "items": []}`,
		})
		page, err := discovery(t, e).Search(t.Context(), video.Search{Q: "fish", Type: of, Order: video.ByDate}, engine.Window{Max: 5})
		require.NoError(t, err, of)
		assert.Equal(t, []video.Result{c.want}, page.Items, of)
	}
}

func day(t *testing.T) *transcript.Time {
	t.Helper()
	at := new(transcript.Time)
	require.NoError(t, at.UnmarshalText([]byte("2026-01-02T03:04:05Z")))
	return at
}

// A result of another type than was asked for, or of none, is a fault.
func TestSearchOfAnotherShape(t *testing.T) {
	t.Parallel()
	for _, item := range []string{`null`, `{}`, `{"id": {}}`, `{"id": {"channelId": "UC1"}}`, `{"id": "talk-000001"}`} {
		e := answers(t, map[string]string{"search": `{"kind": "youtube#searchListResponse", "items": [` + item + `]}`, "videos": oneVideo("")})
		_, err := discovery(t, e).Search(t.Context(), talks, engine.Window{Max: 5})
		require.ErrorIs(t, err, transcript.UpstreamFailed, item)
	}
}

func TestChannelsByOtherNames(t *testing.T) {
	t.Parallel()
	e, _ := withCatalog(t)
	d := discovery(t, e)
	found, err := d.Channel(t.Context(), named("user/talks"))
	require.NoError(t, err)
	assert.Equal(t, sitetest.TalksChannel, found.ChannelID)
	assert.Equal(t, "https://site.example.com/channel/"+sitetest.TalksChannel, *found.URL)
	_, err = d.Channel(t.Context(), named("c/talks"))
	var cannot *transcript.Error
	require.ErrorAs(t, err, &cannot)
	assert.Equal(t, transcript.NotImplemented, cannot.Code)
	assert.Equal(t, "channel", cannot.Details["parameter"])
}

// A channel whose uploads the API does not show is only empty where it says so itself.
func TestUploadsThatAreNotShown(t *testing.T) {
	t.Parallel()
	for count, empty := range map[string]bool{`"0"`: true, `"3"`: false, `null`: false} {
		for _, uploads := range []string{"UU1", ""} {
			e := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "/channels") {
					refusal{200, fmt.Sprintf(`{"kind": "youtube#channelListResponse", "items": [{"id": "UC1", "snippet": {"customUrl": "oldname"},
						"statistics": {"videoCount": %s}, "contentDetails": {"relatedPlaylists": {"uploads": %q}}}]}`, count, uploads)}.send(w)
					return
				}
				playlistNotFound.send(w)
			})
			page, err := discovery(t, e).Uploads(t.Context(), named("UC1"), video.All, engine.Window{Max: 5})
			if empty {
				require.NoError(t, err)
				assert.Equal(t, engine.Listing[video.Summary]{ID: "UC1"}, page)
				continue
			}
			var fault *transcript.Error
			require.ErrorAs(t, err, &fault)
			assert.Equal(t, transcript.UpstreamFailed, fault.Code, count)
		}
	}
}

// A small answer that unpacks into a large one is not read to its end.
func TestPackedAnswersAreBounded(t *testing.T) {
	t.Parallel()
	e := serve(t, func(w http.ResponseWriter, r *http.Request) {
		assert.Contains(t, r.Header.Get("User-Agent"), "gzip", "else the API does not pack its answers")
		w.Header().Set("Content-Encoding", "gzip")
		packed := gzip.NewWriter(w)
		blank := []byte(strings.Repeat(" ", 1<<20))
		for range 16 {
			if _, err := packed.Write(blank); err != nil {
				return // had enough
			}
		}
		_ = packed.Close() // who is gone needs no end
	})
	_, err := discovery(t, e).Channel(t.Context(), named("@talks"))
	require.ErrorIs(t, err, transcript.UpstreamFailed)
	assert.ErrorContains(t, err, "sends too much")
}
