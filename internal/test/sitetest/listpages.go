package sitetest

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/engine/enginetest/sitecatalog"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// PlaylistPage is the number of entries on a page of a playlist.
const PlaylistPage = 100

// continued reads a token: which list continues, and at which entry.
func continued(token string) (of string, offset int) {
	of, from, _ := strings.Cut(token, "@@")
	offset, _ = strconv.Atoi(from) // 0 without a valid number
	return of, offset
}

// more returns the entry that carries the token of the next page.
func more(of string, offset int) object {
	return object{"continuationItemRenderer": object{"continuationEndpoint": object{
		"continuationCommand": object{"token": of + "@@" + strconv.Itoa(offset), "request": "CONTINUATION_REQUEST_TYPE_BROWSE"},
	}}}
}

// some returns the entries on a page of a list.
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

func (s Pages) search(w http.ResponseWriter, r *http.Request) {
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

func (s Pages) result(r video.Result) object {
	switch r.Type {
	case video.TypeChannel:
		c := r.Channel
		shown := object{
			"channelId": c.ChannelID, "title": simple(*c.Title), "thumbnail": s.thumbnail(),
			"navigationEndpoint": object{"browseEndpoint": object{"browseId": c.ChannelID, "canonicalBaseUrl": "/" + *c.Handle}},
			"descriptionSnippet": runs("All talks. Every ", "…"), "subscriberCountText": simple(*c.Handle), // as on the real site
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

// renderer returns the entry of a list for a video, even for a video that is not there.
func (s Pages) renderer(id string) object {
	v, ok := s.Video(id)
	switch {
	case id == sitecatalog.PrivateVideo:
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

// playlist returns a page of a playlist. Without all, the page leaves out removed and private
// videos.
func (s Pages) playlist(id string, offset int, all bool) object {
	p, ok := s.Playlist(id)
	switch {
	case s.Alerts[id] != "":
		return alert(s.Alerts[id])
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
	items := some(p.Entries, "playlist "+id, offset, PlaylistPage, func(id string) object { return object{"playlistVideoRenderer": s.renderer(id)} })
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

func (s Pages) browse(w http.ResponseWriter, r *http.Request) {
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

// TabKind returns the kind of the videos on a tab of a channel. It is empty for other tabs.
func TabKind(tab string) video.Kind {
	return map[string]video.Kind{"videos": video.Regular, "shorts": video.Shorts, "streams": video.Live}[tab]
}

// uploads returns the entries on a page of a channel's tab.
func (s Pages) uploads(channelID, name string, offset int) []object {
	ids := s.Uploads(channelID, TabKind(name))
	return some(ids, "tab "+channelID+" "+name, offset, 30, func(id string) object {
		shown := s.renderer(id)
		delete(shown, "shortBylineText") // the page names the channel
		return object{"richItemRenderer": object{"content": object{"videoRenderer": shown}}}
	})
}

// resolve returns the question with which a program asks for the content of a page.
func (s Pages) resolve(w http.ResponseWriter, r *http.Request) {
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

func (s Pages) channel(w http.ResponseWriter, r *http.Request) {
	c, ok := s.Channel(r.PathValue("name"))
	if !ok {
		http.NotFound(w, r)
		return
	}
	sendPage(w, s.tab(c, strings.TrimSuffix(r.PathValue("tab")+"?"+r.URL.RawQuery, "?")), nil)
}

// tab returns the page of a channel's tab, which may have a query. If the channel has no such
// tab, the page shows the first tab.
func (s Pages) tab(c sitecatalog.Channel, selected string) object {
	names := []string{"featured"}
	for _, name := range []string{"videos", "shorts", "streams"} {
		if len(s.Uploads(c.ChannelID, TabKind(name))) > 0 {
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
