package ytdlp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/run"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

const talksID = "UCuAXFkgsw1L7xaCfnd5JJOw"

// counted is a downloader with the fake, which searches https://site.example, and the
// places and links that its program was asked for, run by run.
func (f fake) counted(t *testing.T) (b *bench, asked func() []string) {
	t.Helper()
	var runs []string
	answer := f.answer
	f.answer = func(c engine.Command) (string, string, int) {
		args := c.Args
		items := ""
		for at, arg := range args { // the last one counts
			if arg == "--playlist-items" {
				items = args[at+1]
			}
		}
		runs = append(runs, items+" "+args[len(args)-1])
		if answer != nil {
			return answer(c)
		}
		return f.info, f.stderr, f.code
	}
	b = f.start(t, func(_ *run.Config, o *ytdlp.Options) { o.Base = "https://site.example" })
	return b, func() []string { return runs }
}

func channelOf(id string) engine.List {
	l := engine.List{Platform: transcript.VideoSite, Kind: engine.ChannelList, ID: id, URL: "https://site.example/channel/" + id}
	if strings.HasPrefix(id, "@") || strings.Contains(id, "/") {
		l.URL = "https://site.example/" + id
	}
	return l
}

// A search is one run, for the entries of its window.
func TestSearchAsks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		q     video.Search
		after string
		asks  string // "": the parameter that cannot be asked for
		not   string
	}{
		{video.Search{Q: "go & more", Type: video.TypeVideo, Order: video.ByRelevance}, "", "1:20 https://site.example/results?search_query=go+%26+more&sp=EgIQAfABAQ%3D%3D", ""},
		{video.Search{Q: "go", Type: video.TypeVideo, Order: video.ByViews}, "40", "41:60 https://site.example/results?search_query=go&sp=CAMSAhAB8AEB", ""},
		{video.Search{Q: "go", Type: video.TypeChannel, Order: video.ByRelevance}, "", "1:20 https://site.example/results?search_query=go&sp=EgIQAvABAQ%3D%3D", ""},
		{video.Search{Q: "-o \n --exec\u202e x", Type: video.TypePlaylist, Order: video.ByRelevance}, "", "1:20 https://site.example/results?search_query=-o+--exec+x&sp=EgIQA%2FABAQ%3D%3D", ""},
		{video.Search{Q: "a#b?c", Type: video.TypeVideo, Order: video.ByRelevance, ChannelID: talksID}, "", "1:20 https://site.example/channel/" + talksID + "/search?query=a%23b%3Fc", ""},
		{video.Search{Q: "go", Type: video.TypeVideo, Order: video.ByDate}, "", "", "order"},
		{video.Search{Q: "go", Type: video.TypeVideo, Order: video.ByViews, ChannelID: talksID}, "", "", "order"},
		{video.Search{Q: "go", Type: video.TypePlaylist, Order: video.ByRelevance, ChannelID: talksID}, "", "", "type"},
		{video.Search{Q: "\x00\u202e", Type: video.TypeVideo, Order: video.ByRelevance}, "", "", "q"},
	} {
		t.Run(fmt.Sprintf("%+v", tt.q), func(t *testing.T) {
			t.Parallel()
			b, asked := fake{info: listed(20)}.counted(t)
			found, err := b.Search(t.Context(), tt.q, engine.Window{After: tt.after, Max: 20})
			if tt.not != "" {
				e := coded(t, err, transcript.NotImplemented)
				assert.Equal(t, tt.not, e.Details["parameter"])
				assert.Empty(t, asked())
				return
			}
			require.NoError(t, err)
			assert.Equal(t, []string{tt.asks}, asked())
			assert.NotEmpty(t, found.Next)
		})
	}
}

