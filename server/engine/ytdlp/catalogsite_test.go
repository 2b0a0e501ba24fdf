package ytdlp_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/engine/enginetest"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// object is a JSON object.
type object = map[string]any

// catalogSite shows a catalog as the video site does: pages with data in a script, and
// further data in JSON.
type catalogSite struct{ *enginetest.Catalog }

func serveCatalog(c *enginetest.Catalog) http.Handler {
	s := catalogSite{c}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.home)
	mux.HandleFunc("GET /watch", s.watch)
	mux.HandleFunc("GET /playlist", func(w http.ResponseWriter, r *http.Request) {
		page(w, s.playlist(r.URL.Query().Get("list"), 0, false), nil)
	})
	mux.HandleFunc("GET /channel/{name}/{tab}", s.channel)
	mux.HandleFunc("GET /{name}/{tab}", s.channel)
	mux.HandleFunc("POST /youtubei/v1/search", s.search)
	mux.HandleFunc("POST /youtubei/v1/browse", s.browse)
	mux.HandleFunc("POST /youtubei/v1/navigation/resolve_url", s.resolve)
	mux.HandleFunc("POST /youtubei/v1/player", s.player)
	mux.HandleFunc("POST /youtubei/v1/next", s.next)
	return mux
}

const siteConfig = `<script>ytcfg.set({"INNERTUBE_API_KEY":"fake-Key_1","INNERTUBE_CONTEXT_CLIENT_NAME":1,"INNERTUBE_CLIENT_VERSION":"2.20260301.00.00",` +
	`"INNERTUBE_CONTEXT":{"client":{"clientName":"WEB","clientVersion":"2.20260301.00.00","hl":"en"}}});</script>`

// page writes a page with what it shows and, where that is not nil, what its player says.
func page(w http.ResponseWriter, data, played object) {
	text := `<!doctype html><html><head><title>The site</title></head><body>` + siteConfig
	if played != nil {
		text += `<script>var ytInitialPlayerResponse = ` + jsonText(played) + `;</script>`
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, text+`<script>var ytInitialData = `+jsonText(data)+`;</script></body></html>`) // a client that is gone needs no answer
}

func reply(w http.ResponseWriter, data object) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = io.WriteString(w, jsonText(data)) // a client that is gone needs no answer
}

func jsonText(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // it is made of strings and numbers
	}
	return string(data)
}

func simple(s string) object { return object{"simpleText": s} }

func runs(parts ...string) object {
	all := []object{}
	for _, p := range parts {
		all = append(all, object{"text": p})
	}
	return object{"runs": all}
}

// siteQuestion is what a program asks in JSON.
type siteQuestion struct{ URL, Query, Params, Continuation, BrowseID, VideoID string }

// ask reads a question; false: it is none.
func ask(w http.ResponseWriter, r *http.Request) (q siteQuestion, ok bool) {
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return q, false
	}
	return q, true
}

// continued is where a list goes on: of what it is, and from which entry on.
func continued(token string) (of string, offset int) {
	of, from, _ := strings.Cut(token, "@@")
	offset, _ = strconv.Atoi(from) // 0 where it is none
	return of, offset
}

// more is the entry by which a list goes on.
func more(of string, offset int) object {
	return object{"continuationItemRenderer": object{"continuationEndpoint": object{
		"continuationCommand": object{"token": of + "@@" + strconv.Itoa(offset), "request": "CONTINUATION_REQUEST_TYPE_BROWSE"},
	}}}
}

// some are the entries on a page of a list.
func some[T any](all []T, of string, offset, size int, show func(T) object) (items []object) {
	items = []object{}
	end := min(offset+size, len(all))
	for _, one := range all[min(offset, end):end] {
		items = append(items, show(one))
	}
	if end < len(all) {
		items = append(items, more(of, end))
	}
	return items
}

func (s catalogSite) home(w http.ResponseWriter, _ *http.Request) {
	page(w, object{"contents": object{}}, nil)
}

