package site

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// maxID is the longest external id, in characters.
const maxID = 512

// platform is one valid entry of a table, prepared for use.
type platform struct {
	name   transcript.Platform
	data   Site
	scheme string // of Base, for links that have no scheme
	id     *regexp.Regexp
	links  []pattern
	shorts []short
	away   map[string]string // the hosts of contents elsewhere, by their ids

	playlists, channels *lists
}

// short is where a platform's short links are: a host, and a path if the host also has
// other links.
type short struct {
	host string
	path []segment // nil means every path
}

func (p *platform) validID(id string) bool { return validID(p.id, id) }

func validID(grammar *regexp.Regexp, id string) bool {
	if id == "" || id == "." || id == ".." || utf8.RuneCountInString(id) > maxID {
		return false
	}
	return grammar.MatchString(id) && plainText(id)
}

func (p *platform) content(id string) Match {
	m := Match{Platform: p.name, ExternalID: id}
	if place, elsewhere := p.data.Elsewhere[id]; elsewhere {
		m.URL = place.Canonical
	} else {
		m.URL = expand(p.data.Canonical, id)
	}
	return m
}

// at is the link to a moment of a content, with {t}; empty means that there is none.
func (p *platform) at(id string) string {
	if place, elsewhere := p.data.Elsewhere[id]; elsewhere {
		return place.At
	}
	if p.data.At == "" {
		return ""
	}
	return expand(p.data.At, id)
}

// find returns the id of the content to which a link on one of the platform's hosts
// leads.
func (p *platform) find(l link) (id string, ok bool) {
	for i := range p.links {
		id, ok := p.links[i].find(l)
		if !ok {
			continue
		}
		if p.links[i].not {
			return "", false
		}
		if p.validID(id) {
			return id, p.has(id, l.host)
		}
	}
	return "", false
}

func (p *platform) short(l link) bool {
	for _, s := range p.shorts {
		if s.host == l.host && s.match(l.segments) {
			return true
		}
	}
	return false
}

func (s short) match(segments []string) bool {
	if s.path == nil {
		return len(segments) > 0
	}
	return slices.EqualFunc(s.path, segments, func(s segment, text string) bool {
		_, ok := s.match(text)
		return ok
	})
}

// fault is an invalid member of a table; its path names the member, as in "links[2]".
type fault struct {
	path, says string
}

func (f fault) Error() string { return f.path + " " + f.says }

func faultf(path, format string, args ...any) error {
	return fault{path, fmt.Sprintf(format, args...)}
}

// compile checks a complete set of sites. A [Table] holds only checked sites.
func compile(sites map[transcript.Platform]Site) (*Table, error) {
	t := &Table{sites: map[transcript.Platform]*platform{}, hosts: map[string]*platform{}}
	for _, name := range transcript.Platforms() { // in order, so that the first fault is always the same
		data, ok := sites[name]
		if !ok {
			continue
		}
		p, err := compileSite(name, data.clone())
		if err == nil {
			err = t.add(p)
		}
		if err != nil {
			return nil, fmt.Errorf("site: %s.%w", name, err)
		}
	}
	return t, nil
}

func (t *Table) add(p *platform) error {
	t.sites[p.name] = p
	for i, host := range p.data.Hosts {
		if owner, taken := t.hosts[host]; taken {
			return faultf(fmt.Sprintf("hosts[%d]", i), "%q is a host of %s already", host, owner.name)
		}
		t.hosts[host] = p
	}
	for i, s := range p.shorts {
		if owner, taken := t.hosts[s.host]; taken && owner != p {
			return faultf(fmt.Sprintf("shortHosts[%d]", i), "%q is a host of %s already", s.host, owner.name)
		}
		t.hosts[s.host] = p
	}
	for id, host := range p.away {
		if owner, taken := t.hosts[host]; taken && owner != p {
			return faultf("elsewhere."+id, "%q is a host of %s already", host, owner.name)
		}
		t.hosts[host] = p
	}
	return nil
}

