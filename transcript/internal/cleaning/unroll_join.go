package cleaning

import (
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Some programs join the rows that a screen shows into one line: "so we go", then
// "so we go to the sea", then "to the sea over there". There a line begins with
// what the one before ends with.

// fitJoined finds the longest end of the last line with which a line begins; from
// is where it begins in the last line. It begins where a row does that came before
// or, when none fits and anyEnd says so, at any word, if two at least come again and
// more follow: one may well be said again.
func (u *unroller) fitJoined(last, line string, words []transcript.Word, anyEnd bool) (f fit, from int) {
	left := patience([]string{last}, []string{line})
	for _, at := range u.rows {
		if f, ok := fitEnd(last[at:], line, words, &left); ok && at > 0 {
			return f, at
		}
	}
	if !anyEnd {
		return fit{}, 0
	}
	within := true // a word
	for at, r := range last {
		if left <= 0 {
			break
		}
		if !within && !isGap(r) {
			if f, ok := fitEnd(last[at:], line, words, &left); ok && f.joined && severalWords(last[at:]) {
				return f, at
			}
		}
		within = !isGap(r)
	}
	return fit{}, 0
}

// severalWords reports whether two words of a text, at least, have letters or digits.
func severalWords(text string) bool {
	n := 0
	for word := range strings.FieldsSeq(text) {
		if strings.ContainsFunc(word, isSpoken) {
			n++
		}
	}
	return n > 1
}

// fitEnd fits a line to the end of the last one. It takes what it compares off left.
func fitEnd(end, line string, words []transcript.Word, left *int) (f fit, ok bool) {
	to, ok := beginsWith(line, end, left)
	if !ok {
		return fit{}, false
	}
	*left -= to
	known := wordsOf(words, line[:to])
	if spokenAgain(words, known, true) {
		return fit{}, false
	}
	return fit{shown: 1, joined: to < len(line), end: int32(to), words: int32(known)}, true
}

// keepRows keeps the starts of the rows in the line of a cue. The line continues the
// line before as f says, and shows the line before from the index from on. keepRows
// keeps only the rows of cues with one line.
func (u *unroller) keepRows(these []string, f fit, from int) {
	rows := u.rows[:0]
	for _, at := range u.rows {
		if len(these) == 1 && f.shown == 1 && at >= from && at-from <= int(f.end) { // lines that look the same may differ in length
			rows = append(rows, at-from)
		}
	}
	switch {
	case len(these) != 1:
	case f.joined, f.grows:
		rows = append(rows, len(these[0])-len(afterGap(these[0][f.end:])))
	case f.shown == 0:
		rows = append(rows, 0)
	}
	u.rows = rows
}

func afterGap(text string) string { return strings.TrimLeftFunc(text, isGap) }
