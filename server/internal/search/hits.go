package search

import (
	"cmp"
	"iter"
	"slices"
)

// near is the longest time between the first and the last part of a hit, in milliseconds.
const near = 30_000

// Match is a text that has all terms of a query.
type Match struct {
	Text int
	of   [][]Posting // of each term; a prefix may have several postings in a text
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
		left := slices.Clone(lists)
		for m := (Match{of: make([][]Posting, len(lists))}); len(left[0]) > 0; {
			m.Text = left[0][0].Text
			all := true
			for i := range left {
				m.of[i], left[i] = cutText(left[i], m.Text)
				all = all && len(m.of[i]) > 0
			}
			if all && !yield(m) {
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

// Counter counts hits. It keeps its memory from one text to the next.
type Counter struct {
	query   Query
	parts   [][]Place // where each part begins
	scratch []Place
}

// Counter returns a counter for the hits of the query.
func (q Query) Counter() *Counter { return &Counter{query: q, parts: make([][]Place, len(q.parts))} }

// Hits returns the number of segments with a hit: see Times. starts is the posting of the text
// for StartsFrom; its places are not read if NeedsStarts is false.
func (c *Counter) Hits(m Match, starts Posting) (n int) {
	switch {
	case !c.query.NeedsPlaces():
		return m.of[0][0].Hits
	case !c.query.NeedsStarts():
		return c.query.parts[0].hits(m)
	}
	c.each(m, starts, func(int) bool {
		n++
		return true
	})
	return n
}

// Times returns the Place.At of the first segments with a hit, at most n, in order and each
// once. A hit is a passage of at most 30 seconds with all words and phrases of the query. A hit
// counts for the segment of its first word, and the next hit begins after the hit's last part.
func (c *Counter) Times(m Match, starts Posting, n int) (at []int) {
	c.each(m, starts, func(ms int) bool {
		at = append(at, ms)
		return len(at) < n
	})
	return at
}

// hits counts the segments in which the part begins, by the bits of its first word's places.
func (p part) hits(m Match) (n int) {
	words := make([]placeReader, len(p.words))
	for i, term := range p.terms {
		words[i].encoded = m.of[term][0].Places
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
func (c *Counter) each(m Match, starts Posting, hit func(at int) bool) {
	for i, p := range c.query.parts {
		c.parts[i] = c.begins(c.parts[i][:0], p, m, starts)
	}
	left := slices.Clone(c.parts)
	latest := make([]*Place, len(left))
	for last, some := 0, false; ; {
		i := firstOf(left)
		if i < 0 {
			return
		}
		place := &left[i][0]
		latest[i], left[i] = place, left[i][1:]
		first := first(latest)
		if first == nil || place.At-first.At > near {
			continue
		}
		if !some || last != first.At {
			if !hit(first.At) {
				return
			}
			last, some = first.At, true
		}
		clear(latest)
	}
}

// firstOf returns the number of the list that has the lowest place, or -1 if all lists are
// empty.
func firstOf(lists [][]Place) int {
	n := -1
	for i, list := range lists {
		if len(list) > 0 && (n < 0 || list[0].Pos < lists[n][0].Pos) {
			n = i
		}
	}
	return n
}

// first returns the place with the lowest Pos. It returns nil if any place is nil.
func first(places []*Place) *Place {
	first := places[0]
	for _, p := range places {
		if p == nil {
			return nil
		}
		if p.Pos < first.Pos {
			first = p
		}
	}
	return first
}

// begins appends the places where a part begins, in order. The words of a part follow each
// other without a gap.
func (c *Counter) begins(places []Place, p part, m Match, starts Posting) []Place {
	places = appendPositions(places, m.of[p.terms[0]])
	for i := 1; i < len(p.terms) && len(places) > 0; i++ {
		c.scratch = appendPositions(c.scratch[:0], m.of[p.terms[i]])
		next, still := c.scratch, places[:0]
		for _, place := range places {
			for len(next) > 0 && next[0].Pos < place.Pos+i {
				next = next[1:]
			}
			if len(next) > 0 && next[0].Pos == place.Pos+i {
				still = append(still, place)
			}
		}
		places = still
	}
	at := readStarts(starts.Places)
	for i := range places {
		places[i].At = at.atOf(places[i].Pos)
	}
	return places
}

// appendPositions appends the places of a term, in order and without At.
func appendPositions(places []Place, postings []Posting) []Place {
	for _, p := range postings {
		for r := (placeReader{encoded: p.Places}); r.next(); {
			places = append(places, Place{Pos: r.pos})
		}
	}
	if len(postings) > 1 {
		slices.SortFunc(places, func(a, b Place) int { return cmp.Compare(a.Pos, b.Pos) })
	}
	return places
}