func compileSite(name transcript.Platform, data Site) (*platform, error) {
	p := &platform{name: name, data: data}
	for _, step := range []func() error{p.readHosts, p.readID, p.readLinks, p.readCanonical, p.readBase, p.readAt, p.readLists, p.readElsewhere} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *platform) readHosts() error {
	if len(p.data.Hosts) == 0 {
		return faultf("hosts", "must name a host")
	}
	for i, host := range p.data.Hosts {
		if normal, ok := normalizeHost(host); !ok || normal != host {
			return faultf(fmt.Sprintf("hosts[%d]", i), "must be a host or host:port in lower case, not %q", host)
		}
	}
	for i, entry := range p.data.ShortHosts {
		host, path, hasPath := strings.Cut(entry, "/")
		if normal, ok := normalizeHost(host); !ok || normal != host {
			return faultf(fmt.Sprintf("shortHosts[%d]", i), "must begin with a host or host:port in lower case, not %q", host)
		}
		if !hasPath && slices.Contains(p.data.Hosts, host) {
			return faultf(fmt.Sprintf("shortHosts[%d]", i), "%q is among hosts; say which path redirects", host)
		}
		s := short{host: host}
		for part := range strings.SplitSeq(path, "/") {
			if !hasPath {
				break
			}
			seg, err := parseSegment(part)
			if err != nil || part == "" || seg.kind == contentID {
				return faultf(fmt.Sprintf("shortHosts[%d]", i), "must hold text and placeholders other than {id} in its path, not %q", entry)
			}
			s.path = append(s.path, seg)
		}
		p.shorts = append(p.shorts, s)
	}
	return nil
}

func (p *platform) readID() (err error) {
	p.id, err = compileID("id", p.data.ID)
	return err
}

// compileID reads the grammar of an id. The expression must match the whole id.
func compileID(member, grammar string) (*regexp.Regexp, error) {
	if grammar == "" {
		return nil, faultf(member, "must be a regular expression")
	}
	if _, err := regexp.Compile(grammar); err != nil {
		return nil, faultf(member, "is no regular expression: %v", err)
	}
	id, err := regexp.Compile(`\A(?:` + grammar + `)\z`)
	if err != nil {
		return nil, faultf(member, "is no regular expression: %v", err)
	}
	return id, nil
}

func (p *platform) readLinks() error {
	if len(p.data.Links) == 0 {
		return faultf("links", "must hold a pattern")
	}
	for i, text := range p.data.Links {
		pattern, err := parsePattern(text)
		if err != nil {
			return faultf(fmt.Sprintf("links[%d]", i), "%v: %q", err, text)
		}
		if pattern.host != "" && !slices.Contains(p.data.Hosts, pattern.host) {
			return faultf(fmt.Sprintf("links[%d]", i), "is for a host that is not in hosts: %q", text)
		}
		p.links = append(p.links, pattern)
	}
	return nil
}

// readCanonical checks that the table itself reads the canonical link.
func (p *platform) readCanonical() error {
	l, err := readTemplate("canonical", p.data.Canonical, idPlaceholder)
	if err != nil {
		return err
	}
	if !slices.Contains(p.data.Hosts, l.host) {
		return faultf("canonical", "must be on one of hosts: %q", p.data.Canonical)
	}
	for _, pattern := range p.links {
		id, ok := pattern.find(l)
		if ok && id == idPlaceholder {
			return nil
		}
		if ok && (pattern.not || p.validID(id)) {
			break // the table would take every canonical link for something else
		}
	}
	return faultf("canonical", "must have the shape of one of links: %q", p.data.Canonical)
}

func (p *platform) readBase() error {
	if p.data.Base == "" {
		p.data.Base = origin(p.data.Canonical)
	}
	u, err := url.Parse(p.data.Base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Scheme+"://"+u.Host != p.data.Base {
		return faultf("base", "must be scheme and host, as https://www.example.com: %q", p.data.Base)
	}
	if _, ok := normalizeHost(u.Host); !ok {
		return faultf("base", "must name a host: %q", p.data.Base)
	}
	p.scheme = u.Scheme
	return nil
}

func (p *platform) readAt() error {
	if p.data.At == "" {
		return nil
	}
	_, err := readTemplate("at", p.data.At, idPlaceholder, timePlaceholder)
	return err
}

// readTemplate reads a link that contains each placeholder once.
func readTemplate(member, text string, placeholders ...string) (link, error) {
	rest := text
	for _, placeholder := range placeholders {
		if strings.Count(text, placeholder) != 1 {
			return link{}, faultf(member, "must hold %s once: %q", placeholder, text)
		}
		rest = strings.Replace(rest, placeholder, "", 1)
	}
	l, ok := parseLink(text)
	if !ok || l.scheme == "" || strings.ContainsAny(rest, "{}#") {
		return link{}, faultf(member, "must be a web link with %s: %q", strings.Join(placeholders, " and "), text)
	}
	return l, nil
}

// origin is the scheme and the host of a link.
func origin(text string) string {
	scheme, rest, _ := strings.Cut(text, "://")
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	return scheme + "://" + rest
}
