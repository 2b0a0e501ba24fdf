package order

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// foundLinks are the links of a text, and its other words.
type foundLinks struct {
	links    []string // each once, in the order of the text
	repeats  int      // links that are there again
	words    []string
	doubtful bool // the links are mere ids, and with these words they may be words too
}

// linkKind tells what a piece of a text is.
type linkKind int

const (
	aWord   linkKind = iota
	aNumber          // without letters: a time, an amount, the number of a line
	anID             // a bare id or the name of a list, which could also be a word
	aLink
)

type token struct {
	kind linkKind
	text string
}

// findLinks finds the links of a text: of a list that is separated by lines, spaces or commas, of
// columns of a table, and of prose such as "see (https://…).". A word of eleven letters could be
// the id of a video, but among other words it is a word.
func findLinks(text string, sites *site.Table) (foundLinks, error) {
	words := strings.Fields(betweenLinks.Replace(text))
	if len(words)+strings.Count(text, ",") > web.MostPieces {
		return foundLinks{}, &transcript.Error{Code: transcript.BatchLimitExceeded, Status: http.StatusUnprocessableEntity}
	}
	var pieces []token
	for _, word := range words {
		pieces = append(pieces, piecesOf(word, sites)...)
	}
	has := func(kind linkKind) bool {
		return slices.ContainsFunc(pieces, func(t token) bool { return t.kind == kind })
	}
	prose := has(aWord) && has(aLink)
	alone := !has(aLink) && !has(anID) // without links a number is a word too
	found, seen := foundLinks{doubtful: has(aWord) && !has(aLink)}, map[string]bool{}
	for _, p := range pieces {
		switch {
		case p.kind == aLink, p.kind == anID && !prose:
			if key := contentOf(p.text, sites); !seen[key] {
				seen[key] = true
				found.links = append(found.links, p.text)
			} else {
				found.repeats++
			}
		case p.kind != aNumber || alone:
			found.words = append(found.words, p.text)
		}
	}
	return found, nil
}

// anyLink reports whether a text has a link with a scheme or a host, so that its other lines may be
// prose.
func anyLink(text string, sites *site.Table) bool {
	found, err := findLinks(text, sites)
	return err == nil && len(found.links) > 0 && !found.doubtful
}

// contentOf returns what is the same for all links to a content.
func contentOf(link string, sites *site.Table) string {
	if match, err := sites.Detect(link); err == nil && match.URL != "" {
		return match.URL
	}
	return link
}

// betweenLinks separates links that have only a comma or semicolon between them.
var betweenLinks = strings.NewReplacer(
	",https://", ", https://", ",http://", ", http://", ";https://", "; https://", ";http://", "; http://",
)

// piecesOf takes a word apart, as far as links begin and end in it.
func piecesOf(word string, sites *site.Table) (all []token) {
	for {
		at := beginOfLink(word)
		if at < 0 {
			return append(all, barePieces(word, sites)...)
		}
		all = append(all, barePieces(word[:at], sites)...)
		end := at + endOfLink(word, at)
		link, columns := cutColumns(trimLink(word[at:end]), sites)
		kind := aLink
		if strings.HasSuffix(link, "//") {
			kind = aWord
		}
		all = append(append(all, token{kind, link}), barePieces(columns, sites)...)
		word = word[end:]
	}
}

// beginOfLink returns where the first link of a word begins, -1 if there is none. A link inside
// another link is a part of it.
func beginOfLink(word string) int {
	before, _, found := strings.Cut(word, "://")
	if !found {
		return -1
	}
	lower := strings.ToLower(before)
	scheme := "http" + lower[len(strings.TrimSuffix(lower, "s")):]
	if len(lower) != len(before) || !strings.HasSuffix(lower, scheme) {
		return -1
	}
	return len(before) - len(scheme)
}

// endOfLink returns the length of the link that begins at a place of a word. A link in brackets
// ends with its bracket.
func endOfLink(word string, at int) int {
	link, depth, closes := word[at:], 0, byte(0)
	if at > 0 {
		if n := strings.IndexByte("([{", word[at-1]); n >= 0 {
			closes = ")]}"[n]
		}
	}
	for n := range len(link) {
		switch {
		case closes != 0 && link[n] == word[at-1]:
			depth++
		case closes != 0 && link[n] == closes:
			if depth--; depth < 0 {
				return n
			}
		}
	}
	if n := strings.IndexAny(link, "\"<>“”«»|`"); n >= 0 {
		return n
	}
	return len(link)
}

// cutColumns cuts off the columns of a table that follow a link, as in
// "https://youtu.be/dQw4w9WgXcQ;12:30". A comma may also be a part of a link.
func cutColumns(link string, sites *site.Table) (head, columns string) {
	at := strings.IndexAny(link, ",;")
	if at < 0 || isKnown(link, sites) || !isKnown(link[:at], sites) {
		return link, ""
	}
	return link[:at], link[at+1:]
}

func isKnown(link string, sites *site.Table) bool {
	_, isList := listOf(link, sites)
	_, err := sites.Detect(link)
	return err == nil || isList
}

// barePieces reads a part of a word that has no link with a scheme.
func barePieces(word string, sites *site.Table) (all []token) {
	for part := range strings.SplitSeq(word, ",") {
		read := bare(trimLink(part), sites)
		if read.kind == aWord {
			read.text = strings.TrimFunc(read.text, func(r rune) bool { return !isLetterOrDigit(r) })
		}
		switch {
		case !strings.ContainsFunc(read.text, isLetterOrDigit):
		case len(all) > 0 && read.kind < anID && all[len(all)-1].kind == aWord: // a comma within a word
			all[len(all)-1].text += "," + read.text
		default:
			all = append(all, read)
		}
	}
	return all
}

func bare(text string, sites *site.Table) token {
	name, _, _ := strings.Cut(text, "/")
	switch {
	case strings.Index(name, "@") > 0: // a mail address
		return token{aWord, text}
	case looksLikeLink(text, sites):
		if strings.Contains(text, "/") {
			return token{aLink, text}
		}
		return token{anID, text}
	case withoutScheme.MatchString(text):
		return token{aLink, "https://" + text}
	case !strings.ContainsFunc(text, unicode.IsLetter):
		return token{aNumber, text}
	}
	return token{aWord, text}
}

// withoutScheme matches a link of an unknown site that lacks its scheme.
var withoutScheme = regexp.MustCompile(`^(?i)(www\.)?[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,24}(:\d+)?/\S|^(?i)www(\.[a-z0-9-]+)+\.[a-z]{2,24}(:\d+)?(/|$)`)

func isLetterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// trimLink removes quotes, brackets and final punctuation from a link. It keeps a bracket whose
// counterpart is in the link: "https://media.example/talk_(live)".
func trimLink(text string) string {
	link := strings.TrimLeft(text, ",;([{<“‘«\"'")
	for {
		short := strings.TrimRight(link, ".,;:!?>”’»\"'。，、；：！？）」』】》")
		for _, pair := range []string{"()", "[]", "{}"} {
			if strings.HasSuffix(short, pair[1:]) && strings.Count(short, pair[:1]) < strings.Count(short, pair[1:]) {
				short = short[:len(short)-1]
			}
		}
		if short == link {
			return link
		}
		link = short
	}
}
