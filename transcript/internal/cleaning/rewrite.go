package cleaning

import (
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// foldLines makes one space of each run of white space, U+00A0 included, and leaves
// out lines that have nothing else.
func foldLines(text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// rewrite returns the segments, and copies of the segments to change. change may also
// change the words of a copy. A changed segment without text is left out.
func rewrite(segments []transcript.Segment, wants func(*transcript.Segment) bool, change func(*transcript.Segment)) []transcript.Segment {
	var out []transcript.Segment
	for i := range segments {
		if !wants(&segments[i]) {
			if out != nil {
				out = append(out, segments[i])
			}
			continue
		}
		if out == nil {
			out = append(make([]transcript.Segment, 0, len(segments)), segments[:i]...)
		}
		s := segments[i]
		s.Words = append([]transcript.Word(nil), s.Words...)
		if change(&s); s.Text != "" {
			out = append(out, s)
		}
	}
	if out == nil {
		return segments
	}
	return out
}
