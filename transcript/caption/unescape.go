package caption

import (
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/legible"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Unescape decodes the character references in the texts and words once more, for
// a track that is known to be encoded twice: one whose apostrophes come out of a
// reader as "&#39;". Readers never do that, as a track may well speak of
// references; [SRV1], whose format is HTML in XML, decodes both. The segments are
// not changed, and returned as they are when there is nothing to decode. One of
// which nothing is left but white space is left out.
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

// rewrite returns the segments with those changed that want it. They are copies
// whose words may be changed too. What has no text then is left out.
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
