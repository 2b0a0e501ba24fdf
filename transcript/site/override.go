package site

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// New returns a copy of [Default] in which the members of sites that are not zero
// replace those of the table, by the rules of [Table.Override]. The error names the
// wrong member.
func New(sites map[transcript.Platform]Site) (*Table, error) { return Default().Replace(sites) }

// Override returns a copy of the table, changed by a JSON document: an object with a
// platform's name for each key and members of [Site]. Members that are not in the
// document keep their values, with three exceptions:
//
//   - if only canonical is in the document, base follows it, and if only base is,
//     canonical follows;
//   - patterns for a host are removed together with that host;
//   - at, playlist and channel move to the new base, if the platform has such links.
//
// If a platform or a member is unknown or a value is invalid, the error names the
// member, such as "video_site.links[2]". The table itself does not change.
func (t *Table) Override(r io.Reader) (*Table, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("site: read the table: %w", err)
	}
	sites, err := decode(text)
	if err != nil {
		return nil, fmt.Errorf("site: %w", err)
	}
	return t.Replace(sites)
}

// Replace returns a copy of the table in which the members of sites that are not zero
// replace those of the table, by the rules of [Table.Override]. The error names the
// wrong member.
func (t *Table) Replace(sites map[transcript.Platform]Site) (*Table, error) {
	all := map[transcript.Platform]Site{}
	for name, p := range t.sites {
		all[name] = p.data
	}
	for _, name := range slices.Sorted(maps.Keys(sites)) {
		if !known(name) {
			return nil, fmt.Errorf("site: %w", faultf(string(name), "is no platform of the table"))
		}
		all[name] = merge(all[name], sites[name])
	}
	return compile(all)
}

// known reports whether a platform can have links.
func known(p transcript.Platform) bool {
	return p != transcript.Upload && slices.Contains(transcript.Platforms(), p)
}

// merge returns old, with the members that next sets.
func merge(old, next Site) Site {
	s := old
	if next.Hosts != nil {
		s.Hosts = next.Hosts
	}
	if next.ShortHosts != nil {
		s.ShortHosts = next.ShortHosts
	}
	s.Links = mergeLinks(old.Links, next.Links, s.Hosts)
	s.PlaylistLinks = mergeLinks(old.PlaylistLinks, next.PlaylistLinks, s.Hosts)
	s.ChannelLinks = mergeLinks(old.ChannelLinks, next.ChannelLinks, s.Hosts)
	if next.Elsewhere != nil {
		s.Elsewhere = next.Elsewhere
	}
	s.ID = cmp.Or(next.ID, old.ID)
	s.PlaylistID = cmp.Or(next.PlaylistID, old.PlaylistID)
	s.ChannelID = cmp.Or(next.ChannelID, old.ChannelID)
	switch {
	case next.Canonical != "" && next.Base != "":
		s.Canonical, s.Base = next.Canonical, next.Base
	case next.Canonical != "":
		s.Canonical, s.Base = next.Canonical, origin(next.Canonical)
	case next.Base != "":
		s.Canonical, s.Base = move(old.Canonical, next.Base), next.Base
	}
	s.At = derive(next.At, old.At, old.Base, s.Base)
	s.Playlist = derive(next.Playlist, old.Playlist, old.Base, s.Base)
	s.Channel = derive(next.Channel, old.Channel, old.Base, s.Base)
	s.ChannelFeed = derive(next.ChannelFeed, old.ChannelFeed, old.Base, s.Base)
	s.PlaylistFeed = derive(next.PlaylistFeed, old.PlaylistFeed, old.Base, s.Base)
	return s
}

// mergeLinks returns the new patterns if there are any, and otherwise the old ones,
// without patterns for hosts that the platform no longer has.
func mergeLinks(old, next, hosts []string) []string {
	if next != nil {
		return next
	}
	return slices.DeleteFunc(slices.Clone(old), func(pattern string) bool {
		host, bound := boundHost(pattern)
		return bound && !slices.Contains(hosts, host)
	})
}

// derive returns the new template if there is one, and otherwise the old template, moved
// to the new base if the base has changed.
func derive(named, old, oldBase, base string) string {
	switch {
	case named != "":
		return named
	case old == "" || base == oldBase:
		return old
	}
	return move(old, base)
}

// move replaces the base of a link.
func move(link, base string) string { return base + strings.TrimPrefix(link, origin(link)) }

// decode reads the JSON document member by member, because a fault must name its path.
// Package encoding/json does not report the path of list entries and of unknown members.
func decode(text []byte) (map[transcript.Platform]Site, error) {
	var platforms map[transcript.Platform]json.RawMessage
	if err := json.Unmarshal(text, &platforms); err != nil {
		return nil, fmt.Errorf("the table must be a JSON object of platforms: %w", err)
	}
	sites := map[transcript.Platform]Site{}
	for _, name := range slices.Sorted(maps.Keys(platforms)) {
		if !known(name) {
			return nil, faultf(string(name), "is no platform of the table")
		}
		s, err := decodeSite(platforms[name])
		if err != nil {
			return nil, fmt.Errorf("%s%w", name, err)
		}
		sites[name] = s
	}
	return sites, nil
}

func decodeSite(text []byte) (s Site, err error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil || members == nil {
		return Site{}, faultf("", "must be an object")
	}
	lists := map[string]*[]string{
		"hosts": &s.Hosts, "shortHosts": &s.ShortHosts, "links": &s.Links,
		"playlistLinks": &s.PlaylistLinks, "channelLinks": &s.ChannelLinks,
	}
	texts := map[string]*string{
		"id": &s.ID, "canonical": &s.Canonical, "base": &s.Base, "at": &s.At,
		"playlist": &s.Playlist, "playlistId": &s.PlaylistID, "channel": &s.Channel, "channelId": &s.ChannelID,
		"channelFeed": &s.ChannelFeed, "playlistFeed": &s.PlaylistFeed,
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if name == "elsewhere" {
			s.Elsewhere, err = decodePlaces("."+name, members[name])
		} else if list, ok := lists[name]; ok {
			*list, err = decodeList("."+name, members[name])
		} else if text, ok := texts[name]; ok {
			*text, err = decodeText("."+name, members[name])
		} else {
			err = faultf("."+name, "is no member of a platform")
		}
		if err != nil {
			return Site{}, err
		}
	}
	return s, nil
}

func decodeList(path string, text []byte) ([]string, error) {
	var elements []json.RawMessage
	if err := json.Unmarshal(text, &elements); err != nil || elements == nil {
		return nil, faultf(path, "must be a list of texts")
	}
	list := make([]string, len(elements))
	for i, element := range elements {
		var err error
		if list[i], err = decodeText(fmt.Sprintf("%s[%d]", path, i), element); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// decodeText reads a text. A table contains no empty texts.
func decodeText(path string, raw []byte) (text string, err error) {
	if err := json.Unmarshal(raw, &text); err != nil || text == "" || bytes.Equal(raw, []byte("null")) {
		return "", faultf(path, "must be a text")
	}
	return text, nil
}