// What a results page may say, however wrong.
func TestSearchFinds(t *testing.T) {
	t.Parallel()
	const page = `{"_type": "playlist", "entries": [
		{"ie_key": "Youtube", "id": "aaaaaaaaaaa", "url": "https://www.youtube.com/shorts/aaaaaaaaaaa", "title": " A\n \u202eb", "duration": 59.5, "view_count": 7,
			"channel": "C", "channel_id": "UCuAXFkgsw1L7xaCfnd5JJOw", "thumbnails": [{"url": "//p.example/l", "width": 480}, {"url": "https://p.example/s", "width": 120}, {"url": "javascript:x", "width": 9999}]},
		{"ie_key": "Youtube", "id": "bbbbbbbbbbb", "title": "B", "live_status": "is_live", "concurrent_view_count": 9},
		{"ie_key": "Youtube", "id": "ccccccccccc", "title": ["C"], "duration": 1e300, "view_count": -1, "channel_id": "UC--exec", "thumbnails": {}, "live_status": 7, "timestamp": 1e99},
		{"ie_key": "Youtube", "id": "../../../etc"}, {"ie_key": "Youtube", "id": 7}, {"ie_key": "Youtube"}, null, 7,
		{"ie_key": "YoutubeTab", "id": "UCuAXFkgsw1L7xaCfnd5JJOw", "channel": "Talks", "channel_url": "https://www.youtube.com/channel/UCuAXFkgsw1L7xaCfnd5JJOw", "channel_follower_count": 1230000, "playlist_count": 64, "uploader_id": "@talks", "description": "A part of …"},
		{"ie_key": "YoutubeTab", "id": "UCaaaaaaaaaaaaaaaaaaaaaa", "channel": "Quiet", "playlist_count": 1200},
		{"ie_key": "YoutubeTab", "id": "PL1234567890", "title": "L", "url": "https://www.youtube.com/playlist?list=PL1234567890"},
		{"ie_key": "YoutubeTab", "id": "--exec", "title": "L"}]}`
	search := func(t *testing.T, of video.Type) []video.Result {
		t.Helper()
		b, _ := fake{info: page}.counted(t)
		found, err := b.Search(t.Context(), video.Search{Q: "go", Type: of, Order: video.ByRelevance}, engine.Window{Max: 20})
		require.NoError(t, err)
		assert.Empty(t, found.Next)
		return found.Items
	}
	t.Run("videos", func(t *testing.T) {
		t.Parallel()
		assert.Equal(t, []video.Result{
			{Type: video.TypeVideo, Video: &video.Summary{
				VideoID: "aaaaaaaaaaa", Title: new("A b"), ChannelID: new(talksID), Channel: new("C"), DurationSec: new(60),
				ThumbnailURL: new("https://p.example/l"), ViewCount: new(int64(7)), IsLive: new(false), IsShort: new(true),
			}},
			{Type: video.TypeVideo, Video: &video.Summary{VideoID: "bbbbbbbbbbb", Title: new("B"), IsLive: new(true), IsShort: new(false)}},
			{Type: video.TypeVideo, Video: &video.Summary{VideoID: "ccccccccccc"}},
		}, search(t, video.TypeVideo))
	})
	t.Run("channels", func(t *testing.T) {
		t.Parallel()
		assert.Equal(t, []video.Result{
			{Type: video.TypeChannel, Channel: &video.Channel{
				ChannelID: talksID, Title: new("Talks"), Handle: new("@talks"), URL: new("https://www.youtube.com/channel/" + talksID),
				SubscriberCount: new(int64(1230000)), VideoCount: new(int64(64)), UploadsPlaylistID: new("UU" + talksID[2:]),
			}},
			{Type: video.TypeChannel, Channel: &video.Channel{
				ChannelID: "UCaaaaaaaaaaaaaaaaaaaaaa", Title: new("Quiet"), UploadsPlaylistID: new("UUaaaaaaaaaaaaaaaaaaaaaa"),
			}},
		}, search(t, video.TypeChannel))
	})
	t.Run("playlists", func(t *testing.T) {
		t.Parallel()
		assert.Equal(t, []video.Result{{Type: video.TypePlaylist, Playlist: &video.Playlist{PlaylistID: "PL1234567890", Title: new("L")}}}, search(t, video.TypePlaylist))
	})
}

// The words that are searched for are none of the program's or the site's, in whatever
// complaint they stand. No log holds them, the guard's neither.
func TestSearchForComplaints(t *testing.T) {
	t.Parallel()
	b, _ := fake{info: listed(0), code: 1, stderr: `ERROR: [youtube:search_url] query "http error 429: captcha" page 1: KeyError('x')` + "\n"}.counted(t)
	_, err := b.Search(t.Context(), video.Search{Q: "http error 429: captcha", Type: video.TypeVideo, Order: video.ByRelevance}, engine.Window{Max: 20})
	coded(t, err, transcript.UpstreamFailed)
	assert.Contains(t, b.log.String(), "page 1: KeyError")
	assert.NotContains(t, b.log.String()+err.Error(), "captcha")
}

