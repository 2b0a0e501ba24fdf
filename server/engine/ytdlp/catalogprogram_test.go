package ytdlp_test

import (
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/test/sitetest"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest/sitecatalog"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// object is a JSON object.
type object = map[string]any

// catalogProgram shows a catalog to testdata/yt-dlp-catalog: in the words in which yt-dlp
// tells of the pages of the video site.
type catalogProgram struct{ *sitecatalog.Catalog }

func serveProgram(c *sitecatalog.Catalog) http.Handler {
	p := catalogProgram{c}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		link, err := url.Parse(r.URL.Query().Get("link"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_, _ = io.WriteString(w, p.say(link, r.URL.Query().Get("items"))+"\n") // a client that is gone needs no answer
	})
}

func (p catalogProgram) say(link *url.URL, items string) string {
	q := link.Query()
	switch link.Path {
	case "/watch":
		return p.video(q.Get("v"))
	case "/results":
		search := video.Search{Q: q.Get("search_query"), Type: video.TypeVideo}
		switch q.Get("sp") {
		case "EgIQAvABAQ==":
			search.Type = video.TypeChannel
		case "EgIQA/ABAQ==":
			search.Type = video.TypePlaylist
		case "CAMSAhAB8AEB":
			search.Order = video.ByViews
		}
		return list(object{}, items, p.Search(search), p.result)
	case "/playlist":
		l, ok := p.Playlist(q.Get("list"))
		switch {
		case ok && l.Private:
			return "ERROR: [youtube:tab] x: YouTube said: This playlist is private."
		case !ok, strings.HasPrefix(l.PlaylistID, "UU") && len(l.Entries) == 0:
			return "ERROR: [youtube:tab] x: YouTube said: The playlist does not exist."
		}
		return list(object{"title": *l.Title}, items, l.Entries, p.entry)
	}
	name, tab, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(link.Path, "/"), "channel/"), "/")
	c, ok := p.Channel(name)
	if !ok {
		return "ERROR: [youtube:tab] x: Unable to download API page: HTTP Error 404: Not Found"
	}
	of := object{
		"title": *c.Title + " - " + tab, "channel": *c.Title, "channel_id": c.ChannelID, "uploader_id": *c.Handle, "description": *c.Description,
		"channel_follower_count": c.SubscriberCount,
	}
	switch ids := p.Uploads(c.ChannelID, sitetest.TabKind(tab)); {
	case tab == "search":
		return list(of, items, p.Search(video.Search{Q: q.Get("query"), Type: video.TypeVideo, ChannelID: c.ChannelID}), p.result)
	case tab == "featured":
		return list(of, items, nil, p.entry)
	case len(ids) == 0:
		return "ERROR: [youtube:tab] x: This channel does not have a " + tab + " tab"
	default:
		return list(of, items, ids, p.entry)
	}
}

// list is what the program says of some entries of a list, "3:9" of them.
func list[T any](of object, items string, all []T, show func(T) object) string {
	first, last, _ := strings.Cut(items, ":")
	from, _ := strconv.Atoi(first) // "0" is none
	to, _ := strconv.Atoi(last)
	entries := []object{}
	for n := max(from, 1); n <= min(to, len(all)); n++ {
		entries = append(entries, show(all[n-1]))
	}
	of["_type"], of["entries"], of["extractor"] = "playlist", entries, "youtube:tab"
	return sitetest.JSON(of)
}

func (p catalogProgram) result(r video.Result) object {
	switch r.Type {
	case video.TypeChannel:
		return object{"ie_key": "YoutubeTab", "id": r.Channel.ChannelID, "channel": *r.Channel.Title, "channel_follower_count": r.Channel.SubscriberCount}
	case video.TypePlaylist:
		return object{"ie_key": "YoutubeTab", "id": r.Playlist.PlaylistID, "title": *r.Playlist.Title}
	}
	return p.entry(r.Video.VideoID)
}

func (p catalogProgram) entry(id string) object {
	e := object{"_type": "url", "ie_key": "Youtube", "id": id, "url": "https://www.youtube.com/watch?v=" + id}
	v, ok := p.Video(id)
	switch {
	case id == sitecatalog.PrivateVideo:
		e["title"] = "[Private video]"
	case !ok:
		e["title"] = "[Deleted video]"
	default:
		e["title"], e["duration"], e["channel"], e["channel_id"] = *v.Title, v.DurationSec, *v.Channel, *v.ChannelID
		e["view_count"], e["thumbnails"] = v.ViewCount, []object{{"url": p.Base + "/x.jpg"}}
	}
	if ok && *v.IsLive {
		e["live_status"], e["view_count"] = "is_live", nil
	}
	if ok && *v.IsShort {
		e["url"] = "https://www.youtube.com/shorts/" + id
	}
	return e
}

// video is what the program says of a video.
func (p catalogProgram) video(id string) string {
	v, ok := p.Video(id)
	switch {
	case id == sitecatalog.PrivateVideo:
		return "ERROR: [youtube] " + id + ": Private video. Sign in if you've been granted access to this video"
	case !ok:
		return "ERROR: [youtube] " + id + ": Video unavailable. This video has been removed by the uploader"
	}
	status := "not_live"
	if *v.IsLive {
		status = "is_live"
	}
	subtitles := object{}
	for _, t := range v.Tracks {
		subtitles[t.Lang] = []object{{"ext": "vtt", "url": p.Base + "/" + t.Lang, "name": t.Name}}
	}
	return sitetest.JSON(object{
		"_type": "video", "id": id, "extractor": "youtube", "fulltitle": *v.Title, "title": *v.Title + " 2026-03-04 05:06", "description": *v.Description,
		"duration": v.DurationSec, "channel": *v.Channel, "channel_id": *v.ChannelID, "upload_date": v.PublishedAt.Format("20060102"), "tags": append([]string{}, v.Tags...),
		"view_count": v.ViewCount, "like_count": v.LikeCount, "live_status": status, "format_id": "1", "formats": []object{{}}, "subtitles": subtitles,
	})
}
