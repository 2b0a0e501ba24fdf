package corrections

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/internal/search"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// seams are the places at which an edit splits and joins lines, by the numbers of the lines before the
// edit.
type seams struct {
	halves map[int][2]transcript.Segment
	joins  map[int]string // with the path of the entry
}

// add notes the split or the join of an entry, whose line has its new text and speaker.
func (s *seams) add(one library.SegmentEdit, line transcript.Segment, at string) error {
	switch {
	case one.SplitAt == nil && one.SpeakerAfter != nil:
		return invalid(at+".speakerAfter", "needs splitAt")
	case one.SplitAt != nil && one.Join:
		return invalid(at+".join", "must not be sent together with splitAt")
	case one.Join && one.Index == 0:
		return invalid(at+".join", "has no line before it")
	case one.Join:
		s.joins[one.Index] = at + ".join"
	case one.SplitAt != nil:
		first, second, ok := split(line, *one.SplitAt)
		if !ok {
			return invalid(at+".splitAt", fmt.Sprintf("must leave text before and after: the line has %d characters", utf8.RuneCountInString(line.Text)))
		}
		s.halves[one.Index] = [2]transcript.Segment{first, second}
	}
	return nil
}

// sew returns the lines with the splits and joins. Speakers are those of the given lines, apart from
// those of after, which are the speakers of second halves.
func (s *seams) sew(lines []transcript.Segment, after map[int]string) ([]transcript.Segment, error) {
	sewn := make([]transcript.Segment, 0, len(lines)+len(s.halves))
	for i, line := range lines {
		parts := []transcript.Segment{line}
		if halves, is := s.halves[i]; is {
			parts = halves[:]
			parts[0].Speaker, parts[1].Speaker = line.Speaker, line.Speaker
			if name, named := after[i]; named {
				parts[1].Speaker = name
			}
			if i+1 < len(lines) { // lines are in the order of their beginnings
				begin(&parts[1], min(parts[1].Start, lines[i+1].Start))
				parts[0].Duration = min(parts[0].Duration, parts[1].Start-parts[0].Start)
			}
		}
		if path, is := s.joins[i]; is {
			last := &sewn[len(sewn)-1]
			*last, parts = joined(*last, line), nil
			if n := utf8.RuneCountInString(last.Text); n > MaxText {
				return nil, invalid(path, fmt.Sprintf("would make a line of %d characters, and a line has at most %d", n, MaxText))
			}
		}
		sewn = append(sewn, parts...)
	}
	if len(sewn) > max(MaxLines, len(lines)) {
		return nil, invalid("segments", fmt.Sprintf("would make a text of more than %d lines", MaxLines))
	}
	return sewn, nil
}

// split divides a line before the character n. Blanks at the seam go. ok is false if a part would
// have no text.
func split(line transcript.Segment, n int) (first, second transcript.Segment, ok bool) {
	at := len(search.First(line.Text, n))
	first, second = line, line
	first.Text, second.Text = strings.TrimSpace(line.Text[:at]), strings.TrimSpace(line.Text[at:])
	if first.Text == "" || second.Text == "" {
		return first, second, false
	}
	seam := line.Start + line.Duration*portion(line.Text[:at], line.Text)
	end := seam
	if first.Words, second.Words = cutWords(line, at); first.Words != nil {
		end, seam = first.Words[len(first.Words)-1].End, second.Words[0].Start
	}
	seam = min(max(seam, line.Start), line.End())
	first.Duration = min(max(end, line.Start), seam) - line.Start
	begin(&second, seam)
	return first, second, true
}

// begin moves the beginning of a line, which keeps its end.
func begin(line *transcript.Segment, start float64) {
	line.Start, line.Duration = start, line.End()-start
}

// portion is the part of the characters of a text that its beginning has.
func portion(beginning, text string) float64 {
	return float64(utf8.RuneCountInString(beginning)) / float64(utf8.RuneCountInString(text))
}

// cutWords divides the words of a line before the byte cut of its text. Both parts have words, or
// the words do not fit the text, and are nil.
func cutWords(line transcript.Segment, cut int) (before, after []transcript.Word) {
	at := 0
	for _, word := range line.Words {
		text := strings.TrimSpace(word.Text)
		from := strings.Index(line.Text[at:], text)
		if from < 0 || text == "" {
			return nil, nil
		}
		from += at
		at = from + len(text)
		switch {
		case at <= cut:
			before = append(before, word)
		case from >= cut:
			after = append(after, word)
		default: // the seam is inside the word
			middle := word.Start + (word.End-word.Start)*portion(line.Text[from:cut], text)
			beginning, rest := word, word
			beginning.Text, beginning.End = line.Text[from:cut], middle
			rest.Text, rest.Start = line.Text[cut:at], middle
			before, after = append(before, beginning), append(after, rest)
		}
	}
	if before == nil || after == nil {
		return nil, nil
	}
	return before, after
}

// joined appends a line to the line before it. The joined line has the speaker of the first one, and
// words if both have words.
func joined(first, second transcript.Segment) transcript.Segment {
	line := first
	line.Text += " " + second.Text
	if search.WritesNoSpace(first.Text, second.Text) {
		line.Text = first.Text + second.Text
	}
	line.Duration = max(first.End(), second.End()) - first.Start
	line.Words = nil
	if first.Words != nil && second.Words != nil {
		line.Words = append(append(line.Words, first.Words...), second.Words...)
	}
	line.Confidence = nil
	if first.Confidence != nil && second.Confidence != nil {
		part := portion(first.Text, first.Text+second.Text)
		line.Confidence = new(math.Round((*first.Confidence*part+*second.Confidence*(1-part))*1000) / 1000)
	}
	return line
}
