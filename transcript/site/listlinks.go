package site

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Playlist recognizes a playlist: text is a link to it, a link to content within it, or
// a bare id of the video site. The errors are those of [Table.Detect], and
// UNSUPPORTED_PLATFORM for a platform without playlists.
func (t *Table) Playlist(text string) (Match, error) {
	return t.list(text, "playlist", func(p *platform) *lists { return p.playlists })
}

// Channel recognizes a channel: text is a link to it, or a bare id or @handle of the
// video site. If the link has a name instead of an id, ExternalID is the path of the
// link, such as "@handle" or "c/name", and Named is true. The errors are those of
// [Table.Playlist].
func (t *Table) Channel(text string) (Match, error) {
	return t.list(text, "channel", func(p *platform) *lists { return p.channels })
}

func (t *Table) list(text, kind string, of func(*platform) *lists) (Match, error) {
	if video, ok := t.sites[transcript.VideoSite]; ok {
		if match, ok := of(video).bare(text); ok {
			match.Platform = video.name
			return match, nil
		}
	}
	l, p, err := t.locate(text, kind)
	if err != nil {
		return Match{}, err
	}
	if of(p) == nil {
		return Match{}, transcript.Errorf(transcript.UnsupportedPlatform, "A %s of %s cannot be listed.", kind, p.name.Words()).
			With("host", clip.Text(l.host))
	}
	match, ok := of(p).find(l)
	if !ok || p.isAway(l.host) {
		return Match{}, transcript.Errorf(transcript.InvalidVideo, "The link names no %s of %s.", kind, p.name.Words())
	}
	match.Platform = p.name
	return match, nil
}

// lists is how the playlists or the channels of a platform are named. nil means that the
// platform has none.
type lists struct {
	id       *regexp.Regexp
	template string // the canonical link to the list with an id
	links    []listLink
}

// listLink is one pattern of links to a list.
type listLink struct {
	pattern
	// named says that the link has a name instead of the id. mark is the text before
	// the name in the path, such as "@" or "c/".
	named bool
	mark  string
}

// listName is an id or a name of a list.
var listName = regexp.MustCompile(`\A[\p{L}\p{M}\p{N}._·-]{1,100}\z`)

// find returns the list that a link names.
func (ls *lists) find(l link) (Match, bool) {
	for i := range ls.links {
		shape := &ls.links[i]
		id, ok := shape.find(l)
		switch {
		case !ok:
		case shape.not:
			return Match{}, false
		case shape.named && validID(listName, id):
			return ls.named(shape.mark, id), true
		case !shape.named && validID(ls.id, id):
			return ls.match(id), true
		}
	}
	return Match{}, false
}

// bare reads a text that is an id or a name, and not a link.
func (ls *lists) bare(text string) (Match, bool) {
	if ls == nil {
		return Match{}, false
	}
	if validID(ls.id, text) {
		return ls.match(text), true
	}
	for _, shape := range ls.links {
		if name, ok := strings.CutPrefix(text, shape.mark); ok && shape.named && validID(listName, name) {
			return ls.named(shape.mark, name), true
		}
	}
	return Match{}, false
}

func (ls *lists) match(id string) Match { return Match{ExternalID: id, URL: expand(ls.template, id)} }

func (ls *lists) named(mark, name string) Match {
	return Match{ExternalID: mark + name, URL: origin(ls.template) + "/" + mark + url.PathEscape(name), Named: true}
}

const namePlaceholder = "{name}"

// readLists reads the members of playlists and of channels.
func (p *platform) readLists() (err error) {
	s := p.data
	if p.playlists, err = readLists("playlist", s.Playlist, s.PlaylistID, s.PlaylistLinks, s.Hosts); err != nil {
		return err
	}
	if p.channels, err = readLists("channel", s.Channel, s.ChannelID, s.ChannelLinks, s.Hosts); err != nil {
		return err
	}
	if err := checkFeed("playlistFeed", s.PlaylistFeed); err != nil {
		return err
	}
	return checkFeed("channelFeed", s.ChannelFeed)
}