// A channel's uploads take one run where it goes by its id and they are there, two at most.
func TestUploadsAsk(t *testing.T) {
	t.Parallel()
	const (
		home    = `{"_type": "playlist", "extractor": "youtube:tab", "channel": "Talks", "channel_id": "` + talksID + `", "entries": []}`
		noTab   = "ERROR: [youtube:tab] " + talksID + ": This channel does not have a shorts tab\n"
		noList  = "ERROR: [youtube:tab] UUuAXFkgsw1L7xaCfnd5JJOw: YouTube said: The playlist does not exist.\n"
		noPage  = "ERROR: [youtube:tab] x: Unable to download API page: HTTP Error 404: Not Found\n"
		blocked = "ERROR: [youtube:tab] x: HTTP Error 429: Too Many Requests\n"
		all     = "1:20 https://site.example/playlist?list=UUuAXFkgsw1L7xaCfnd5JJOw"
	)
	page := "0 https://site.example/channel/" + talksID + "/featured"
	for _, tt := range []struct {
		name    string
		channel string
		kind    video.Kind
		home    string // what the channel's page says; begins with "ERROR" where that is an error
		list    string // the list or the tab
		asks    []string
		code    transcript.Code // "" for none
		items   int
	}{
		{"all, by the id", talksID, video.All, "", listed(2), []string{all}, "", 2},
		{"all, by the name", "@talks", video.All, home, listed(2), []string{"0 https://site.example/@talks/featured", all}, "", 2},
		{"all, by a custom name", "c/talks", video.All, home, listed(2), []string{"0 https://site.example/c/talks/featured", all}, "", 2},
		{"shorts", talksID, video.Shorts, "", strings.Replace(listed(2), `"id": "x"`, `"channel_id": "`+talksID+`"`, 1), []string{"1:20 https://site.example/channel/" + talksID + "/shorts"}, "", 2},
		{"nothing at all", talksID, video.All, home, noList, []string{all, page}, "", 0},
		{"nothing at all, by the name", "@talks", video.All, home, noList, []string{"0 https://site.example/@talks/featured", all}, "", 0},
		{"no shorts", talksID, video.Shorts, home, noTab, []string{"1:20 https://site.example/channel/" + talksID + "/shorts", page}, "", 0},
		{"no channel", talksID, video.All, noPage, noList, []string{all, page}, transcript.Unavailable, 0},
		{"no channel of that name", "@talks", video.All, noPage, "", []string{"0 https://site.example/@talks/featured"}, transcript.Unavailable, 0},
		{"a page without an id", "@talks", video.All, listed(0), "", []string{"0 https://site.example/@talks/featured"}, transcript.UpstreamFailed, 0},
		{"a tab without an id", talksID, video.Live, "", listed(2), []string{"1:20 https://site.example/channel/" + talksID + "/streams"}, transcript.UpstreamFailed, 0},
		{"a tab with nothing in it", talksID, video.Regular, "", home, []string{"1:20 https://site.example/channel/" + talksID + "/videos"}, transcript.UpstreamFailed, 0},
		{"blocked", talksID, video.All, "", blocked, []string{all}, transcript.IPBlocked, 0},
		{"blocked at the page", talksID, video.All, blocked, noList, []string{all, page}, transcript.IPBlocked, 0},
		{"blocked at a tab", talksID, video.Shorts, "", blocked, []string{"1:20 https://site.example/channel/" + talksID + "/shorts"}, transcript.IPBlocked, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b, asked := fake{answer: func(c engine.Command) (info, stderr string, code int) {
				says := tt.list
				if strings.Contains(strings.Join(c.Args, " "), "--playlist-items 0 ") {
					says = tt.home
				}
				if strings.HasPrefix(says, "ERROR") {
					return "null", says, 1
				}
				return says, "", 0
			}}.counted(t)
			found, err := b.Uploads(t.Context(), channelOf(tt.channel), tt.kind, engine.Window{Max: 20})
			assert.Equal(t, tt.asks, asked())
			if tt.code != "" {
				coded(t, err, tt.code)
				assert.Empty(t, found)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, talksID, found.ID)
			assert.Len(t, found.Items, tt.items)
			for _, v := range found.Items {
				assert.Equal(t, talksID, *v.ChannelID)
				assert.Equal(t, tt.kind == video.Shorts, v.IsShort != nil && *v.IsShort)
			}
		})
	}
}

