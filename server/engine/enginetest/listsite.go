package enginetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// ListPageSize is the number of entries on a page of a [Site]'s list.
const ListPageSize = 100

// The requests that read a list.
const (
	firstPage step = "first page"
	nextPage  step = "next page"
)

// listCondition is an answer of the site to a request for a list.
type listCondition struct {
	Condition
	entries int  // in the list
	alert   bool // the page says in words of its own why there is no list
	words   string
}

// listConditions lists the site's answers to requests for a list.
func listConditions() []listCondition {
	all := []listCondition{
		{Condition: Condition{Name: "one page"}, entries: 7},
		{Condition: Condition{Name: "many pages"}, entries: 10_000},
		{Condition: Condition{Name: "an empty list"}},
		{Condition: Condition{Name: "private list", Codes: unavailable}, alert: true, words: "This playlist is private."},
		{Condition: Condition{Name: "no such list", Codes: unavailable}, alert: true, words: "The playlist does not exist."},
		{Condition: Condition{Name: "bot check in a list", Codes: blocked}, alert: true, words: "Sign in to confirm you’re not a bot"},
		{Condition: Condition{Name: "404 list", Codes: unavailable, at: firstPage, does: status(http.StatusNotFound, "")}, entries: 7},
		{Condition: Condition{Name: "consent page in a list", Codes: upstream, at: firstPage, does: consent}, entries: 7},
		{Condition: Condition{Name: "captcha page in a list", Codes: append(blocked[:1:1], upstream...), at: firstPage, does: captcha}, entries: 7},
	}
	for _, at := range []step{firstPage, nextPage} {
		for _, c := range everywhere {
			switch {
			case c.Silent, c.Name == "429 with Retry-After", c.Name == "endless body":
				continue // a source reads lists like captions, and the caption checks test these
			case at == firstPage && c.Name == "200 with an empty body":
				continue // the source finds another way to the list
			}
			c.Name, c.at = c.Name+" ("+string(at)+")", at
			if c.Codes[0] == transcript.POTokenRequired {
				c.Codes = upstream
			}
			all = append(all, listCondition{Condition: c, entries: 250})
		}
	}
	return all
}

// list returns the playlist with a condition, by the condition's name.
func (s *Site) list(name string) (l engine.List, c listCondition) {
	for n, c := range listConditions() {
		if c.Name == name {
			id := fmt.Sprintf("PLsite-list-%03d", n)
			return engine.List{Platform: transcript.VideoSite, Kind: engine.PlaylistList, ID: id, URL: s.URL + "/playlist?list=" + id}, c
		}
	}
	panic("enginetest: no list " + strconv.Quote(name))
}

// EntryID returns the id of an entry of every list of a [Site], counted from 0.
func EntryID(n int) string { return fmt.Sprintf("entry-%05d", n) }

// serveList answers a request for a page of a list. It reports false if the request is not for
// a list.
func (s *Site) serveList(w http.ResponseWriter, r *http.Request) bool {
	id, offset, resolves := r.URL.Query().Get("list"), 0, false
	switch r.URL.Path {
	case "/playlist":
	case "/youtubei/v1/navigation/resolve_url", "/youtubei/v1/browse":
		var question struct{ URL, BrowseID, Continuation string }
		if json.NewDecoder(r.Body).Decode(&question) != nil {
			http.Error(w, "not a question", http.StatusBadRequest)
			return true
		}
		_, id, resolves = strings.Cut(question.URL, "list=")
		if !resolves {
			id = strings.TrimPrefix(question.BrowseID, "VL")
		}
		if token, from, ok := strings.Cut(question.Continuation, "@"); ok {
			id = token
			offset, _ = strconv.Atoi(from) // 0 is the first page again
		}
	default:
		return false
	}
	digits, _ := strings.CutPrefix(id, "PLsite-list-")
	n, err := strconv.Atoi(digits)
	conditions := listConditions()
	if err != nil || n < 0 || n >= len(conditions) {
		http.NotFound(w, r)
		return true
	}
	c, at := conditions[n], firstPage
	if offset > 0 {
		at = nextPage
	}
	good := answer{"application/json", c.page(id, offset, resolves)}
	if r.URL.Path == "/playlist" {
		s.pages.Add(1)
		good = answer{"text/html; charset=utf-8", watchPage + "<script>var ytInitialData = " + good.body + ";</script>"}
	} else if offset > 0 {
		s.pages.Add(1)
	}
	if c.at == at {
		c.does(s, w, r, good)
		return true
	}
	good.send(w)
	return true
}

// page returns a page of a list, from an entry on. Every seventh entry is a removed content.
func (c listCondition) page(id string, offset int, resolves bool) string {
	if resolves {
		return toJSON(object{"endpoint": object{"browseEndpoint": object{"browseId": "VL" + id}}})
	}
	items := []object{}
	end := min(offset+ListPageSize, c.entries)
	for n := offset; n < end; n++ {
		title := object{"runs": []object{{"text": "Talk " + strconv.Itoa(n)}}}
		video := object{"videoId": EntryID(n), "title": title, "isPlayable": true, "lengthSeconds": "60"}
		if n%7 == 3 {
			video = object{"videoId": EntryID(n), "title": object{"simpleText": "[Deleted video]"}}
		}
		items = append(items, object{"playlistVideoRenderer": video})
	}
	if end < c.entries {
		items = append(items, object{"continuationItemRenderer": object{"continuationEndpoint": object{
			"continuationCommand": object{"token": id + "@" + strconv.Itoa(end), "request": "CONTINUATION_REQUEST_TYPE_BROWSE"},
		}}})
	}
	if offset > 0 {
		return toJSON(object{"onResponseReceivedActions": []object{{"appendContinuationItemsAction": object{"continuationItems": items}}}})
	}
	page := object{"contents": object{}}
	if c.alert {
		page["alerts"] = []object{{"alertRenderer": object{"type": "ERROR", "text": object{"simpleText": c.words}}}}
		return toJSON(page)
	}
	section := object{"itemSectionRenderer": object{"contents": []object{{"playlistVideoListRenderer": object{"contents": items}}}}}
	page["contents"] = object{"twoColumnBrowseResultsRenderer": object{"tabs": []object{{"tabRenderer": object{
		"selected": true, "content": object{"sectionListRenderer": object{"contents": []object{section}}},
	}}}}}
	page["metadata"] = object{"playlistMetadataRenderer": object{"title": "A list of talks"}}
	return toJSON(page)
}
