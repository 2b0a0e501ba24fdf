package site_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

const (
	playlistID = "PLrAXtmErZgOeiKm4sgNOknGvNjby9efdf"
	channelID  = "UCuAXFkgsw1L7xaCfnd5JJOw"
)

func TestPlaylist(t *testing.T) {
	t.Parallel()
	for id, texts := range map[string][]string{
		playlistID: {
			playlistID,
			"https://www.youtube.com/playlist?list=" + playlistID,
			"https://www.youtube.com/playlist?list=" + playlistID + "&si=AbC#x",
			"https://m.youtube.com/playlist?app=desktop&list=" + playlistID,
			"https://music.youtube.com/playlist?list=" + playlistID,
			"https://music.youtube.com/browse/VL" + playlistID,
			"https://www.youtube.com/watch?v=dQw4w9WgXcQ&list=" + playlistID + "&index=3",
			"https://www.youtube.com/watch?list=" + playlistID,
			"https://youtu.be/dQw4w9WgXcQ?list=" + playlistID,
			"https://www.youtube.com/embed/videoseries?list=" + playlistID,
			"https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?list=" + playlistID,
			"https://www.youtube.com/shorts/dQw4w9WgXcQ?list=" + playlistID,
			"https://www.youtube.com/view_play_list?p=" + playlistID,
			"youtube.com/playlist?list=" + playlistID,
			"//youtube.com/playlist/?list=" + playlistID,
			"HTTP://YouTube.com:80/playlist?list=" + playlistID,
		},
		"UUuAXFkgsw1L7xaCfnd5JJOw": {"UUuAXFkgsw1L7xaCfnd5JJOw", "https://www.youtube.com/playlist?list=UUuAXFkgsw1L7xaCfnd5JJOw"},
		"OLAK5uy_kD1hSEHmkzjm1-Nu": {"OLAK5uy_kD1hSEHmkzjm1-Nu"},
		"RDdQw4w9WgXcQ":            {"https://www.youtube.com/watch?v=dQw4w9WgXcQ&list=RDdQw4w9WgXcQ&start_radio=1"},
		"PL1234567890":             {"PL1234567890"},
	} {
		want := site.Match{Platform: transcript.VideoSite, ExternalID: id, URL: "https://www.youtube.com/playlist?list=" + id}
		for _, text := range texts {
			match, err := site.Default().Playlist(text)
			require.NoError(t, err, text)
			assert.Equal(t, want, match, text)
		}
	}
}

func TestChannel(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		id, path string
		texts    []string
	}{
		{channelID, "channel/" + channelID, []string{
			channelID,
			"https://www.youtube.com/channel/" + channelID,
			"https://www.youtube.com/channel/" + channelID + "/videos?view=0",
			"https://m.youtube.com/channel/" + channelID + "/",
			"https://music.youtube.com/browse/" + channelID,
			"youtube.com/channel/" + channelID,
		}},
		{"@golang", "@golang", []string{
			"@golang", "https://www.youtube.com/@golang", "https://youtube.com/@golang/videos", "https://www.youtube.com/@golang/streams?x=y",
			"youtube.com/@golang", "https://www.youtube.com/%40golang/featured",
		}},
		{"@Go_Lang-1.x", "@Go_Lang-1.x", []string{"@Go_Lang-1.x", "https://www.youtube.com/@Go_Lang-1.x"}},
		{"@日本語", "@%E6%97%A5%E6%9C%AC%E8%AA%9E", []string{"@日本語", "https://www.youtube.com/@日本語", "https://www.youtube.com/@%E6%97%A5%E6%9C%AC%E8%AA%9E/videos"}},
		{"c/GoogleDevelopers", "c/GoogleDevelopers", []string{"https://www.youtube.com/c/GoogleDevelopers", "https://www.youtube.com/c/GoogleDevelopers/playlists", "c/GoogleDevelopers"}},
		{"user/Computerphile", "user/Computerphile", []string{"https://www.youtube.com/user/Computerphile", "https://www.youtube.com/user/Computerphile/videos"}},
	} {
		want := site.Match{Platform: transcript.VideoSite, ExternalID: test.id, URL: "https://www.youtube.com/" + test.path, Named: test.id != channelID}
		for _, text := range test.texts {
			match, err := site.Default().Channel(text)
			require.NoError(t, err, text)
			assert.Equal(t, want, match, text)
		}
	}
}

