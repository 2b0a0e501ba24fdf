package format

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// silence is how long, in milliseconds, a pause is at least after which players of songs
// show nothing.
const silence = 2000

// AppendLRC appends segs as an LRC file, the format of song texts, and returns the
// extended buffer. Each segment with text is a line with its start in minutes, seconds and
// hundredths, sorted by start:
//
//	[00:01.50]It was late
//
// White space is folded as in [AppendText], and the lines of a segment become one. A line
// lasts until the next one starts. If nothing follows for 2 s or more, an empty line stands
// at the end of the segment. LRC has no escapes: a space stands before a text that begins
// with a bracket. LRC has no speakers, so AppendLRC leaves them out. See [NameSpeakers].
func AppendLRC(dst []byte, segs []transcript.Segment) []byte {
	shown := make([]transcript.Segment, 0, len(segs))
	for _, s := range segs {
		if hasText(s.Text) {
			shown = append(shown, s)
		}
	}
	slices.SortStableFunc(shown, func(a, b transcript.Segment) int {
		return cmp.Compare(wire.Milliseconds(a.Start), wire.Milliseconds(b.Start))
	})
	end := int64(0)
	for i := range shown {
		start := wire.Milliseconds(shown[i].Start)
		text := inOneLine(shown[i].Text)
		if text[0] == '[' {
			text = " " + text
		}
		dst = fmt.Appendf(appendLRCTime(dst, start), "%s\n", text)
		end = max(end, start+wire.Milliseconds(shown[i].Duration))
		if i+1 < len(shown) && wire.Milliseconds(shown[i+1].Start)-end >= silence {
			dst = append(appendLRCTime(dst, end), '\n')
		}
	}
	return dst
}

// appendLRCTime appends a time, which is in milliseconds.
func appendLRCTime(dst []byte, ms int64) []byte {
	hundredths := (ms + 5) / 10
	return fmt.Appendf(dst, "[%02d:%02d.%02d]", hundredths/6000, hundredths/100%60, hundredths%100)
}
