package site

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// link is a web link, divided into the parts that the table compares.
type link struct {
	scheme   string   // "http", "https", or "" if the text had no scheme
	host     string   // ASCII, lower case; with the port unless it is 80 or 443
	segments []string // of the path, decoded; no segment is empty
	path     string   // as sent, from the first slash
	query    string   // as sent, without the question mark
}

// parseLink reads what people paste into a field for links. It is stricter than net/url
// if parsers of links disagree: it refuses backslashes, user names, white space and dot
// segments.
func parseLink(text string) (link, bool) {
	if !plainText(text) {
		return link{}, false
	}
	var l link
	var rest string
	if scheme, after, ok := strings.Cut(text, "://"); ok && !strings.ContainsAny(scheme, "/?#") {
		l.scheme, rest = strings.ToLower(scheme), after
		if l.scheme != "http" && l.scheme != "https" {
			return link{}, false
		}
	} else {
		rest = strings.TrimPrefix(text, "//")
	}
	rest, _, _ = strings.Cut(rest, "#")
	rest, l.query, _ = strings.Cut(rest, "?")
	authority := rest
	if slash := strings.IndexByte(rest, '/'); slash >= 0 {
		authority, l.path = rest[:slash], rest[slash:]
	}
	var ok bool
	if l.host, ok = normalizeHost(authority); !ok {
		return link{}, false
	}
	l.segments, ok = splitPath(l.path)
	return l, ok
}

// plainText refuses characters that a link never contains on purpose. It compares bytes
// as long as they are ASCII.
func plainText(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case c >= utf8.RuneSelf:
			return utf8.ValidString(text[i:]) && !strings.ContainsFunc(text[i:], hidden)
		case hidden(rune(c)):
			return false
		}
	}
	return text != ""
}

// hidden characters are control, space and formatting characters, which make a link look
// like another one, and the backslash, which browsers treat as a slash. The joiners stay,
// because languages and emoji need them.
func hidden(r rune) bool {
	if r < utf8.RuneSelf {
		return r <= ' ' || r == 0x7f || r == '\\'
	}
	const nonJoiner, joiner = '\u200c', '\u200d'
	return unicode.IsControl(r) || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) && r != nonJoiner && r != joiner
}

// normalizeHost writes "host[:port]" in ASCII and lower case, without the trailing dot
// and without the default ports of the web.
func normalizeHost(authority string) (string, bool) {
	host, port := authority, ""
	if colon := strings.LastIndexByte(authority, ':'); colon > strings.LastIndexByte(authority, ']') {
		host, port = authority[:colon], authority[colon+1:]
	}
	name, ok := normalizeName(host)
	if !ok {
		return "", false
	}
	if port == "" {
		return name, true
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return "", false
	}
	if n == 80 || n == 443 {
		return name, true
	}
	return name + ":" + strconv.FormatUint(n, 10), true
}

func normalizeName(host string) (string, bool) {
	if strings.HasPrefix(host, "[") { // an IPv6 address; compared as written
		address, ok := strings.CutSuffix(host[1:], "]")
		return strings.ToLower(host), ok && address != "" && strings.Trim(address, "0123456789abcdefABCDEF:.") == ""
	}
	if !asciiName(host) {
		mapped, err := idna.Lookup.ToASCII(host)
		if err != nil {
			return "", false
		}
		host = mapped
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "" || len(host) > 253 || host[0] == '.' || strings.Contains(host, "..") {
		return "", false
	}
	return host, !strings.HasSuffix(host, ".") && asciiHost(host)
}

// asciiName reports whether a name needs no mapping: it is ASCII, and no label has the
// form of an encoded Unicode label (which the mapping validates).
func asciiName(host string) bool {
	for i := range len(host) {
		if host[i] >= utf8.RuneSelf {
			return false
		}
		if host[i]|0x20 == 'x' && len(host)-i >= 4 && strings.EqualFold(host[i:i+4], "xn--") {
			return false
		}
	}
	return true
}

func asciiHost(host string) bool {
	for i := range len(host) {
		switch c := host[i]; {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-', c == '.', c == '_':
		default:
			return false
		}
	}
	return true
}

// splitPath cuts a path into its decoded segments. Repeated and trailing slashes have no
// meaning for the sites. Dot segments are refused.
func splitPath(path string) ([]string, bool) {
	segments := make([]string, 0, 4)
	for path != "" {
		var segment string
		segment, path, _ = strings.Cut(path, "/")
		if segment == "" {
			continue
		}
		if strings.IndexByte(segment, '%') >= 0 {
			decoded, err := url.PathUnescape(segment)
			if err != nil {
				return nil, false
			}
			segment = decoded
		}
		if segment == "." || segment == ".." {
			return nil, false
		}
		segments = append(segments, segment)
	}
	return segments, true
}

// param is the first value of a query parameter, decoded.
func (l link) param(name string) (string, bool) {
	for rest := l.query; rest != ""; {
		var pair string
		pair, rest, _ = strings.Cut(rest, "&")
		key, value, _ := strings.Cut(pair, "=")
		if key != name {
			if !strings.ContainsAny(key, "%+") {
				continue
			}
			if decoded, err := url.QueryUnescape(key); err != nil || decoded != name {
				continue
			}
		}
		if !strings.ContainsAny(value, "%+") {
			return value, true
		}
		decoded, err := url.QueryUnescape(value)
		return decoded, err == nil
	}
	return "", false
}

// clean writes the link again, without its fragment, as a link to follow. A link without
// a scheme gets the given scheme.
func (l link) clean(scheme string) (string, bool) {
	if l.scheme != "" {
		scheme = l.scheme
	}
	text := scheme + "://" + l.host + l.path
	if l.query != "" {
		text += "?" + escapeQuery(l.query)
	}
	u, err := url.Parse(text)
	if err != nil {
		return "", false
	}
	return u.String(), true
}

// escapeQuery escapes characters that a query must not contain, because net/url passes a
// query on unchanged.
func escapeQuery(query string) string {
	if strings.IndexFunc(query, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return query
	}
	var b strings.Builder
	for _, r := range query {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
		} else {
			b.WriteString(url.QueryEscape(string(r)))
		}
	}
	return b.String()
}
