package site

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

const (
	idPlaceholder   = "{id}"
	timePlaceholder = "{t}"
)

// pattern is one pattern of links, prepared for comparison (see [Site.Links]).
type pattern struct {
	host     string // "" for every host of the platform
	not      bool   // names no content
	segments []segment
	query    string // the parameter that holds the id; "" if the id is in the path
}

// segment is one part of a path pattern: text, or a placeholder with text around it. The
// id may have one more placeholder on each side.
type segment struct {
	kind                segmentKind
	before, after       string // text; if kind is literal, all text is in before
	anyBefore, anyAfter bool   // a placeholder before the text in before, and after the text in behind
}

type segmentKind int

const (
	literal segmentKind = iota
	anything
	contentID
)

// parsePattern reads an entry of Links.
func parsePattern(text string) (pattern, error) {
	var p pattern
	host, bound := boundHost(text)
	text, p.not = strings.CutPrefix(text, "!")
	if bound {
		if name, ok := normalizeHost(host); !ok || name != host {
			return pattern{}, errors.New("must name a host in lower case after //")
		}
		p.host, text = host, strings.TrimPrefix(text, "//"+host)
	}
	if !strings.HasPrefix(text, "/") {
		return pattern{}, errors.New("must begin with /")
	}
	path, query, _ := strings.Cut(text, "?")
	ids := 0
	for part := range strings.SplitSeq(path, "/") {
		if part == "" {
			continue
		}
		s, err := parseSegment(part)
		if err != nil {
			return pattern{}, err
		}
		if s.kind == contentID {
			ids++
		}
		p.segments = append(p.segments, s)
	}
	if query != "" {
		name, value, _ := strings.Cut(query, "=")
		if name == "" || value != idPlaceholder {
			return pattern{}, errors.New("may have one query parameter, name={id}")
		}
		p.query = name
		ids++
	}
	switch {
	case p.not && ids != 0:
		return pattern{}, errors.New("must not hold {id} behind its !, as it names no content")
	case !p.not && ids != 1:
		return pattern{}, errors.New("must hold {id} once")
	}
	return p, nil
}

var (
	idSegment  = regexp.MustCompile(`^(\{[a-z]+\})?([^{}]*)\{id\}([^{}]*)(\{[a-z]+\})?$`)
	anySegment = regexp.MustCompile(`^([^{}]*)\{[a-z]+\}([^{}]*)$`)
)

// boundHost is the host to which a pattern applies; ok is false if it applies to all
// hosts.
func boundHost(pattern string) (host string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimPrefix(pattern, "!"), "//")
	if !ok {
		return "", false
	}
	host, _, _ = strings.Cut(rest, "/")
	return host, true
}

func parseSegment(text string) (segment, error) {
	if !strings.ContainsAny(text, "{}") {
		return segment{before: text}, nil
	}
	if m := idSegment.FindStringSubmatch(text); m != nil && m[1] != idPlaceholder && m[4] != idPlaceholder {
		s := segment{kind: contentID, anyBefore: m[1] != "", before: m[2], after: m[3], anyAfter: m[4] != ""}
		if s.anyBefore && s.before == "" || s.anyAfter && s.after == "" {
			return segment{}, errors.New("must have text between two placeholders")
		}
		return s, nil
	}
	if m := anySegment.FindStringSubmatch(text); m != nil {
		return segment{kind: anything, before: m[1], after: m[2]}, nil
	}
	return segment{}, fmt.Errorf("has a segment %q that is neither text nor a {placeholder}", text)
}

// find returns the text at the place of the id.
func (p *pattern) find(l link) (id string, ok bool) {
	if len(p.segments) != len(l.segments) || p.host != "" && p.host != l.host {
		return "", false
	}
	for i := range p.segments {
		value, ok := p.segments[i].match(l.segments[i])
		if !ok {
			return "", false
		}
		if p.segments[i].kind == contentID {
			id = value
		}
	}
	if p.query != "" {
		return l.param(p.query)
	}
	return id, true
}

func (s *segment) match(text string) (value string, ok bool) {
	switch s.kind {
	case contentID:
		return s.cutID(text)
	case anything:
		room := len(text) > len(s.before)+len(s.after)
		return "", room && strings.HasPrefix(text, s.before) && strings.HasSuffix(text, s.after)
	}
	return "", text == s.before
}

// cutID cuts the id out of its segment. The placeholders around the id match as much as
// they can, because a title may contain anything.
func (s *segment) cutID(text string) (id string, ok bool) {
	if s.anyBefore {
		at := strings.LastIndex(text, s.before)
		if at <= 0 {
			return "", false
		}
		text = text[at+len(s.before):]
	} else if text, ok = strings.CutPrefix(text, s.before); !ok {
		return "", false
	}
	if s.anyAfter {
		id, rest, ok := strings.Cut(text, s.after)
		return id, ok && rest != ""
	}
	return strings.CutSuffix(text, s.after)
}

// expand puts an id into a link template.
func expand(template, id string) string {
	before, after, _ := strings.Cut(template, idPlaceholder)
	if strings.Contains(before, "?") {
		return before + url.QueryEscape(id) + after
	}
	return before + url.PathEscape(id) + after
}
