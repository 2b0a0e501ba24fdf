package site

import (
	"encoding/json"
	"maps"
	"slices"
)

// Place is the location of content that is not on its platform's own hosts.
type Place struct {
	// Canonical is the link to the content, which the service stores and passes to
	// engines. It has the form of one of the platform's Links.
	Canonical string `json:"canonical"`
	// At is a link to a time in the content, with {t} in seconds; empty if there are no
	// such links.
	At string `json:"at"`
}

// readElsewhere checks that the table itself reads the links to contents elsewhere.
func (p *platform) readElsewhere() error {
	away := map[string]string{}
	for _, id := range slices.Sorted(maps.Keys(p.data.Elsewhere)) {
		place, member := p.data.Elsewhere[id], "elsewhere."+id
		l, err := readTemplate(member+".canonical", place.Canonical)
		switch found, ok := p.find(l); {
		case !p.validID(id):
			return faultf(member, "is no id of this platform")
		case err != nil:
			return err
		case slices.Contains(p.data.Hosts, l.host):
			return faultf(member+".canonical", "is on one of hosts: %q", place.Canonical)
		case !ok || found != id:
			return faultf(member+".canonical", "must have the shape of one of links, with this id: %q", place.Canonical)
		}
		if place.At != "" {
			if _, err := readTemplate(member+".at", place.At, timePlaceholder); err != nil {
				return err
			}
		}
		away[id] = l.host
	}
	p.away = away
	return nil
}

// has reports whether a content of the platform can be on one of its hosts.
func (p *platform) has(id, host string) bool {
	if place, elsewhere := p.away[id]; elsewhere {
		return place == host
	}
	return !p.isAway(host)
}

// isAway reports whether a host has contents elsewhere.
func (p *platform) isAway(host string) bool {
	for _, away := range p.away {
		if away == host {
			return true
		}
	}
	return false
}

// decodePlaces reads the member elsewhere.
func decodePlaces(path string, text []byte) (map[string]Place, error) {
	var places map[string]map[string]json.RawMessage
	if err := json.Unmarshal(text, &places); err != nil || places == nil {
		return nil, faultf(path, "must be an object of objects")
	}
	all := map[string]Place{}
	for _, id := range slices.Sorted(maps.Keys(places)) {
		var place Place
		texts := map[string]*string{"canonical": &place.Canonical, "at": &place.At}
		for _, name := range slices.Sorted(maps.Keys(places[id])) {
			member := path + "." + id + "." + name
			text, ok := texts[name]
			if !ok {
				return nil, faultf(member, "is no member of a place")
			}
			var err error
			if *text, err = decodeText(member, places[id][name]); err != nil {
				return nil, err
			}
		}
		all[id] = place
	}
	return all, nil
}