func (s catalogSite) search(w http.ResponseWriter, r *http.Request) {
	q, ok := ask(w, r)
	if !ok {
		return
	}
	of := map[string]video.Search{
		"EgIQAfABAQ==": {Type: video.TypeVideo, Order: video.ByRelevance},
		"EgIQAvABAQ==": {Type: video.TypeChannel, Order: video.ByRelevance},
		"EgIQA/ABAQ==": {Type: video.TypePlaylist, Order: video.ByRelevance},
		"CAMSAhAB8AEB": {Type: video.TypeVideo, Order: video.ByViews},
	}
	wanted, ok := of[q.Params]
	if !ok {
		http.Error(w, "a filter of no kind that the site knows: "+q.Params, http.StatusBadRequest)
		return
	}
	wanted.Q = q.Query
	_, offset := continued(q.Continuation)
	items := some(s.Search(wanted), "search", offset, 20, s.result)
	section := []object{}
	if n := len(items); n > 0 && items[n-1]["continuationItemRenderer"] != nil {
		section, items = items[n-1:], items[:n-1]
	}
	if len(items) == 0 {
		items = []object{{"backgroundPromoRenderer": object{"title": runs("No results found")}}}
	}
	section = append([]object{{"itemSectionRenderer": object{"contents": items}}}, section...)
	if offset > 0 {
		reply(w, object{"onResponseReceivedCommands": []object{{"appendContinuationItemsAction": object{"continuationItems": section}}}})
		return
	}
	reply(w, object{"contents": object{"twoColumnSearchResultsRenderer": object{"primaryContents": object{"sectionListRenderer": object{"contents": section}}}}})
}

func (s catalogSite) result(r video.Result) object {
	switch r.Type {
	case video.TypeChannel:
		c := r.Channel
		shown := object{
			"channelId": c.ChannelID, "title": simple(*c.Title), "thumbnail": s.thumbnail(),
			"navigationEndpoint": object{"browseEndpoint": object{"browseId": c.ChannelID, "canonicalBaseUrl": "/" + *c.Handle}},
			"descriptionSnippet": runs("All talks. Every ", "…"), "subscriberCountText": simple(*c.Handle), // so the site has it
		}
		if c.SubscriberCount != nil {
			shown["videoCountText"] = simple(rounded(*c.SubscriberCount) + " subscribers")
		}
		return object{"channelRenderer": shown}
	case video.TypePlaylist:
		return object{"playlistRenderer": object{"playlistId": r.Playlist.PlaylistID, "title": simple(*r.Playlist.Title), "videoCount": "123"}}
	}
	return object{"videoRenderer": s.renderer(r.Video.VideoID)}
}

// rounded is a number as the site shows it in lists.
func rounded(n int64) string {
	switch {
	case n >= 1_000_000:
		return strconv.FormatFloat(float64(n)/1_000_000, 'g', 3, 64) + "M"
	case n >= 1000:
		return strconv.FormatFloat(float64(n)/1000, 'g', 4, 64) + "K"
	}
	return strconv.FormatInt(n, 10)
}

func (s catalogSite) thumbnail() object {
	return object{"thumbnails": []object{
		{"url": s.Base + "/small.jpg", "width": 120, "height": 90}, {"url": s.Base + "/large.jpg?x=1&y=2", "width": 480, "height": 360},
	}}
}

