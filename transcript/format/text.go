package format

import (
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// paragraphGap is the pause, in seconds, that begins a new paragraph.
const paragraphGap = 2

// AppendText appends the segments as plain text (contract 1). With timestamps
// each segment is a line "[HH:MM:SS] text"; without, segments are joined by a
// space, and by an empty line where the speaker paused for two seconds or more.
// Segments without text are left out.
func AppendText(dst []byte, segments []transcript.Segment, timestamps bool) []byte {
	if timestamps {
		return appendLines(dst, segments)
	}
	return appendParagraphs(dst, segments)
}

func appendLines(dst []byte, segments []transcript.Segment) []byte {
	for _, s := range segments {
		text := flat(s.Text)
		if text == "" {
			continue
		}
		dst = append(dst, '[')
		dst = appendClock(dst, int(s.Start))
		dst = append(dst, "] "...)
		dst = append(dst, text...)
		dst = append(dst, '\n')
	}
	return dst
}

func appendParagraphs(dst []byte, segments []transcript.Segment) []byte {
	first, end := true, 0.0
	for _, s := range segments {
		text := flat(s.Text)
		if text == "" {
			continue
		}
		switch {
		case first:
		case s.Start-end >= paragraphGap:
			dst = append(dst, "\n\n"...)
		default:
			dst = append(dst, ' ')
		}
		dst = append(dst, text...)
		first, end = false, max(end, s.End())
	}
	if !first {
		dst = append(dst, '\n')
	}
	return dst
}

// flat is the text on one line, without space around it.
func flat(text string) string {
	if !strings.ContainsAny(text, "\r\n\t\v\f\u0085\u2028\u2029") {
		return strings.TrimSpace(text)
	}
	return strings.Join(strings.Fields(text), " ")
}

// appendClock appends HH:MM:SS; the hours have as many digits as they need.
func appendClock(dst []byte, sec int) []byte {
	sec = max(sec, 0)
	dst = appendTwo(dst, sec/3600)
	dst = append(dst, ':')
	dst = appendTwo(dst, sec/60%60)
	dst = append(dst, ':')
	return appendTwo(dst, sec%60)
}
