package recognition

import (
	"fmt"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// nearTurn is how far a word may be from a turn that it belongs to, in seconds.
const nearTurn = 0.5

// NameSpeakers gives the segments the speakers of the turns, "Speaker 1" and so on, unless a segment
// names its speaker already: a recognizer and a channel know better. A word belongs to the turn
// that covers most of it, else to the nearest turn within half a second, else to the speaker of the
// word before. A segment with words of several speakers is cut between the words. A segment without
// words belongs to the turn that covers most of it. turns are sorted by start.
func NameSpeakers(segments []transcript.Segment, turns []engine.Turn) []transcript.Segment {
	if len(turns) == 0 || slices.ContainsFunc(segments, func(s transcript.Segment) bool { return s.Speaker != "" }) {
		return segments
	}
	longest := 0.0 // of the turns
	for _, t := range turns {
		longest = max(longest, t.End-t.Start)
	}
	who := func(start, end float64) int { return speakerAt(turns, longest, start, end) }
	out := make([]transcript.Segment, 0, len(segments))
	for _, s := range segments {
		if len(s.Words) == 0 {
			s.Speaker = speakerName(who(s.Start, s.End()))
			out = append(out, s)
			continue
		}
		out = append(out, cutAtSpeakers(s, who)...)
	}
	return out
}

func speakerName(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("Speaker %d", n)
}

// speakerAt is the speaker of a stretch, or 0. longest is the length of the longest turn.
func speakerAt(turns []engine.Turn, longest, start, end float64) (speaker int) {
	first, _ := slices.BinarySearchFunc(turns, start-longest-nearTurn, func(t engine.Turn, at float64) int {
		if t.Start < at {
			return -1
		}
		return 1
	})
	best := -nearTurn // how much a turn covers; below 0: how far it is away
	for _, t := range turns[first:] {
		if t.Start > end+nearTurn {
			break
		}
		if covers := min(end, t.End) - max(start, t.Start); covers > best {
			best, speaker = covers, t.Speaker
		}
	}
	return speaker
}

// cutAtSpeakers cuts a segment between the words of different speakers. The text of a segment is
// that of its words; if it is not, the segment stays whole and belongs to the speaker of most words.
func cutAtSpeakers(s transcript.Segment, who func(start, end float64) int) []transcript.Segment {
	speakers := make([]int, len(s.Words))
	for i, w := range s.Words {
		if speakers[i] = who(w.Start, w.End); speakers[i] == 0 && i > 0 {
			speakers[i] = speakers[i-1]
		}
	}
	for i := len(speakers) - 2; i >= 0; i-- { // the words before the first turn
		if speakers[i] == 0 {
			speakers[i] = speakers[i+1]
		}
	}
	texts, ok := textsOf(s, speakers)
	if !ok {
		s.Speaker = speakerName(mostOf(speakers))
		return []transcript.Segment{s}
	}
	var out []transcript.Segment
	for from := 0; from < len(speakers); {
		to := from + 1
		for to < len(speakers) && speakers[to] == speakers[from] {
			to++
		}
		part := s
		part.Text, part.Speaker, part.Words = texts[len(out)], speakerName(speakers[from]), s.Words[from:to:to]
		if from > 0 {
			part.Start = part.Words[0].Start
		}
		end := s.End()
		if to < len(speakers) {
			end = min(end, part.Words[len(part.Words)-1].End)
		}
		part.Duration = round(max(end-part.Start, 0))
		out = append(out, part)
		from = to
	}
	return out
}

// textsOf divides the text of a segment where the speaker of its words changes. ok is false if the
// words are not found in the text, in order.
func textsOf(s transcript.Segment, speakers []int) (texts []string, ok bool) {
	at, begin := 0, 0 // in s.Text: behind the last word, and where the part begins
	for i, w := range s.Words {
		word := strings.TrimSpace(w.Text)
		n := strings.Index(s.Text[at:], word)
		if n < 0 || word == "" {
			return nil, false
		}
		if i > 0 && speakers[i] != speakers[i-1] {
			texts = append(texts, strings.TrimSpace(s.Text[begin:at+n]))
			begin = at + n
		}
		at += n + len(word)
	}
	texts = append(texts, strings.TrimSpace(s.Text[begin:]))
	return texts, !slices.Contains(texts, "")
}

// mostOf is the most frequent of some speakers.
func mostOf(speakers []int) (most int) {
	count := map[int]int{}
	for _, n := range speakers {
		if count[n]++; count[n] > count[most] || most == 0 {
			most = n
		}
	}
	return most
}
