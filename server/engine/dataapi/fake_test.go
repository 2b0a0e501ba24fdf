package dataapi_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/engine/enginetest/sitecatalog"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// key is what the API of these tests takes.
const key = "AIza-5ecret_5ecret-5ecret"

type object = map[string]any

// api answers as the data API does that knows a catalog.
type api struct{ *sitecatalog.Catalog }

func fake(c *sitecatalog.Catalog) http.Handler {
	mux := http.NewServeMux()
	a := api{c}
	for path, answer := range map[string]func(*http.Request) (object, *refusal){
		"search": a.search, "videos": a.videos, "channels": a.channels, "playlists": a.playlists, "playlistItems": a.playlistItems,
	} {
		mux.HandleFunc("GET /youtube/v3/"+path, func(w http.ResponseWriter, r *http.Request) {
			said, refused := answer(r)
			switch {
			case r.Header.Get("X-Goog-Api-Key") != key || r.URL.Query().Has("key"):
				keyInvalid.send(w)
			case refused != nil:
				refused.send(w)
			default:
				send(w, http.StatusOK, said)
			}
		})
	}
	return mux
}

func send(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a client that is gone needs no answer
}

// list is an answer with a list; the API leaves items out where there are none, for some.
func list(kind string, items []object, next string) object {
	o := object{"kind": "youtube#" + kind + "ListResponse", "etag": "x", "pageInfo": object{"totalResults": len(items), "resultsPerPage": 5}}
	if items != nil {
		o["items"] = items
	}
	if next != "" {
		o["nextPageToken"] = next
	}
	return o
}

// window cuts the page out of a list that a request asks for.
func window[I any](r *http.Request, all []I) (page []I, from int, next string, refused *refusal) {
	most := 1 // five in the real one, which is more than the catalog has of some
	if text := r.URL.Query().Get("maxResults"); text != "" {
		most, _ = strconv.Atoi(text) // none is 0, as the API has it
	}
	if most < 1 || most > 50 {
		return nil, 0, "", &badParameter
	}
	if token := r.URL.Query().Get("pageToken"); token != "" {
		text, err := base64.RawURLEncoding.DecodeString(token)
		if _, scanned := fmt.Sscanf(string(text), "at %d", &from); err != nil || scanned != nil || from < 1 || from > len(all) {
			return nil, 0, "", &badPageToken
		}
	}
	end := min(from+most, len(all))
	if end < len(all) {
		next = base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "at %d", end))
	}
	return all[from:end], from, next, nil
}

func thumbnails(id string) object {
	return object{
		"default": object{"url": "https://i.example.com/vi/" + id + "/default.jpg", "width": 120, "height": 90},
		"high":    object{"url": "https://i.example.com/vi/" + id + "/hqdefault.jpg", "width": 480, "height": 360},
	}
}

func broadcast(v sitecatalog.Video) string {
	if *v.IsLive {
		return "live"
	}
	return "none"
}

func (a api) search(r *http.Request) (object, *refusal) {
	q := r.URL.Query()
	if q.Get("part") != "snippet" {
		return nil, &badParameter
	}
	order := map[string]video.Order{"relevance": video.ByRelevance, "date": video.ByDate, "viewCount": video.ByViews}[q.Get("order")]
	if order == "" {
		return nil, &badParameter
	}
	found := a.Search(video.Search{Q: q.Get("q"), Type: video.Type(q.Get("type")), Order: order, ChannelID: q.Get("channelId")})
	page, _, next, refused := window(r, found)
	items := []object{}
	for _, f := range page {
		id := object{"kind": "youtube#" + string(f.Type)}
		var snippet object
		switch {
		case f.Video != nil:
			id["videoId"] = f.Video.VideoID
			v, _ := a.Video(f.Video.VideoID)
			snippet = videoSnippet(v)
		case f.Channel != nil:
			id["channelId"] = f.Channel.ChannelID
			snippet = object{"title": *f.Channel.Title, "channelTitle": *f.Channel.Title, "channelId": f.Channel.ChannelID}
		default:
			id["playlistId"] = f.Playlist.PlaylistID
			snippet = object{"title": *f.Playlist.Title, "channelTitle": *f.Playlist.Channel, "channelId": *f.Playlist.ChannelID}
		}
		for _, name := range []string{"title", "channelTitle"} { // as it is really done
			snippet[name] = html.EscapeString(snippet[name].(string))
		}
		items = append(items, object{"kind": "youtube#searchResult", "id": id, "snippet": snippet})
	}
	return list("search", items, next), refused
}

func videoSnippet(v sitecatalog.Video) object {
	s := object{
		"publishedAt": v.PublishedAt.Format("2006-01-02T15:04:05Z"), "channelId": *v.ChannelID, "title": *v.Title, "description": *v.Description,
		"thumbnails": thumbnails(v.VideoID), "channelTitle": *v.Channel, "liveBroadcastContent": broadcast(v), "categoryId": "27",
	}
	if len(v.Tags) > 0 {
		s["tags"] = v.Tags
	}
	return s
}

