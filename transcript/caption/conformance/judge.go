package main

import (
	"cmp"
	"html"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// verdict is what the answer of a reader is worth, from the best to the worst.
type verdict int

const (
	right   verdict = iota
	told            // not right, but the reader reports an error or lost cues
	changed         // all text is there at its times, with other text, or with markup in it
	moved           // all text is there, but not at its times
	lost            // text is missing, and the reader reports nothing
)

// judge compares the answer of a reader with the right answers. The best comparison counts.
func (e *example) judge(got answer) verdict {
	best := lost
	for _, want := range e.right() {
		best = min(best, compare(want, got))
	}
	return best
}

func compare(want, got answer) verdict {
	reports := got.Error != "" || got.Lost > 0
	silent := want.Lost > 0 && !reports
	got.Cues = slices.DeleteFunc(slices.Clone(got.Cues), func(c cue) bool { return folded(c.Text) == "" })
	switch {
	case want.Error != "" && got.Error != "":
		return right
	case want.Error == "" && !silent && sameCues(want.Cues, got.Cues):
		return right
	case reports:
		return told
	case silent && size(got.Cues) <= size(want.Cues), want.Error != "" && len(got.Cues) == 0, !hasAll(want.Cues, got.Cues):
		return lost
	case !hasTimes(want.Cues, got.Cues):
		return moved
	}
	return changed
}

// slack is the largest difference of equal times in seconds: some readers cut, and do not round.
const slack = 0.002

// size returns the number of letters and digits of all cues.
func size(cues []cue) (n int) {
	for _, c := range cues {
		n += utf8.RuneCountInString(letters(c.Text))
	}
	return n
}

func sameTimes(want, got cue) bool {
	return math.Abs(want.Start-got.Start) < slack && (want.End == nil || got.End != nil && math.Abs(*want.End-*got.End) < slack)
}

// sameCues compares all cues, with one space for each run of white space. The cues of a
// reader may be in the order of the file.
func sameCues(want, got []cue) bool {
	byStart := func(a, b cue) int { return cmp.Compare(a.Start, b.Start) }
	got = slices.SortedStableFunc(slices.Values(got), byStart)
	return slices.EqualFunc(want, got, func(w, g cue) bool {
		speaker := ""
		if w.Speaker != nil {
			speaker = *w.Speaker
		}
		return sameTimes(w, g) && folded(w.Text) == folded(g.Text) && (g.Speaker == nil || speaker == *g.Speaker)
	})
}

// folded returns a text with one space for each run of white space.
func folded(text string) string { return strings.Join(strings.Fields(text), " ") }

// hasAll reports whether the letters and digits of all cues are in the answer: those of each
// cue in their order, and as many of each as the cues have together.
func hasAll(want, got []cue) bool {
	var all strings.Builder
	for _, c := range got {
		all.WriteString(letters(html.UnescapeString(c.Text))) // a reference that stays is no loss
	}
	left := make(map[rune]int)
	for _, r := range all.String() {
		left[r]++
	}
	for _, c := range want {
		text := letters(c.Text)
		if !follows(text, all.String()) {
			return false
		}
		for _, r := range text {
			if left[r]--; left[r] < 0 {
				return false
			}
		}
	}
	return true
}

// hasTimes reports whether each cue is in one of the answer with the same times.
func hasTimes(want, got []cue) bool {
	for _, w := range want {
		if !slices.ContainsFunc(got, func(g cue) bool {
			return sameTimes(w, g) && follows(letters(w.Text), letters(html.UnescapeString(g.Text)))
		}) {
			return false
		}
	}
	return true
}

func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}

// follows reports whether all characters of part are in whole, in the same order.
func follows(part, whole string) bool {
	for _, r := range part {
		i := strings.IndexRune(whole, r)
		if i < 0 {
			return false
		}
		whole = whole[i+len(string(r)):]
	}
	return true
}
