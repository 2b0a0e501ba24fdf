package format

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/transcriptkit/transcriptkit/internal/legible"
	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// AppendMarkdown appends t as a Markdown document and returns the extended buffer. For
// segments it allocates only if the buffer is too small.
//
// The document has a heading with the title ("Transcript" if the title is unknown), the
// link to the source if the source is on the web, a line with the metadata (creator,
// day, length, language, origin), and the text in paragraphs. A new paragraph begins
// after a silence of 2 s or more, as in [AppendText], and when the speaker changes. The
// paragraph of a known speaker begins with the name in bold. With timestamps, every
// paragraph begins with its time, [HH:MM:SS].
//
// AppendMarkdown escapes the syntax of Markdown, so that the text is shown unchanged.
// White space is folded as in [AppendText]. The document ends with a line feed.
func AppendMarkdown(dst []byte, t *transcript.Transcript, timestamps bool) []byte {
	dst = appendMarkdownHead(dst, t)
	m := markdown{timestamps: timestamps}
	for i := range t.Segments {
		dst = m.appendSegment(dst, &t.Segments[i])
	}
	return append(dst, '\n')
}

// WriteMarkdown writes what [AppendMarkdown] appends, in pieces of about 32 KiB. It
// returns the error of w.
func WriteMarkdown(w io.Writer, t *transcript.Transcript, timestamps bool) error {
	buf := appendMarkdownHead(nil, t)
	m := markdown{timestamps: timestamps}
	for i := range t.Segments {
		if buf = m.appendSegment(buf, &t.Segments[i]); len(buf) < enough {
			continue
		}
		if err := write(w, buf); err != nil {
			return err
		}
		buf = buf[:0]
	}
	return write(w, append(buf, '\n'))
}

// appendMarkdownHead appends the part of the document before the paragraphs, without the
// line feed at its end.
func appendMarkdownHead(dst []byte, t *transcript.Transcript) []byte {
	dst = appendMarkdown(append(dst, "# "...), titleOf(t))
	if link := linkOf(t); link != "" {
		dst = append(append(append(dst, "\n\n<"...), link...), '>')
	}
	separator := "\n\n"
	for _, fact := range facts(t) {
		if fact == "" {
			continue
		}
		dst = appendMarkdownLine(append(dst, separator...), fact, separator == "\n\n")
		separator = " · "
	}
	return dst
}

// facts are the parts of the metadata line; an unknown part is empty.
func facts(t *transcript.Transcript) (f [5]string) {
	for _, name := range []*string{t.CreatorHandle, t.Channel, t.CreatorName} {
		if s := known(name); s != "" {
			f[0] = s
		}
	}
	if t.PublishedAt != nil {
		f[1] = t.PublishedAt.UTC().Format("2006-01-02")
	}
	if t.DurationSec != nil {
		f[2] = transcript.LengthText(*t.DurationSec)
	}
	f[3], f[4] = strings.TrimSpace(t.Lang), string(t.Source)
	return f
}

func known(s *string) string {
	if s == nil {
		return ""
	}
	return strings.TrimSpace(*s)
}

// appendLink appends a URL that stands between angle brackets.
func appendLink(dst []byte, url string) []byte {
	for i := range len(url) {
		if c := url[i]; c <= ' ' || c == '<' || c == '>' || c >= 0x7F {
			dst = fmt.Appendf(dst, "%%%02X", c)
		} else {
			dst = append(dst, c)
		}
	}
	return dst
}

// markdown is the body of a document that is being written.
type markdown struct {
	timestamps bool
	paragraphs paragraphs
}

func (m *markdown) appendSegment(dst []byte, s *transcript.Segment) []byte {
	if !hasText(s.Text) {
		return dst
	}
	if m.paragraphs.begins(s) {
		return m.appendParagraph(append(dst, "\n\n"...), s)
	}
	return appendMarkdownLine(append(dst, ' '), s.Text, false)
}

// appendParagraph appends the beginning of a paragraph.
func (m *markdown) appendParagraph(dst []byte, s *transcript.Segment) []byte {
	if m.timestamps {
		dst = append(appendTimestamp(dst, wire.Milliseconds(s.Start)/1000), ' ')
	}
	named := hasText(s.Speaker)
	if named {
		dst = appendMarkdown(append(dst, "**"...), strings.TrimSpace(s.Speaker))
		dst = append(dst, ":** "...)
	}
	return appendMarkdownLine(dst, s.Text, !m.timestamps && !named)
}

// appendMarkdownLine appends text that may begin a line, where a list or the rule under a
// heading could begin.
func appendMarkdownLine(dst []byte, text string, first bool) []byte {
	text = strings.TrimSpace(text)
	if first {
		number := len(text) - len(strings.TrimLeft(text, "0123456789"))
		marks := "-+="
		if number > 0 {
			marks = ".)"
		}
		if number < len(text) && strings.IndexByte(marks, text[number]) >= 0 {
			dst = append(append(dst, text[:number]...), '\\')
			text = text[number:]
		}
	}
	return appendMarkdown(dst, text)
}

// appendMarkdown appends a trimmed text on one line, as [appendFolded] does, with a
// backslash before characters that have a meaning in Markdown or in a common extension of
// it.
func appendMarkdown(dst []byte, text string) []byte {
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
		case '\\', '`', '*', '_', '[', ']', '<', '>', '#', '~', '|', '&', '$':
			dst = append(dst, '\\')
		}
		dst = utf8.AppendRune(dst, legible.Rune(r))
	}
	return dst
}
