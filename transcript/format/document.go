package format

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/bidi"

	"github.com/transcriptkit/transcriptkit/internal/legible"
	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// paragraphs divides segments with text into the paragraphs of a document.
type paragraphs struct {
	begun   bool
	end     int64 // of the last spoken text, in milliseconds
	speaker string
}

// begins reports whether s begins a paragraph. The first segment does.
func (p *paragraphs) begins(s *transcript.Segment) bool {
	start := wire.Milliseconds(s.Start)
	same := p.begun && start-p.end < paragraphGap && s.Speaker == p.speaker
	p.begun, p.end, p.speaker = true, max(p.end, start+wire.Milliseconds(s.Duration)), s.Speaker
	return !same
}

// titleOf is the title of a document.
func titleOf(t *transcript.Transcript) string {
	if title := known(t.Title); title != "" {
		return title
	}
	return "Transcript"
}

// linkOf is the link to the source of t, escaped by [appendLink], or empty if the source is not
// on the web.
func linkOf(t *transcript.Transcript) string {
	url := known(t.SourceURL)
	if !strings.HasPrefix(url, "https://") && !strings.HasPrefix(url, "http://") {
		return ""
	}
	return string(appendLink(nil, url))
}

// appendMarkup appends a trimmed text on one line, as [appendFolded] does, as the content of an
// element of HTML or XML. The two characters that XML forbids become U+FFFD.
func appendMarkup(dst []byte, text string) []byte {
	space := false
	for _, r := range text {
		if foldable(r) {
			space = true
			continue
		}
		if space {
			dst = append(dst, ' ')
			space = false
		}
		switch r {
		case '&':
			dst = append(dst, "&amp;"...)
		case '<':
			dst = append(dst, "&lt;"...)
		case '>':
			dst = append(dst, "&gt;"...)
		case '"':
			dst = append(dst, "&quot;"...)
		case 0xFFFE, 0xFFFF:
			dst = utf8.AppendRune(dst, utf8.RuneError)
		default:
			dst = utf8.AppendRune(dst, legible.Rune(r))
		}
	}
	return dst
}

// fromRight reports whether a text runs from right to left: its first letter decides.
func fromRight(text string) bool {
	for i := 0; i < len(text); {
		p, size := bidi.LookupString(text[i:])
		switch p.Class() {
		case bidi.L:
			return false
		case bidi.R, bidi.AL:
			return true
		}
		i += max(size, 1)
	}
	return false
}