// renderer is how a list shows a video, or that it is not there.
func (s catalogSite) renderer(id string) object {
	v, ok := s.Video(id)
	switch {
	case id == enginetest.PrivateVideo:
		return object{"videoId": id, "title": simple("[Private video]")}
	case !ok:
		return object{"videoId": id, "title": simple("[Deleted video]")}
	}
	owner := object{"runs": []object{{"text": *v.Channel, "navigationEndpoint": object{
		"browseEndpoint": object{"browseId": *v.ChannelID, "canonicalBaseUrl": "/@talks"},
	}}}}
	shown := object{
		"videoId": id, "title": object{"runs": []object{{"text": *v.Title}}}, "isPlayable": true, "shortBylineText": owner, "thumbnail": s.thumbnail(),
		"publishedTimeText": simple("3 days ago"),
	}
	style := "DEFAULT"
	switch {
	case *v.IsLive:
		style = "LIVE"
		shown["viewCountText"] = runs("7", " watching")
	case v.ViewCount != nil && *v.ViewCount == 0:
		shown["viewCountText"] = simple("No views")
	case v.ViewCount != nil:
		shown["viewCountText"] = simple(rounded(*v.ViewCount) + " views")
	}
	if v.Broadcast && !*v.IsLive {
		shown["publishedTimeText"] = simple("Streamed 3 days ago")
	}
	if v.DurationSec != nil {
		n := *v.DurationSec
		shown["lengthText"] = simple(fmt.Sprintf("%d:%02d:%02d", n/3600, n/60%60, n%60))
		shown["lengthSeconds"] = strconv.Itoa(n)
	}
	if *v.IsShort {
		style = "SHORTS"
		shown["navigationEndpoint"] = object{"commandMetadata": object{"webCommandMetadata": object{"url": "/shorts/" + id}}}
	}
	shown["thumbnailOverlays"] = []object{{"thumbnailOverlayTimeStatusRenderer": object{"style": style}}}
	return shown
}

func alert(words string) object {
	return object{"contents": object{}, "alerts": []object{{"alertRenderer": object{"type": "ERROR", "text": simple(words)}}}}
}

// playlist is a page of a playlist. What is not there is shown to who asks for all.
func (s catalogSite) playlist(id string, offset int, all bool) object {
	p, ok := s.Playlist(id)
	switch {
	case ok && p.Private:
		return alert("This playlist is private.")
	case !ok, strings.HasPrefix(id, "UU") && len(p.Entries) == 0:
		return alert("The playlist does not exist.")
	}
	if !all {
		p.Entries = slices.DeleteFunc(slices.Clone(p.Entries), func(id string) bool {
			_, there := s.Video(id)
			return !there
		})
	}
	items := some(p.Entries, "playlist "+id, offset, 100, func(id string) object { return object{"playlistVideoRenderer": s.renderer(id)} })
	if offset > 0 {
		return object{"onResponseReceivedActions": []object{{"appendContinuationItemsAction": object{"continuationItems": items}}}}
	}
	section := object{"itemSectionRenderer": object{"contents": []object{{"playlistVideoListRenderer": object{"contents": items}}}}}
	return object{
		"metadata": object{"playlistMetadataRenderer": object{"title": *p.Title}},
		"contents": object{"twoColumnBrowseResultsRenderer": object{"tabs": []object{{"tabRenderer": object{
			"selected": true, "content": object{"sectionListRenderer": object{"contents": []object{section}}},
		}}}}},
	}
}

func (s catalogSite) browse(w http.ResponseWriter, r *http.Request) {
	q, ok := ask(w, r)
	if !ok {
		return
	}
	of, offset := continued(q.Continuation)
	kind, id, _ := strings.Cut(of, " ")
	switch kind {
	case "playlist":
		reply(w, s.playlist(id, offset, true))
		return
	case "tab":
		id, name, _ := strings.Cut(id, " ")
		reply(w, object{"onResponseReceivedActions": []object{{"appendContinuationItemsAction": object{"continuationItems": s.uploads(id, name, offset)}}}})
		return
	}
	if tab, ok := strings.CutPrefix(q.Params, "tab "); ok {
		c, _ := s.Channel(q.BrowseID) // as it was resolved
		reply(w, s.tab(c, tab))
		return
	}
	reply(w, s.playlist(strings.TrimPrefix(q.BrowseID, "VL"), 0, q.Params == "wgYCCAA="))
}

// siteTabs are a channel's tabs and what they show.
var siteTabs = map[string]video.Kind{"videos": video.Regular, "shorts": video.Shorts, "streams": video.Live}

