package site

import (
	"sync"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Default returns the table of the public sites.
func Default() *Table { return defaultTable() }

var defaultTable = sync.OnceValue(func() *Table {
	t, err := compile(publicSites())
	if err != nil {
		panic(err) // this happens only if the data below are wrong
	}
	return t
})

// publicSites is the data of the default table. Canonical links are the links that yt-dlp
// reads.
func publicSites() map[transcript.Platform]Site {
	return map[transcript.Platform]Site{
		transcript.VideoSite: {
			Hosts: []string{
				"www.youtube.com", "youtube.com", "m.youtube.com", "music.youtube.com", "gaming.youtube.com",
				"www.youtube-nocookie.com", "youtube-nocookie.com", "www.youtubekids.com", "youtubekids.com",
				"youtu.be", "www.youtu.be",
			},
			ID: "^[A-Za-z0-9_-]{11}$",
			Links: []string{
				"!/embed/videoseries", "!/embed/live_stream", // names of players that happen to have the length of an id
				"/watch?v={id}", "/watch/{id}", "/watch_popup?v={id}", "/shorts/{id}", "/live/{id}", "/embed/{id}",
				"/v/{id}", "/vi/{id}", "/e/{id}", "//youtu.be/{id}", "//www.youtu.be/{id}",
			},
			Canonical: "https://www.youtube.com/watch?v={id}",
			At:        "https://www.youtube.com/watch?v={id}&t={t}s",
			Playlist:  "https://www.youtube.com/playlist?list={id}",
			// These playlists are public; "WL" and "LL" are private to each visitor.
			PlaylistID: "^(PL|UU|FL|RD|EC|UL|TL|PU|OLAK5uy_)[A-Za-z0-9_-]{10,64}$",
			PlaylistLinks: []string{
				"/watch?list={id}", "/watch/{video}?list={id}", "/watch_popup?list={id}", "/shorts/{video}?list={id}", "/live/{video}?list={id}",
				"/embed/{video}?list={id}", "/v/{video}?list={id}", "/view_play_list?p={id}", "/browse/VL{id}",
				"//youtu.be/{video}?list={id}", "//www.youtu.be/{video}?list={id}",
			},
			Channel:   "https://www.youtube.com/channel/{id}",
			ChannelID: "^UC[A-Za-z0-9_-]{22}$",
			// The feeds have the 15 newest uploads of a channel, and the first 15 items of a playlist.
			ChannelFeed:  "https://www.youtube.com/feeds/videos.xml?channel_id={id}",
			PlaylistFeed: "https://www.youtube.com/feeds/videos.xml?playlist_id={id}",
			ChannelLinks: []string{
				"/channel/{id}/{tab}", "/browse/{id}", "/@{name}", "/@{name}/{tab}", "/c/{name}", "/c/{name}/{tab}", "/user/{name}", "/user/{name}/{tab}",
			},
		},
		transcript.ShortVideoSite: {
			Hosts:      []string{"www.tiktok.com", "tiktok.com", "m.tiktok.com"},
			ShortHosts: []string{"vm.tiktok.com", "vt.tiktok.com", "www.tiktok.com/t/{code}", "tiktok.com/t/{code}", "m.tiktok.com/t/{code}"},
			ID:         "^[0-9]{5,20}$",
			Links: []string{
				"/@{user}/video/{id}", "/@/video/{id}", "/video/{id}", "/embed/{id}", "/embed/v2/{id}", "/player/v1/{id}", "/v/{id}.html",
			},
			Canonical: "https://www.tiktok.com/@_/video/{id}",
			Channel:   "https://www.tiktok.com/@{id}",
		},
		transcript.PhotoSite: {
			Hosts:      []string{"www.instagram.com", "instagram.com", "m.instagram.com", "instagr.am", "www.instagr.am"},
			ShortHosts: []string{"www.instagram.com/share/{code}", "instagram.com/share/{code}", "www.instagram.com/share/{kind}/{code}", "instagram.com/share/{kind}/{code}"},
			ID:         "^[A-Za-z0-9_-]{10,40}$",
			Links: []string{
				"/p/{id}", "/reel/{id}", "/reels/{id}", "/tv/{id}", "/{user}/p/{id}", "/{user}/reel/{id}", "/{user}/reels/{id}", "/{user}/tv/{id}",
				"/p/{id}/embed", "/reel/{id}/embed", "/tv/{id}/embed", "/p/{id}/embed/captioned", "/reel/{id}/embed/captioned",
			},
			Canonical: "https://www.instagram.com/p/{id}/",
			Channel:   "https://www.instagram.com/{id}/",
		},
		transcript.ProfessionalSite: {
			Hosts:      []string{"www.linkedin.com", "linkedin.com", "m.linkedin.com"},
			ShortHosts: []string{"lnkd.in"},
			ID:         "^[0-9]{15,20}$", // of an activity
			Links: []string{
				"/feed/update/urn:li:activity:{id}", "/embed/feed/update/urn:li:activity:{id}", "/feed/update/activity:{id}",
				"/posts/{slug}-activity-{id}-{hash}", "/posts/{slug}-activity-{id}", "/posts/activity-{id}-{hash}", "/posts/activity-{id}",
			},
			Canonical: "https://www.linkedin.com/feed/update/urn:li:activity:{id}",
			Channel:   "https://www.linkedin.com/in/{id}",
		},
		transcript.MicroblogSite: {
			Hosts: []string{
				"x.com", "www.x.com", "mobile.x.com", "m.x.com",
				"twitter.com", "www.twitter.com", "mobile.twitter.com", "m.twitter.com",
			},
			ShortHosts: []string{"t.co"},
			ID:         "^[0-9]{1,20}$",
			Links: []string{
				"/{user}/status/{id}", "/{user}/status/{id}/{tab}", "/{user}/status/{id}/{tab}/{n}",
				"/{user}/statuses/{id}", "/statuses/{id}", "/i/web/status/{id}", "/i/videos/tweet/{id}",
			},
			// The older name of a platform, because every version of yt-dlp knows it.
			Canonical: "https://twitter.com/i/status/{id}",
			Channel:   "https://x.com/{id}",
		},
	}
}
