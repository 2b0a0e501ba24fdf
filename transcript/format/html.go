package format

import (
	"crypto/sha256"
	_ "embed" // the style
	"encoding/base64"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/transcript"
)

//go:embed document.css
var documentStyle string

// documentPolicy permits the page its style and nothing else.
var documentPolicy = func() string {
	sum := sha256.Sum256([]byte(documentStyle))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}()

// AppendHTML appends t as a page and returns the extended buffer. The page has the parts and
// the paragraphs of [AppendMarkdown]. It is one file, which loads nothing and has no script, and
// a browser prints it on paper or as PDF.
//
// AppendHTML escapes the syntax of HTML, so that the text is shown unchanged. White space is
// folded as in [AppendText]. Invalid UTF-8 and control characters become U+FFFD. Each paragraph
// runs in the direction of its first letter. The page ends with a line feed.
func AppendHTML(dst []byte, t *transcript.Transcript, timestamps bool) []byte {
	dst = appendPageHead(dst, t)
	var p paragraphs
	for i := range t.Segments {
		s := &t.Segments[i]
		if !hasText(s.Text) {
			continue
		}
		if !p.begins(s) {
			dst = appendMarkup(append(dst, ' '), strings.TrimSpace(s.Text))
			continue
		}
		dst = append(dst, "</p>\n<p dir=\"auto\">"...)
		if timestamps {
			dst = appendTimestamp(append(dst, "<time>"...), wire.Milliseconds(s.Start)/1000)
			dst = append(dst, "</time> "...)
		}
		if hasText(s.Speaker) {
			dst = appendMarkup(append(dst, "<b><bdi>"...), strings.TrimSpace(s.Speaker))
			dst = append(dst, "</bdi>:</b> "...)
		}
		dst = appendMarkup(dst, strings.TrimSpace(s.Text))
	}
	return append(dst, "</p>\n</main>\n</body>\n</html>\n"...)
}

// appendPageHead appends the page before its first paragraph of text. It leaves the paragraph of
// the facts open.
func appendPageHead(dst []byte, t *transcript.Transcript) []byte {
	dst = append(dst, "<!doctype html>\n<html"...)
	if lang := strings.TrimSpace(t.Lang); lang != "" {
		dst = append(appendMarkup(append(dst, ` lang="`...), lang), '"')
	}
	dst = append(dst, ">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\""...)
	dst = append(dst, documentPolicy...)
	dst = append(dst, "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>"...)
	dst = appendMarkup(dst, titleOf(t))
	dst = append(append(dst, "</title>\n<style>"...), documentStyle...)
	dst = append(dst, "</style>\n</head>\n<body>\n<main>\n<h1 dir=\"auto\">"...)
	dst = append(appendMarkup(dst, titleOf(t)), "</h1>\n"...)
	if link := linkOf(t); link != "" {
		dst = appendMarkup(append(dst, "<p><a rel=\"noreferrer\" href=\""...), link)
		dst = appendMarkup(append(dst, `">`...), link)
		dst = append(dst, "</a></p>\n"...)
	}
	dst = append(dst, "<p>"...)
	separator := "<bdi>"
	for _, fact := range facts(t) {
		if fact == "" {
			continue
		}
		dst = appendMarkup(append(dst, separator...), strings.TrimSpace(fact))
		dst = append(dst, "</bdi>"...)
		separator = " · <bdi>"
	}
	return dst
}
