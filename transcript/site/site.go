// Package site is the platform table: which hosts, link shapes and ids belong
// to which platform, as data.
//
//	match, err := site.Default().Detect("https://youtu.be/dQw4w9WgXcQ?t=42")
//	// video_site, dQw4w9WgXcQ
//
// A file of the operator's may replace what the public sites are known by:
//
//	table, err := site.Default().Override(file)
//
// The package follows no link and asks no site. It recognizes a short link; a caller
// that may open connections follows the link.
package site

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Match is what a link means.
type Match struct {
	Platform   transcript.Platform
	ExternalID string // empty when Short
	// URL is the canonical link to the content; of a short link the link itself,
	// which must be followed to learn more.
	URL   string
	Short bool
	Named bool // ExternalID is the name of a channel and not its id
}

// Table is a valid platform table. It never changes; safe for concurrent use.
// The zero value knows no platform.
type Table struct {
	sites map[transcript.Platform]*platform
	hosts map[string]*platform // by host, or host:port
}

// Detect reads a link: a full link, a short link, or a bare content id of the video
// site. The scheme may be missing if the host is known. The error is
// UNSUPPORTED_PLATFORM (with details.host) if no platform has the host of the link. The
// error is INVALID_VIDEO if text is neither a link nor an id, or if a link of a
// platform names no content; in the latter case the Match has the Platform. The caller
// bounds the length of the link.
func (t *Table) Detect(text string) (Match, error) {
	if video, ok := t.sites[transcript.VideoSite]; ok && video.validID(text) {
		return video.content(text), nil
	}
	l, p, err := t.locate(text, "content")
	if err != nil {
		return Match{}, err
	}
	if id, ok := p.find(l); ok {
		return p.content(id), nil
	}
	if p.short(l) {
		if link, ok := l.clean(p.scheme); ok {
			return Match{Platform: p.name, URL: link, Short: true}, nil
		}
	}
	return Match{Platform: p.name}, transcript.Errorf(transcript.InvalidVideo, "The link names no content of %s.", p.name.Words())
}

// locate reads a link, and finds the platform whose host it is on. what names what
// was looked for.
func (t *Table) locate(text, what string) (link, *platform, error) {
	l, ok := parseLink(text)
	if !ok {
		return link{}, nil, transcript.Errorf(transcript.InvalidVideo, "This is neither a link nor a %s id.", what)
	}
	p, known := t.hosts[l.host]
	switch {
	case known:
		return l, p, nil
	case l.scheme == "":
		return link{}, nil, transcript.Errorf(transcript.InvalidVideo, "This is neither a link to a supported site nor a %s id.", what)
	}
	return link{}, nil, transcript.Errorf(transcript.UnsupportedPlatform, "Links to %s are not supported.", clip.Text(l.host)).
		With("host", clip.Text(l.host))
}

// Content is the match for a platform and its own id. INVALID_VIDEO for an id
// outside the platform's grammar, UNSUPPORTED_PLATFORM for a platform that has
// no links.
func (t *Table) Content(p transcript.Platform, externalID string) (Match, error) {
	s, ok := t.sites[p]
	if !ok {
		return Match{}, transcript.Errorf(transcript.UnsupportedPlatform, "There are no links to %s.", clip.Text(p.Words()))
	}
	if !s.validID(externalID) {
		return Match{}, transcript.Errorf(transcript.InvalidVideo, "This is not a content id of %s.", p.Words())
	}
	return s.content(externalID), nil
}

// At is the link to a moment of a content, in seconds from its start; the
// canonical link where the platform has no such links. Errors as of
// [Table.Content].
func (t *Table) At(p transcript.Platform, externalID string, sec int) (string, error) {
	m, err := t.Content(p, externalID)
	if err != nil {
		return "", err
	}
	at := t.sites[p].at(externalID)
	if at == "" {
		return m.URL, nil
	}
	return strings.ReplaceAll(at, timePlaceholder, strconv.Itoa(max(sec, 0))), nil
}

// Site is what the table says of a platform, derived members filled in; ok is
// false for a platform without links.
func (t *Table) Site(p transcript.Platform) (s Site, ok bool) {
	found, ok := t.sites[p]
	if !ok {
		return Site{}, false
	}
	return found.data.clone(), true
}

// Site is one platform's part of the table: what its links look
// like. Of a Site that replaces another, a member that is zero is not named.
type Site struct {
	// Hosts are exact, "host" or "host:port", lower case; Unicode names stand in
	// their ASCII form.
	Hosts []string `json:"hosts"`
	// ShortHosts are hosts whose links only redirect. An entry with a path
	// ("www.example.com/t/{code}") means the links of that shape on a host that
	// also has others.
	ShortHosts []string `json:"shortHosts"`
	// ID is the grammar of a content id (RE2). It must match the whole id.
	ID string `json:"id"`
	// Links are the path and query patterns of links that name a content:
	//
	//	/watch?v={id}               a query value; other parameters are ignored
	//	/@{user}/video/{id}         a path segment; {user} is any other
	//	/posts/{slug}-{id}-{hash}   text and one placeholder on each side of the id
	//	//short.example/{id}        on this host only
	//	!/embed/playlist            no content, whatever the others say
	//
	// The first pattern that finds a valid id wins.
	Links []string `json:"links"`
	// Canonical is the link that is stored and handed to engines; one {id}. Its
	// host is one of Hosts, and the first of Links that fits it finds the id.
	Canonical string `json:"canonical"`
	// Base is scheme and host of requests of the service's own.
	Base string `json:"base"`
	// At is a link to a moment, with {id} and {t} in seconds; empty where the
	// platform has none.
	At string `json:"at"`
	// Playlist and Channel are the links to a playlist and a channel that are handed
	// to engines, with {id}; empty where the platform has none. PlaylistID and
	// ChannelID are the grammars of their ids, like ID; where one is empty, these
	// cannot be listed.
	Playlist   string `json:"playlist"`
	PlaylistID string `json:"playlistId"`
	Channel    string `json:"channel"`
	ChannelID  string `json:"channelId"`
	// PlaylistLinks and ChannelLinks are patterns, like Links, of further links that
	// name a playlist or a channel. Some links to channels hold a name and no id:
	//
	//	/@{name}/{tab}   a name with what stands before it: "@name"
	PlaylistLinks []string `json:"playlistLinks"`
	ChannelLinks  []string `json:"channelLinks"`
	// ChannelFeed and PlaylistFeed are the addresses of the feeds of a channel and of a
	// playlist, with {id}; empty where the platform has none.
	ChannelFeed  string `json:"channelFeed"`
	PlaylistFeed string `json:"playlistFeed"`
	// Elsewhere are contents that are not on the platform's own hosts, by their ids: a
	// talk that the operator has on a page of their own. On the host of one no other
	// content is found.
	Elsewhere map[string]Place `json:"elsewhere"`
}

func (s Site) clone() Site {
	s.Elsewhere = maps.Clone(s.Elsewhere)
	for _, list := range []*[]string{&s.Hosts, &s.ShortHosts, &s.Links, &s.PlaylistLinks, &s.ChannelLinks} {
		*list = slices.Clone(*list)
	}
	return s
}