// uploads are the entries on a page of a channel's tab.
func (s catalogSite) uploads(channelID, name string, offset int) []object {
	ids := s.Uploads(channelID, siteTabs[name])
	return some(ids, "tab "+channelID+" "+name, offset, 30, func(id string) object {
		shown := s.renderer(id)
		delete(shown, "shortBylineText") // whose page it is says so
		return object{"richItemRenderer": object{"content": object{"videoRenderer": shown}}}
	})
}

// resolve says which question gives what a page shows.
func (s catalogSite) resolve(w http.ResponseWriter, r *http.Request) {
	q, ok := ask(w, r)
	if !ok {
		return
	}
	_, path, _ := strings.Cut(strings.TrimPrefix(q.URL, "https://"), "/")
	if _, id, ok := strings.Cut(path, "playlist?list="); ok {
		reply(w, object{"endpoint": object{"browseEndpoint": object{"browseId": "VL" + id}}})
		return
	}
	name, tab, _ := strings.Cut(strings.TrimPrefix(path, "channel/"), "/")
	name, err := url.PathUnescape(name)
	c, ok := s.Channel(name)
	if err != nil || !ok {
		http.NotFound(w, r)
		return
	}
	reply(w, object{"endpoint": object{"browseEndpoint": object{"browseId": c.ChannelID, "params": "tab " + tab}}})
}

func (s catalogSite) channel(w http.ResponseWriter, r *http.Request) {
	c, ok := s.Channel(r.PathValue("name"))
	if !ok {
		http.NotFound(w, r)
		return
	}
	page(w, s.tab(c, strings.TrimSuffix(r.PathValue("tab")+"?"+r.URL.RawQuery, "?")), nil)
}

// tab is a tab of a channel, with its query: where it has none of that name, its first one.
func (s catalogSite) tab(c enginetest.CatalogChannel, selected string) object {
	names := []string{"featured"}
	for _, name := range []string{"videos", "shorts", "streams"} {
		if len(s.Uploads(c.ChannelID, siteTabs[name])) > 0 {
			names = append(names, name)
		}
	}
	selected, query, _ := strings.Cut(selected, "?query=")
	if selected != "search" && !slices.Contains(names, selected) {
		selected = "featured"
	}
	tabs := []object{}
	for _, name := range names {
		t := object{"title": strings.ToUpper(name[:1]) + name[1:], "endpoint": siteLink("/" + *c.Handle + "/" + name)}
		if name == selected {
			t["selected"], t["content"] = true, object{"richGridRenderer": object{"contents": []object{}}}
			if name != "featured" {
				t["content"] = object{"richGridRenderer": object{"contents": s.uploads(c.ChannelID, name, 0)}}
			}
		}
		tabs = append(tabs, object{"tabRenderer": t})
	}
	if selected == "search" {
		q := video.Search{Q: query, Type: video.TypeVideo, Order: video.ByRelevance, ChannelID: c.ChannelID}
		items := some(s.Search(q), "none", 0, 1000, func(r video.Result) object {
			return object{"itemSectionRenderer": object{"contents": []object{s.result(r)}}}
		})
		tabs = append(tabs, object{"expandableTabRenderer": object{
			"title": "Search", "selected": true, "endpoint": siteLink("/" + *c.Handle + "/search?query=x"), "content": object{"sectionListRenderer": object{"contents": items}},
		}})
	}
	header := object{"channelHandleText": runs(*c.Handle)}
	if c.SubscriberCount != nil {
		header["subscriberCountText"] = simple(rounded(*c.SubscriberCount) + " subscribers")
	}
	return object{
		"metadata": object{"channelMetadataRenderer": object{
			"title": *c.Title, "externalId": c.ChannelID, "description": *c.Description, "keywords": "",
			"channelUrl": "https://www.youtube.com/channel/" + c.ChannelID, "vanityChannelUrl": "http://www.youtube.com/" + *c.Handle,
			"avatar": object{"thumbnails": []object{{"url": "https://pictures.example/avatar=s900-c-k", "width": 900, "height": 900}}},
		}},
		"header":   object{"c4TabbedHeaderRenderer": header},
		"contents": object{"twoColumnBrowseResultsRenderer": object{"tabs": tabs}},
	}
}

