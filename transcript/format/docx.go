package format

import (
	"archive/zip"
	"cmp"
	"io"
	"net/url"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// WriteDOCX writes t as a document of Office Open XML, which word processors open. The document
// has the parts and the paragraphs of [AppendMarkdown]. Its style "Time" formats the times. The
// same t makes the same bytes. WriteDOCX writes in pieces of about 32 KiB. It returns the error
// of w.
//
// White space is folded as in [AppendText]. Invalid UTF-8, control characters and U+FFFE and
// U+FFFF, which XML forbids, become U+FFFD. The first letter in the first segment of a paragraph
// decides the direction of the paragraph.
func WriteDOCX(w io.Writer, t *transcript.Transcript, timestamps bool) error {
	archive := zip.NewWriter(w)
	link := docxLink(t)
	for _, part := range docxParts(t, link) {
		to, err := archive.Create(part.name)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(to, part.text); err != nil {
			return err
		}
	}
	to, err := archive.Create("word/document.xml")
	if err != nil {
		return err
	}
	if err := writeDOCXText(to, t, link, timestamps); err != nil {
		return err
	}
	return archive.Close()
}

// docxLink is the link to the source, or empty if a word processor could not open it.
func docxLink(t *transcript.Transcript) string {
	link, err := url.Parse(linkOf(t))
	if err != nil || link.Host == "" {
		return ""
	}
	return link.String()
}

type docxPart struct{ name, text string }

// docxParts are the parts of the document without its text.
func docxParts(t *transcript.Transcript, link string) []docxPart {
	if link != "" {
		link = strings.Replace(docxHyperlink, "{link}", string(appendMarkup(nil, link)), 1)
	}
	lang := string(appendMarkup(nil, cmp.Or(strings.TrimSpace(t.Lang), "x-none")))
	fill := strings.NewReplacer("{title}", string(appendMarkup(nil, titleOf(t))), "{lang}", lang, "{hyperlink}", link)
	return []docxPart{
		{"[Content_Types].xml", docxTypes},
		{"_rels/.rels", docxRelations},
		{"docProps/core.xml", fill.Replace(docxCore)},
		{"word/styles.xml", fill.Replace(docxStyles)},
		{"word/_rels/document.xml.rels", fill.Replace(docxTextRelations)},
	}
}

// writeDOCXText writes the part with the text.
func writeDOCXText(w io.Writer, t *transcript.Transcript, link string, timestamps bool) error {
	buf := appendDOCXHead(nil, t, link)
	var p paragraphs
	for i := range t.Segments {
		s := &t.Segments[i]
		if !hasText(s.Text) {
			continue
		}
		if p.begins(s) {
			buf = appendDOCXParagraph(append(buf, docxParagraphEnd...), s, timestamps)
		} else {
			buf = append(buf, ' ')
		}
		if buf = appendMarkup(buf, strings.TrimSpace(s.Text)); len(buf) < enough {
			continue
		}
		if err := write(w, buf); err != nil {
			return err
		}
		buf = buf[:0]
	}
	return write(w, append(buf, docxParagraphEnd+docxEnd...))
}

// appendDOCXHead appends the title, the link and the facts, without the end of the last
// paragraph.
func appendDOCXHead(dst []byte, t *transcript.Transcript, link string) []byte {
	title := titleOf(t)
	dst = append(dst, docxBegin...)
	dst = appendDOCXRun(appendDOCXDirection(dst, `<w:pStyle w:val="Title"/>`, title), "", fromRight(title))
	dst = append(appendMarkup(dst, title), docxParagraphEnd...)
	if link != "" {
		dst = append(dst, `<w:p><w:hyperlink r:id="link">`...)
		dst = appendDOCXRun(dst, `<w:rStyle w:val="Hyperlink"/>`, false)
		dst = append(appendMarkup(dst, link), "</w:t></w:r></w:hyperlink></w:p>\n"...)
	}
	dst = appendDOCXRun(append(dst, "<w:p>"...), "", false)
	separator := ""
	for _, fact := range facts(t) {
		if fact != "" {
			dst = appendMarkup(append(dst, separator...), strings.TrimSpace(fact))
			separator = " · "
		}
	}
	return dst
}

// appendDOCXParagraph appends the beginning of the paragraph of a segment, up to its text.
func appendDOCXParagraph(dst []byte, s *transcript.Segment, timestamps bool) []byte {
	right := fromRight(s.Text)
	dst = appendDOCXDirection(dst, "", s.Text)
	if timestamps {
		dst = appendDOCXRun(dst, `<w:rStyle w:val="Time"/>`, right)
		dst = appendTimestamp(dst, wire.Milliseconds(s.Start)/1000)
		dst = append(dst, " </w:t></w:r>"...)
	}
	if hasText(s.Speaker) {
		dst = appendDOCXRun(dst, "<w:b/><w:bCs/>", right)
		dst = appendMarkup(dst, strings.TrimSpace(s.Speaker))
		dst = append(dst, ": </w:t></w:r>"...)
	}
	return appendDOCXRun(dst, "", right)
}

// appendDOCXDirection appends the beginning of a paragraph that runs in the direction of a text.
func appendDOCXDirection(dst []byte, style, text string) []byte {
	if fromRight(text) {
		style += "<w:bidi/>"
	}
	return append(append(append(dst, "<w:p><w:pPr>"...), style...), "</w:pPr>"...)
}

// appendDOCXRun appends the beginning of a piece of text.
func appendDOCXRun(dst []byte, properties string, right bool) []byte {
	if right {
		properties += "<w:rtl/>"
	}
	return append(append(append(dst, "<w:r><w:rPr>"...), properties...), `</w:rPr><w:t xml:space="preserve">`...)
}
