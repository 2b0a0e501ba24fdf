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
			slices.SortStableFunc(list, byText)
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
// a place of its own of each part, and a place has at least one byte.
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

// Counter counts hits. It keeps its memory from one text to the next.
type Counter struct {
	query   Query
	begins  [][]int // where each part begins, as numbers of words
	left    [][]int
	latest  []Place
	scratch []int
	starts  []Place
}

// Counter returns a counter for the hits of the query.
func (q Query) Counter() *Counter {
	n := len(q.parts)
	return &Counter{query: q, begins: make([][]int, n), left: make([][]int, n), latest: make([]Place, n)}
}

// Hits returns the number of segments with a hit: see Times.
func (c *Counter) Hits(m Match) (n int) {
	switch {
	case !c.query.NeedsPlaces():
		return m.Of[0][0].Hits
	case !c.query.NeedsStarts():
		return c.query.parts[0].hits(m)
	}
	c.each(m, func(int) bool {
		n++
		return true
	})
	return n
}

// Times returns the Place.At of the first segments with a hit, at most n, in order and each
// once. A hit is a passage of at most 30 seconds with all words and phrases of the query. A hit
// counts for the segment of its first word, and the next hit begins after the hit's last part.
func (c *Counter) Times(m Match, n int) (at []int) {
	c.each(m, func(ms int) bool {
		at = append(at, ms)
		return len(at) < n
	})
	return at
}

// hits counts the segments in which the part begins, by the bits of its first word's places.
func (p part) hits(m Match) (n int) {
	words := make([]placeReader, len(p.words))
	for i, term := range p.terms {
		words[i].encoded = m.Of[term][0].places()
		if i > 0 && !words[i].next() {
			return 0
		}
	}
	for counted := true; words[0].next(); {
		counted = counted && words[0].same
		said := true
		for i := 1; i < len(words) && said; i++ {
			if !words[i].seek(words[0].pos + i) {
				return n
			}
			said = words[i].pos == words[0].pos+i
		}
		if said && !counted {
			n++
			counted = true
		}
	}
	return n
}

// each calls hit for each segment with a hit, in order, until hit returns false.
func (c *Counter) each(m Match, hit func(at int) bool) {
	if c.starts = c.starts[:0]; len(m.Starts) > 0 {
		c.starts = appendStarts(c.starts, m.Starts[0].places())
	}
	if len(c.starts) == 0 {
		return
	}
	for i, p := range c.query.parts {
		c.begins[i] = c.appendBegins(c.begins[i][:0], p, m)
	}
	copy(c.left, c.begins)
	said := 0 // parts that have a latest place
	clearPlaces(c.latest)
	for last, segment := -1, 0; ; {
		i := firstOf(c.left)
		if i < 0 {
			return
		}
		pos := c.left[i][0]
		c.left[i] = c.left[i][1:]
		for segment+1 < len(c.starts) && c.starts[segment+1].Pos <= pos {
			segment++
		}
		if c.latest[i].Pos < 0 {
			said++
		}
		c.latest[i] = Place{At: c.starts[segment].At, Pos: pos}
		if said < len(c.latest) {
			continue
		}
		first := firstPlace(c.latest)
		if c.latest[i].At-first.At > near {
			continue
		}
		if last != first.At {
			if !hit(first.At) {
				return
			}
			last = first.At
		}
		said = 0
		clearPlaces(c.latest)
	}
}

func clearPlaces(places []Place) {
	for i := range places {
		places[i].Pos = -1
	}
}

// firstOf returns the number of the list that has the lowest place, or -1 if all lists are
// empty.
func firstOf(lists [][]int) int {
	n := -1
	for i, list := range lists {
		if len(list) > 0 && (n < 0 || list[0] < lists[n][0]) {
			n = i
		}
	}
	return n
}

// firstPlace returns the place with the lowest Pos.
func firstPlace(places []Place) Place {
	first := places[0]
	for _, p := range places[1:] {
		if p.Pos < first.Pos {
			first = p
		}
	}
	return first
}

// appendBegins appends the places where a part begins, in order. The words of a part follow each
// other without a gap.
func (c *Counter) appendBegins(begins []int, p part, m Match) []int {
	begins = appendPlaces(begins, m.Of[p.terms[0]])
	for i := 1; i < len(p.terms) && len(begins) > 0; i++ {
		c.scratch = appendPlaces(c.scratch[:0], m.Of[p.terms[i]])
		next, still := c.scratch, begins[:0]
		for _, pos := range begins {
			for len(next) > 0 && next[0] < pos+i {
				next = next[1:]
			}
			if len(next) > 0 && next[0] == pos+i {
				still = append(still, pos)
			}
		}
		begins = still
	}
	return begins
}

// appendPlaces appends the places of a term, in order.
func appendPlaces(places []int, postings []Posting) []int {
	for _, p := range postings {
		for r := (placeReader{encoded: p.places()}); r.next(); {
			places = append(places, r.pos)
		}
	}
	if len(postings) > 1 {
		slices.Sort(places)
	}
	return places
}