func siteLink(path string) object {
	return object{"commandMetadata": object{"webCommandMetadata": object{"url": path}}}
}

func (s catalogSite) watch(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Query().Get("v")
	page(w, s.around(id), s.played(id))
}

func (s catalogSite) player(w http.ResponseWriter, r *http.Request) {
	if q, ok := ask(w, r); ok {
		reply(w, s.played(q.VideoID))
	}
}

func (s catalogSite) next(w http.ResponseWriter, r *http.Request) {
	if q, ok := ask(w, r); ok {
		reply(w, s.around(q.VideoID))
	}
}

// around is what stands around the player of a video.
func (s catalogSite) around(id string) object {
	info := object{}
	if v, ok := s.Video(id); ok {
		info["title"] = runs(*v.Title)
		if v.LikeCount != nil {
			label := object{"accessibilityData": object{"label": fmt.Sprintf("%d likes", *v.LikeCount)}}
			info["videoActions"] = object{"menuRenderer": object{"topLevelButtons": []object{{"segmentedLikeDislikeButtonRenderer": object{
				"likeButton": object{"toggleButtonRenderer": object{"defaultText": object{"accessibility": label}}},
			}}}}}
		}
	}
	return object{"contents": object{"twoColumnWatchNextResults": object{"results": object{"results": object{"contents": []object{
		{"videoPrimaryInfoRenderer": info},
	}}}}}}
}

// played is what the player says of a video.
func (s catalogSite) played(id string) object {
	v, ok := s.Video(id)
	if !ok {
		status, reason := "ERROR", "Video unavailable"
		if id == enginetest.PrivateVideo {
			status, reason = "LOGIN_REQUIRED", "Private video"
		}
		return object{"playabilityStatus": object{"status": status, "reason": reason, "errorScreen": object{
			"playerErrorMessageRenderer": object{"reason": simple(reason), "subreason": simple("This video has been removed by the uploader")},
		}}}
	}
	details := object{
		"videoId": id, "title": *v.Title, "author": *v.Channel, "channelId": *v.ChannelID, "shortDescription": *v.Description,
		"thumbnail": s.thumbnail(), "isLiveContent": v.Broadcast, "isLive": *v.IsLive, "lengthSeconds": "0",
	}
	if len(v.Tags) > 0 {
		details["keywords"] = v.Tags
	}
	if v.ViewCount != nil {
		details["viewCount"] = strconv.FormatInt(*v.ViewCount, 10)
	}
	if v.DurationSec != nil {
		details["lengthSeconds"] = strconv.Itoa(*v.DurationSec)
	}
	played := object{
		"playabilityStatus": object{"status": "OK"}, "videoDetails": details,
		"microformat": object{"playerMicroformatRenderer": object{
			"uploadDate": v.PublishedAt.Format("2006-01-02T15:04:05-07:00"), "publishDate": v.PublishedAt.Format("2006-01-02T15:04:05-07:00"), "isShortsEligible": *v.IsShort,
		}},
		"streamingData": object{"formats": []object{{
			"itag": 18, "url": s.Base + "/media", "mimeType": `video/mp4; codecs="avc1.42001E, mp4a.40.2"`,
			"width": 640, "height": 360, "quality": "medium", "qualityLabel": "360p", "bitrate": 500000, "audioQuality": "AUDIO_QUALITY_LOW",
		}}},
	}
	tracks := []object{}
	for _, t := range v.Tracks {
		tracks = append(tracks, object{
			"baseUrl": s.Base + "/api/timedtext?v=" + id + "&lang=" + t.Lang, "name": runs(t.Name), "vssId": "." + t.Lang, "languageCode": t.Lang,
		})
	}
	if len(tracks) > 0 {
		played["captions"] = object{"playerCaptionsTracklistRenderer": object{"captionTracks": tracks}}
	}
	return played
}
