// Package site recognizes links to content. Its table says which hosts, forms of links
// and ids belong to which platform.
//
//	match, err := site.Default().Detect("https://youtu.be/dQw4w9WgXcQ?t=42")
//	// video_site, dQw4w9WgXcQ
//
// A file can change the hosts and links of a platform:
//
//	table, err := site.Default().Override(file)
//
// The package opens no connection. It recognizes a short link, but the caller must
// follow it.
package site

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Match is the content, playlist or channel that a link names.
type Match struct {
	Platform   transcript.Platform
	ExternalID string // empty when Short
	// URL is the canonical link to the content. For a short link it is the link itself,
	// which the caller must follow.
	URL   string
	Short bool
	Named bool // ExternalID is the name of a channel instead of its id
}

// Table recognizes the links of its platforms. It never changes, and is safe for
// concurrent use. The zero value knows no platform.
type Table struct {
	sites map[transcript.Platform]*platform
	hosts map[string]*platform // by host, or host:port
}

// Detect recognizes content: text is a full link, a short link, or a bare id of the
// video site. A link to a known host needs no scheme. The error has the code
// UNSUPPORTED_PLATFORM, with details.host, if no platform has the host of the link. It
// has the code INVALID_VIDEO if text is neither a link nor an id, or if a link of a
// platform names no content. In the latter case the Match has the Platform. The caller
// must limit the length of text.
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

// locate reads a link, and finds the platform of its host. what names what the caller
// looks for.
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

// Content returns the match for a platform and its own id of some content. The error
// has the code INVALID_VIDEO if the id is not valid for the platform, and
// UNSUPPORTED_PLATFORM if the platform has no links.
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

// At returns the link to a time in some content, in seconds from its start. If the
// platform has no such links, At returns the canonical link. The errors are those of
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

// Site returns the description of a platform, including derived members. ok is false if
// the platform has no links.
func (t *Table) Site(p transcript.Platform) (s Site, ok bool) {
	found, ok := t.sites[p]
	if !ok {
		return Site{}, false
	}
	return found.data.clone(), true
}

// Site describes the links of a platform. In [New] and [Table.Replace], a member that
// is zero leaves the existing value.
type Site struct {
	// Hosts are the hosts of the platform, as "host" or "host:port" in lower case.
	// Unicode names are in their ASCII form. A link must have exactly such a host.
	Hosts []string `json:"hosts"`
	// ShortHosts are the hosts of short links, which only redirect. An entry with a
	// path ("www.example.com/t/{code}") applies only to the links of that form, on a
	// host that has other links too.
	ShortHosts []string `json:"shortHosts"`
	// ID is a regular expression (RE2) that must match the whole id of a content.
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
	// Canonical is the link that the service stores and passes to engines, with one
	// {id}. Its host must be one of Hosts, and the first of Links that matches it must
	// find the id.
	Canonical string `json:"canonical"`
	// Base is the scheme and the host of the service's own requests to the platform.
	Base string `json:"base"`
	// At is a link to a time in the content, with {id}, and {t} in seconds; empty if
	// the platform has no such links.
	At string `json:"at"`
	// Playlist and Channel are the links to a playlist and a channel that the service
	// passes to engines, with {id}; empty if the platform has none. PlaylistID and
	// ChannelID are regular expressions for their ids, like ID. If one is empty,
	// playlists or channels cannot be listed.
	Playlist   string `json:"playlist"`
	PlaylistID string `json:"playlistId"`
	Channel    string `json:"channel"`
	ChannelID  string `json:"channelId"`
	// PlaylistLinks and ChannelLinks are patterns, like Links, of further links that
	// name a playlist or a channel. Some links to channels have a name instead of an
	// id:
	//
	//	/@{name}/{tab}   a name with what stands before it: "@name"
	PlaylistLinks []string `json:"playlistLinks"`
	ChannelLinks  []string `json:"channelLinks"`
	// ChannelFeed and PlaylistFeed are the addresses of the feeds of a channel and of a
	// playlist, with {id}; empty if the platform has none.
	ChannelFeed  string `json:"channelFeed"`
	PlaylistFeed string `json:"playlistFeed"`
	// Elsewhere maps ids to content that is not on the platform's own hosts, such as a
	// talk on a page of the operator's. No other content is recognized on such a host.
	Elsewhere map[string]Place `json:"elsewhere"`
}

func (s Site) clone() Site {
	s.Elsewhere = maps.Clone(s.Elsewhere)
	for _, list := range []*[]string{&s.Hosts, &s.ShortHosts, &s.Links, &s.PlaylistLinks, &s.ChannelLinks} {
		*list = slices.Clone(*list)
	}
	return s
}
