package caption

import (
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/legible"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Unescape decodes the character references in the texts and words once more, for a
// track that is encoded twice. The apostrophes of such a track come out of a reader as
// "&#39;". Readers never decode twice, because a track may speak about references; only
// [SRV1], a format with HTML in XML, decodes both layers. Unescape does not change the
// caller's segments, and returns them if there is nothing to decode. A segment with
// nothing left except white space is left out.
func Unescape(segments []transcript.Segment) []transcript.Segment {
	return rewrite(segments, func(s *transcript.Segment) bool { return strings.Contains(s.Text, "&") },
		func(s *transcript.Segment) {
			s.Text = foldLines(decodeText(s.Text))
			for i := range s.Words {
				s.Words[i].Text = strings.Join(strings.Fields(decodeText(s.Words[i].Text)), " ")
			}
		})
}

func decodeText(s string) string { return legible.Text(string(decodeReferences([]byte(s)))) }

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
