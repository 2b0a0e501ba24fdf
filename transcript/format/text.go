package format

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/transcriptkit/transcriptkit/internal/legible"
	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// paragraphGap is the silence, in milliseconds, that begins a new paragraph.
const paragraphGap = 2000

// AppendText appends segs as plain text and returns the extended buffer. With
// timestamps, each segment is a line, "[HH:MM:SS] text", with more digits for the hours
// if needed. Without timestamps, the segments are joined by spaces, or by an empty line
// after a silence of 2 s or more. White space is folded: runs of it, including line
// breaks within a segment, become one space. No line ends in white space, and the text
// does not end in a line feed. A segment without text is left out.
func AppendText(dst []byte, segs []transcript.Segment, timestamps bool) []byte {
	if timestamps {
		return appendLines(dst, segs)
	}
	return appendParagraphs(dst, segs)
}

func appendLines(dst []byte, segs []transcript.Segment) []byte {
	begun := false
	for _, s := range segs {
		text := strings.TrimSpace(s.Text)
		if text == "" {
			continue
		}
		if begun {
			dst = append(dst, '\n')
		}
		dst = appendTimestamp(dst, wire.Milliseconds(s.Start)/1000)
		dst = append(dst, ' ')
		dst = appendFolded(dst, text)
		begun = true
	}
	return dst
}

func appendParagraphs(dst []byte, segs []transcript.Segment) []byte {
	begun, end := false, int64(0)
	for _, s := range segs {
		text := strings.TrimSpace(s.Text)
		if text == "" {
			continue
		}
		start := wire.Milliseconds(s.Start)
		switch {
		case !begun:
		case start-end >= paragraphGap:
			dst = append(dst, "\n\n"...)
		default:
			dst = append(dst, ' ')
		}
		dst = appendFolded(dst, text)
		begun, end = true, max(end, start+wire.Milliseconds(s.Duration))
	}
	return dst
}

// appendTimestamp appends a time of whole seconds as [HH:MM:SS].
func appendTimestamp(dst []byte, sec int64) []byte {
	dst = append(dst, '[')
	if sec < 10*3600 {
		dst = append(dst, '0')
	}
	dst = strconv.AppendInt(dst, sec/3600, 10)
	m, s := sec/60%60, sec%60
	return append(dst, ':', byte('0'+m/10), byte('0'+m%10), ':', byte('0'+s/10), byte('0'+s%10), ']')
}

// appendFolded appends a trimmed text on one line: every run of spaces, tabs and line
// breaks becomes one space. Other spaces (no-break, ideographic) stay. Bytes that are not
// valid UTF-8, and control characters, become U+FFFD, so that a platform's text cannot
// control a terminal.
func appendFolded(dst []byte, text string) []byte {
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
		dst = utf8.AppendRune(dst, legible.Rune(r))
	}
	return dst
}

func foldable(r rune) bool {
	switch r {
	case ' ', '\t', '\n', '\v', '\f', '\r', '\u0085', '\u2028', '\u2029':
		return true
	}
	return false
}