func TestListRefuses(t *testing.T) {
	t.Parallel()
	playlist, channel := site.Default().Playlist, site.Default().Channel
	for _, test := range []struct {
		read func(string) (site.Match, error)
		text string
		want transcript.Code
	}{
		{playlist, "", transcript.InvalidVideo},
		{playlist, "PL", transcript.InvalidVideo},
		{playlist, "PL12345678 0", transcript.InvalidVideo},
		{playlist, playlistID + "/", transcript.InvalidVideo},
		{playlist, playlistID + "\n", transcript.InvalidVideo},
		{playlist, channelID, transcript.InvalidVideo},
		{playlist, "@golang", transcript.InvalidVideo},
		{playlist, "dQw4w9WgXcQ", transcript.InvalidVideo},
		{playlist, "WL", transcript.InvalidVideo}, // each visitor's own
		{playlist, "https://www.youtube.com/playlist?list=WL", transcript.InvalidVideo},
		{playlist, "https://www.youtube.com/playlist?list=", transcript.InvalidVideo},
		{playlist, "https://www.youtube.com/watch?v=dQw4w9WgXcQ", transcript.InvalidVideo},
		{playlist, "https://www.youtube.com/channel/" + channelID, transcript.InvalidVideo},
		{playlist, "https://user@www.youtube.com/playlist?list=" + playlistID, transcript.InvalidVideo},
		{playlist, "ftp://www.youtube.com/playlist?list=" + playlistID, transcript.InvalidVideo},
		{playlist, "https://example.com/playlist?list=" + playlistID, transcript.UnsupportedPlatform},
		{playlist, "https://www.youtube.com.example.com/playlist?list=" + playlistID, transcript.UnsupportedPlatform},
		{playlist, "https://www.tiktok.com/@a/playlist/x-7", transcript.UnsupportedPlatform}, // has none that can be listed
		{channel, "", transcript.InvalidVideo},
		{channel, "golang", transcript.InvalidVideo},
		{channel, "@", transcript.InvalidVideo},
		{channel, "@a b", transcript.InvalidVideo},
		{channel, "@..", transcript.InvalidVideo},
		{channel, "@a/videos", transcript.InvalidVideo},
		{channel, "c/", transcript.InvalidVideo},
		{channel, "c/../x", transcript.InvalidVideo},
		{channel, "/@golang", transcript.InvalidVideo},
		{channel, "UC123", transcript.InvalidVideo},
		{channel, playlistID, transcript.InvalidVideo},
		{channel, "https://www.youtube.com/channel/UC123", transcript.InvalidVideo},
		{channel, "https://www.youtube.com/watch?v=dQw4w9WgXcQ", transcript.InvalidVideo},
		{channel, "https://www.youtube.com/feed/subscriptions", transcript.InvalidVideo},
		{channel, "https://www.youtube.com/@a%2Fb", transcript.InvalidVideo},
		{channel, "https://www.tiktok.com/@somebody", transcript.UnsupportedPlatform},
		{channel, "https://example.com/@golang", transcript.UnsupportedPlatform},
	} {
		match, err := test.read(test.text)
		assert.ErrorIs(t, err, test.want, test.text)
		assert.Zero(t, match, test.text)
	}
}

func TestListsOverridden(t *testing.T) {
	t.Parallel()
	table := override(t, local)
	match, err := table.Playlist("http://127.0.0.1:9099/playlist?list=" + playlistID)
	require.NoError(t, err)
	assert.Equal(t, "http://127.0.0.1:9099/playlist?list="+playlistID, match.URL)
	match, err = table.Channel("@golang")
	require.NoError(t, err)
	assert.Equal(t, "http://127.0.0.1:9099/@golang", match.URL)
	_, err = table.Playlist("https://www.youtube.com/playlist?list=" + playlistID)
	require.ErrorIs(t, err, transcript.UnsupportedPlatform)

	table = override(t, `{"photo_site": {
		"hosts": ["photo.example"], "base": "https://photo.example",
		"playlist": "https://photo.example/album/{id}?all=1", "playlistId": "[0-9]+", "playlistLinks": ["!/a/new", "/a/{slug}-{id}"],
		"channel": "https://photo.example/{id}", "channelId": "[a-z]+", "channelLinks": ["//photo.example/by/{id}", "/named/{name}"]
	}}`)
	for text, want := range map[string]string{
		"https://photo.example/a/holiday-2-12": "12 https://photo.example/album/12?all=1",
		"photo.example/a/new":                  "",
		"12":                                   "", // bare ids are the video site's
	} {
		match, err := table.Playlist(text)
		if want == "" {
			assert.ErrorIs(t, err, transcript.InvalidVideo, text)
			continue
		}
		require.NoError(t, err, text)
		assert.Equal(t, want, match.ExternalID+" "+match.URL)
	}
	for text, want := range map[string]string{
		"https://photo.example/ann":      "ann https://photo.example/ann", // the canonical link needs no entry
		"https://photo.example/by/ann":   "ann https://photo.example/ann",
		"https://photo.example/named/Ün": "named/Ün https://photo.example/named/%C3%9Cn",
	} {
		match, err := table.Channel(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, match.ExternalID+" "+match.URL)
	}
	moved := override(t, `{"video_site": {"hosts": ["photo.example"], "canonical": "https://photo.example/watch?v={id}"}}`)
	_, err = moved.Playlist("https://photo.example/dQw4w9WgXcQ?list=" + playlistID)
	assert.ErrorIs(t, err, transcript.InvalidVideo, "the pattern went with its host")
}

// FuzzList holds what is read to be what the table says of it, by its link and by its id.
func FuzzList(f *testing.F) {
	for _, seed := range []string{
		playlistID, channelID, "@golang", "https://www.youtube.com/@日本語/videos", "https://www.youtube.com/c/x", "user/..",
		"https://youtu.be/dQw4w9WgXcQ?list=" + playlistID, "https://www.youtube.com/channel/" + channelID + "/videos",
	} {
		f.Add(seed)
	}
	table := site.Default()
	f.Fuzz(func(t *testing.T, text string) {
		for _, read := range []func(string) (site.Match, error){table.Playlist, table.Channel} {
			match, err := read(text)
			if err != nil {
				require.Zero(t, match)
				continue
			}
			require.False(t, match.Short)
			for _, text := range []string{match.URL, match.ExternalID} {
				again, err := read(text)
				require.NoError(t, err, text)
				require.Equal(t, match, again, text)
			}
		}
	})
}