// What is not there keeps its place, and what says more than that is there. Where the
// program could not ask for what is hidden, no place is right.
func TestItemsHold(t *testing.T) {
	t.Parallel()
	const entries = `{"_type": "playlist", "title": "L", "entries": [{"ie_key": "Youtube", "id": "aaaaaaaaaaa", "title": "A", "duration": 5},
		{"ie_key": "Youtube", "id": "bbbbbbbbbbb", "title": "[Deleted video]", "thumbnails": [{"url": "https://p.example/none"}]},
		{"ie_key": "Youtube", "id": "not an id"}, {"ie_key": "Youtube", "id": "ccccccccccc", "title": "[Private video]"},
		{"ie_key": "Youtube", "id": "ddddddddddd", "title": "[Private video]", "duration": 60, "channel": "C"}]}`
	list := engine.List{Platform: transcript.VideoSite, Kind: engine.PlaylistList, ID: listID, URL: "https://site.example/playlist?list=" + listID}
	b, asked := fake{info: entries}.counted(t)
	found, err := b.Items(t.Context(), list, engine.Window{After: "100", Max: 5})
	require.NoError(t, err)
	assert.Equal(t, []string{"101:105 " + list.URL}, asked())
	assert.Equal(t, engine.Listing[video.Item]{ID: listID, Title: "L", Next: "105", Items: []video.Item{
		{Position: 100, Available: true, Video: video.Summary{VideoID: "aaaaaaaaaaa", Title: new("A"), DurationSec: new(5), IsLive: new(false)}},
		{Position: 101, Video: video.Summary{VideoID: "bbbbbbbbbbb"}},
		{Position: 103, Video: video.Summary{VideoID: "ccccccccccc"}},
		{Position: 104, Available: true, Video: video.Summary{VideoID: "ddddddddddd", Title: new("[Private video]"), Channel: new("C"), DurationSec: new(60), IsLive: new(false)}},
	}}, found)

	b, _ = fake{info: entries, stderr: "WARNING: [youtube:tab] Unable to download API page: HTTP Error 429: Too Many Requests\n"}.counted(t)
	found, err = b.Items(t.Context(), list, engine.Window{Max: 5})
	coded(t, err, transcript.IPBlocked)
	assert.Empty(t, found)
}

// What is no place in a list reaches no program.
func TestNoSuchPage(t *testing.T) {
	t.Parallel()
	b, asked := fake{info: listed(5)}.counted(t)
	for _, after := range []string{"0", "-5", "+5", "05", "5 ", "x", "1:9", "1000001", "99999999999999999999"} {
		at := engine.Window{After: after, Max: 5}
		_, err := b.Search(t.Context(), video.Search{Q: "go", Type: video.TypeVideo, Order: video.ByRelevance}, at)
		coded(t, err, transcript.InvalidRequest)
		_, err = b.Uploads(t.Context(), channelOf(talksID), video.All, at)
		coded(t, err, transcript.InvalidRequest)
		_, err = b.Items(t.Context(), engine.List{URL: "https://site.example/playlist?list=x"}, at)
		coded(t, err, transcript.InvalidRequest)
	}
	assert.Empty(t, asked())
}

func TestBase(t *testing.T) {
	t.Parallel()
	programs, err := run.New(run.Config{Dir: t.TempDir()})
	require.NoError(t, err)
	for _, base := range []string{"ftp://site.example", "site.example", "https://site.example/x", "https://site.example/", "https://u@site.example", "https://site.example?x", "--exec"} {
		_, err := ytdlp.New(engine.Host{Programs: programs}, ytdlp.Options{Base: base})
		assert.ErrorContains(t, err, "Base", base)
	}
}
