package recognition

import (
	"slices"
	"strings"
	"unicode"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// A failing recognizer repeats the same words again and again. People repeat themselves too,
// but not as often: these are the least repetitions of a loop.
const (
	wordRepeats   = 12 // of one word
	phraseRepeats = 6  // of two to seven words
	longRepeats   = 5  // of eight words and more
	longPhrase    = 8
	longestPhrase = 64 // tokens
)

// dropLoops keeps the first of the equal phrases of a loop and drops the others, including a
// truncated last one. The gaps are at the places of the dropped phrases, in order.
func dropLoops(segments []transcript.Segment) ([]transcript.Segment, []Gap) {
	tokens := tokensOf(segments)
	var gaps []Gap
	for i := 0; i < len(tokens); {
		n, repeated := loopAt(tokens[i:])
		if n == 0 {
			i++
			continue
		}
		echo := tokens[i+n : i+repeated]
		for j := range echo {
			echo[j].dropped = true
		}
		from, to := toMillis(echo[0].start), toMillis(echo[len(echo)-1].end)
		gaps = append(gaps, Gap{Start: toSeconds(from), Duration: toSeconds(max(to-from, 0)), Reason: ReasonRepetition})
		i += repeated
	}
	if gaps == nil {
		return segments, nil
	}
	return fromTokens(segments, tokens), gaps
}

// loopAt returns the number of tokens in the phrase that is repeated at the beginning of
// tokens, and the number of tokens with all repetitions; 0 if there is no loop.
func loopAt(tokens []token) (n, repeated int) {
	for n := 1; n <= min(longestPhrase, len(tokens)/longRepeats); n++ {
		same := n
		for same < len(tokens) && tokens[same].folded == tokens[same-n].folded {
			same++
		}
		if same/n < repeatsOf(tokens[:n]) {
			continue
		}
		if same < len(tokens) { // the rest begins like the phrase but continues differently
			same -= same % n
		}
		return n, same
	}
	return 0, 0
}

// repeatsOf returns the least repetitions of a phrase that make a loop. In a script without
// spaces, two characters count as a word.
func repeatsOf(phrase []token) int {
	words := 0.0
	for _, t := range phrase {
		words++
		if t.alone {
			words -= 0.5
		}
	}
	switch {
	case words <= 1:
		return wordRepeats
	case words < longPhrase:
		return phraseRepeats
	}
	return longRepeats
}

// token is a word of a segment, or a character in a script without spaces.
type token struct {
	segment    int
	from, to   int // its bytes in the text, up to the next token
	start, end float64
	word       int // index of its word in the segment; -1: not known
	folded     string
	alone      bool // whether it is a character of a script without spaces
	dropped    bool
}

func tokensOf(segments []transcript.Segment) []token {
	var all []token
	for n, s := range segments {
		first := len(all)
		for _, t := range split(s.Text) {
			t.segment, t.word = n, -1
			share := s.Duration / float64(len(s.Text))
			t.start, t.end = s.Start+float64(t.from)*share, s.Start+float64(t.to)*share
			all = append(all, t)
		}
		timeByWords(all[first:], s)
	}
	return all
}

// split cuts a text into tokens. Each token includes the text up to the next one, and the first
// token also the text before it.
func split(text string) []token {
	var all []token
	inside := false
	for at, r := range text {
		alone := unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
		within := !alone && (unicode.In(r, unicode.Letter, unicode.Digit, unicode.Mark) || r == '\'' || r == '’')
		if alone || within && !inside {
			all = append(all, token{from: at, alone: alone})
		}
		inside = within
	}
	for i := range all {
		all[i].to = len(text)
		if i+1 < len(all) {
			all[i].to = all[i+1].from
		}
		all[i].folded = strings.ToLower(strings.TrimRightFunc(text[all[i].from:all[i].to], notInWord))
	}
	if len(all) > 0 {
		all[0].from = 0
	}
	return all
}

func notInWord(r rune) bool { return !unicode.In(r, unicode.Letter, unicode.Digit, unicode.Mark) }

// timeByWords gives tokens the times of their words, if the words match the text.
func timeByWords(tokens []token, s transcript.Segment) {
	at := 0
	for n, w := range s.Words {
		text := strings.TrimSpace(w.Text)
		i := strings.Index(s.Text[at:], text)
		if i < 0 {
			return
		}
		from := at + i
		at = from + len(text)
		for j := range tokens {
			if tokens[j].to > from && tokens[j].from < at {
				tokens[j].word, tokens[j].start, tokens[j].end = n, w.Start, w.End
			}
		}
	}
}

// fromTokens makes segments from the remaining tokens.
func fromTokens(segments []transcript.Segment, tokens []token) []transcript.Segment {
	out := []transcript.Segment{}
	for n, s := range segments {
		mine := 0
		for mine < len(tokens) && tokens[mine].segment == n {
			mine++
		}
		left := slices.DeleteFunc(slices.Clone(tokens[:mine]), func(t token) bool { return t.dropped })
		switch {
		case len(left) == mine:
			out = append(out, s)
		case len(left) > 0:
			out = append(out, only(s, left))
		}
		tokens = tokens[mine:]
	}
	return out
}

// only returns the part of a segment that consists of these tokens.
func only(s transcript.Segment, left []token) transcript.Segment {
	var text strings.Builder
	var words []transcript.Word
	last := -1
	for _, t := range left {
		text.WriteString(s.Text[t.from:t.to])
		if t.word > last {
			last = t.word
			words = append(words, s.Words[last])
		}
	}
	s.Text, s.Words = strings.TrimSpace(text.String()), words
	s.Start = left[0].start
	s.Duration = toSeconds(toMillis(max(left[len(left)-1].end-s.Start, 0)))
	s.Start = toSeconds(toMillis(s.Start))
	return s
}
