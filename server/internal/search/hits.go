package search

import (
	"cmp"
	"iter"
	"math"
	"slices"
)

// near is the longest time between the first and the last part of a hit, in milliseconds.
const near = 30_000

// Match is a text that has all terms of a query.
type Match struct {
	Text   int
	Starts []Posting   // of the text, by StartsFrom; needed by Times, and by Hits if NeedsStarts
	Of     [][]Posting // of each term; a prefix may have several postings in a text
}

// Size returns the bytes of the places that a Counter reads.
func (m Match) Size() (size int) {
	for _, postings := range append(slices.Clip(m.Of), m.Starts) {
		for _, p := range postings {
			size += p.size
		}
	}
	return size
}

// Matches returns the texts of an index that have all terms of the query, in order. lists has
// the postings of each term, by the number of the term in Terms.
func (q Query) Matches(lists [][]Posting) iter.Seq[Match] {
	for _, list := range lists {
		if byText := func(a, b Posting) int { return cmp.Compare(a.Text, b.Text) }; !slices.IsSortedFunc(list, byText) {
			slices.SortFunc(list, byText)
		}
	}
	return func(yield func(Match) bool) {
		if len(q.terms) == 0 || len(lists) != len(q.terms) {
			return
		}
		left, of := slices.Clone(lists), make([][]Posting, len(lists))
		for len(left[0]) > 0 {
			text := left[0][0].Text
			all := true
			for i := range left {
				of[i], left[i] = cutText(left[i], text)
				all = all && len(of[i]) > 0
			}
			if all && !yield(Match{Text: text, Of: slices.Clone(of)}) {
				return
			}
		}
	}
}

// cutText returns the postings of a text, and those of the texts after it.
func cutText(list []Posting, text int) (of, rest []Posting) {
	from := 0
	for from < len(list) && list[from].Text < text {
		from++
	}
	to := from
	for to < len(list) && list[to].Text == text {
		to++
	}
	return list[from:to], list[to:]
}

// NeedsPlaces reports whether Hits reads the places of the terms. Without places, only the
// number of hits of a single word is known.
func (q Query) NeedsPlaces() bool {
	return q.NeedsStarts() || slices.ContainsFunc(q.parts, func(p part) bool { return len(p.words) > 1 })
}

// NeedsStarts reports whether Hits reads the starts of a text's segments.
func (q Query) NeedsStarts() bool {
	return len(q.parts) > 1 || slices.ContainsFunc(q.parts, func(p part) bool { return p.prefix })
}

// Bound returns a number of hits that the match does not exceed. It reads no places. Each hit has
// its own place of each part, and a place has at least one byte.
func (q Query) Bound(m Match) int {
	if !q.NeedsPlaces() {
		return m.Of[0][0].Hits
	}
	bound := math.MaxInt
	for _, p := range q.parts {
		for _, term := range p.terms {
			size := 0
			for _, posting := range m.Of[term] {
				size += posting.size
			}
			bound = min(bound, size)
		}
	}
	if !q.NeedsStarts() { // a hit counts for the segment of the first word
		bound = min(bound, m.Of[q.parts[0].terms[0]][0].Hits)
	}
	return bound
}
