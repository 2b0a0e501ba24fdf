package enginetest

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/transcriptkit/transcriptkit/internal/test/sitetest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest/sitecatalog"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const mostEntries = 1000 // in a list

// The requests that read a list.
const (
	firstPage step = "first page"
	nextPage  step = "next page"
)

// listCondition is an answer of the site to a request for a list.
type listCondition struct {
	Condition
	entries int    // in the list
	alert   string // the site's own words, which replace the list
}

// listConditions lists the site's answers to requests for a list.
func listConditions() []listCondition {
	all := []listCondition{
		{Condition: Condition{Name: "one page"}, entries: 7},
		{Condition: Condition{Name: "many pages"}, entries: mostEntries},
		{Condition: Condition{Name: "an empty list"}},
		{Condition: Condition{Name: "private list", Codes: unavailable}, alert: "This playlist is private."},
		{Condition: Condition{Name: "no such list", Codes: unavailable}, alert: "The playlist does not exist."},
		{Condition: Condition{Name: "bot check in a list", Codes: blocked}, alert: "Sign in to confirm you’re not a bot"},
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

// listID returns the id of the playlist with a condition, by the condition's number.
func listID(n int) string { return fmt.Sprintf("PLsite-list-%03d", n) }

// list returns the playlist with a condition, by the condition's name.
func (s *Site) list(name string) (engine.List, sitecatalog.Playlist) {
	n := slices.IndexFunc(listConditions(), func(c listCondition) bool { return c.Name == name })
	if n < 0 {
		panic("enginetest: no list " + strconv.Quote(name))
	}
	found, _ := s.fake.Playlist(listID(n)) // every condition has a list
	return s.fake.ListOf(listID(n)), found
}

// addLists adds the playlists to the site. Every seventh entry is a removed content.
func (s *Site) addLists() {
	var ids []string
	for n := range mostEntries {
		ids = append(ids, sitetest.TalkID(n))
		if n%7 != 3 {
			s.fake.Videos = append(s.fake.Videos, sitetest.Talk(n))
		}
	}
	s.fake.Alerts = map[string]string{}
	for n, c := range listConditions() {
		id := listID(n)
		s.fake.Playlists = append(s.fake.Playlists, sitetest.NewPlaylist(id, "A list of talks", ids[:c.entries]...))
		s.fake.Alerts[id], s.of[id] = c.alert, c.Condition
	}
}