// checkFeed checks the address of feeds in a member. The member may be empty.
func checkFeed(member, template string) error {
	if template == "" {
		return nil
	}
	_, err := readTemplate(member, template, idPlaceholder)
	return err
}

// ChannelFeed returns the address of the feed of a channel, by the channel's id. It is
// empty if the platform has no such feeds.
func (t *Table) ChannelFeed(platform transcript.Platform, id string) string {
	return t.feed(platform, id, func(s *Site) string { return s.ChannelFeed })
}

// PlaylistFeed returns the address of the feed of a playlist, by the playlist's id. It
// is empty if the platform has no such feeds. The feed may have only the first items of
// the playlist.
func (t *Table) PlaylistFeed(platform transcript.Platform, id string) string {
	return t.feed(platform, id, func(s *Site) string { return s.PlaylistFeed })
}

// FeedOf returns the channel or the playlist with the feed at address, such as from an
// OPML file. playlist reports which of the two it is. ok is false if address is not a
// feed of a platform.
func (t *Table) FeedOf(address string) (m Match, playlist, ok bool) {
	for name, p := range t.sites {
		for _, of := range []struct {
			template string
			lists    *lists
		}{{p.data.ChannelFeed, p.channels}, {p.data.PlaylistFeed, p.playlists}} {
			before, after, has := strings.Cut(of.template, idPlaceholder)
			id, begins := strings.CutPrefix(address, before)
			id, ends := strings.CutSuffix(id, after)
			if has && begins && ends && of.lists != nil && validID(of.lists.id, id) {
				m = of.lists.match(id)
				m.Platform = name
				return m, of.lists == p.playlists, true
			}
		}
	}
	return Match{}, false, false
}

func (t *Table) feed(platform transcript.Platform, id string, of func(*Site) string) string {
	p, ok := t.sites[platform]
	if !ok || of(&p.data) == "" {
		return ""
	}
	return expand(of(&p.data), id)
}

// readLists reads the three members whose names begin with kind. A link with the form of
// the canonical link is always accepted.
func readLists(kind, template, id string, links, hosts []string) (*lists, error) {
	if template != "" {
		if _, err := readTemplate(kind, template, idPlaceholder); err != nil {
			return nil, err
		}
	}
	switch {
	case id == "" && len(links) == 0:
		return nil, nil
	case id == "":
		return nil, faultf(kind+"Id", "must be there for %sLinks", kind)
	case template == "":
		return nil, faultf(kind, "must be there for %sId", kind)
	}
	grammar, err := compileID(kind+"Id", id)
	if err != nil {
		return nil, err
	}
	ls := &lists{id: grammar, template: template}
	for i, text := range links {
		shape, err := parseListLink(text)
		if err == nil && shape.host != "" && !slices.Contains(hosts, shape.host) {
			err = fmt.Errorf("is for a host that is not in hosts")
		}
		if err != nil {
			return nil, faultf(fmt.Sprintf("%sLinks[%d]", kind, i), "%v: %q", err, text)
		}
		ls.links = append(ls.links, shape)
	}
	if shape, err := parsePattern(strings.TrimPrefix(template, origin(template))); err == nil {
		ls.links = append(ls.links, listLink{pattern: shape})
	}
	return ls, nil
}

// parseListLink reads an entry of PlaylistLinks or ChannelLinks.
func parseListLink(text string) (listLink, error) {
	before, after, named := strings.Cut(text, namePlaceholder)
	if !named {
		shape, err := parsePattern(text)
		return listLink{pattern: shape}, err
	}
	shape, err := parsePattern(before + idPlaceholder + after)
	switch {
	case err != nil:
		return listLink{}, err
	case !strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//") || strings.ContainsAny(before, "{?"),
		after != "" && after[0] != '/':
		return listLink{}, fmt.Errorf("may have only text before a {name}, which ends its segment of the path")
	}
	return listLink{pattern: shape, named: true, mark: before[1:]}, nil
}