// duration writes seconds as the API does.
func duration(v sitecatalog.Video) string {
	if v.DurationSec == nil {
		return "P0D"
	}
	s := *v.DurationSec
	text := "P"
	if d := s / 86400; d > 0 {
		text += fmt.Sprintf("%dD", d)
	}
	return text + fmt.Sprintf("T%dH%dM%dS", s%86400/3600, s%3600/60, s%60)
}

func (a api) videos(r *http.Request) (object, *refusal) {
	if r.URL.Query().Get("part") != "snippet,contentDetails,statistics" || r.URL.Query().Has("maxResults") {
		return nil, &badParameter
	}
	items := []object{}
	for _, id := range ids(r) {
		v, ok := a.Video(id)
		if !ok {
			continue
		}
		statistics := object{"favoriteCount": "0", "commentCount": "3"}
		if v.ViewCount != nil {
			statistics["viewCount"] = strconv.FormatInt(*v.ViewCount, 10)
		}
		if v.LikeCount != nil {
			statistics["likeCount"] = strconv.FormatInt(*v.LikeCount, 10)
		}
		caption := slices.ContainsFunc(v.Tracks, func(t transcript.Track) bool { return t.Kind == transcript.TrackManual })
		items = append(items, object{"kind": "youtube#video", "id": id, "snippet": videoSnippet(v), "statistics": statistics, "contentDetails": object{
			"duration": duration(v), "dimension": "2d", "definition": "hd", "caption": strconv.FormatBool(caption), "licensedContent": true,
		}})
	}
	return list("video", items, ""), nil
}

func ids(r *http.Request) []string {
	return slices.Compact(strings.Split(r.URL.Query().Get("id"), ","))
}

func (a api) channels(r *http.Request) (object, *refusal) {
	q := r.URL.Query()
	names := ids(r)
	switch {
	case q.Has("forHandle"):
		names = []string{"@" + strings.TrimPrefix(q.Get("forHandle"), "@")}
	case q.Has("forUsername"):
		names = []string{"@" + q.Get("forUsername")} // of those who have one, it is the same here
	}
	var items []object
	for _, name := range names {
		c, ok := a.Channel(name)
		if !ok {
			continue
		}
		statistics := object{"viewCount": "12", "hiddenSubscriberCount": c.SubscriberCount == nil, "videoCount": strconv.FormatInt(*c.VideoCount, 10)}
		statistics["subscriberCount"] = "0"
		if c.SubscriberCount != nil {
			statistics["subscriberCount"] = strconv.FormatInt(*c.SubscriberCount, 10)
		}
		items = append(items, object{"kind": "youtube#channel", "id": c.ChannelID, "statistics": statistics,
			"snippet": object{
				"title": *c.Title, "description": *c.Description, "customUrl": *c.Handle,
				"publishedAt": "2012-03-04T05:06:07.123456Z", "thumbnails": thumbnails(c.ChannelID),
			},
			"contentDetails": object{"relatedPlaylists": object{"likes": "", "uploads": *c.UploadsPlaylistID}},
		})
	}
	page, _, next, refused := window(r, items)
	if len(page) == 0 {
		page = nil
	}
	return list("channel", page, next), refused
}

func (a api) playlists(r *http.Request) (object, *refusal) {
	items := []object{}
	for _, id := range ids(r) {
		p, ok := a.Playlist(id)
		if !ok || p.Private {
			continue
		}
		snippet := object{"title": *p.Title, "thumbnails": thumbnails(id)}
		if p.ChannelID != nil {
			snippet["channelId"], snippet["channelTitle"] = *p.ChannelID, *p.Channel
		}
		items = append(items, object{"kind": "youtube#playlist", "id": id, "snippet": snippet, "contentDetails": object{"itemCount": len(p.Entries)}})
	}
	page, _, next, refused := window(r, items)
	return list("playlist", page, next), refused
}

func (a api) playlistItems(r *http.Request) (object, *refusal) {
	id := r.URL.Query().Get("playlistId")
	p, ok := a.Playlist(id)
	switch {
	case !ok, strings.HasPrefix(id, "UU") && len(p.Entries) == 0:
		return nil, &playlistNotFound
	case p.Private:
		return nil, &notAccessible
	}
	page, from, next, refused := window(r, p.Entries)
	items := []object{}
	for n, id := range page {
		title := "Deleted video"
		if v, ok := a.Video(id); ok {
			title = *v.Title
		} else if id == sitecatalog.PrivateVideo {
			title = "Private video"
		}
		items = append(items, object{"kind": "youtube#playlistItem", "id": fmt.Sprintf("item-%d", from+n), "snippet": object{
			"title": title, "position": from + n, "playlistId": p.PlaylistID, "resourceId": object{"kind": "youtube#video", "videoId": id},
			"thumbnails": object{}, "description": "",
		}})
	}
	return list("playlistItem", items, next), refused
}
