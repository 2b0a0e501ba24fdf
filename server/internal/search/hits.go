package search

import (
	"cmp"
	"slices"
)

// near is how long the parts of a query may be said apart from each other, in
// milliseconds.
const near = 30_000

// Hits returns the segments with a hit, by the Place.At of their words, each once, in
// order of time. A hit is a place where all words and phrases of the query are said
// within 30 seconds. A hit counts for the segment in which its first word begins, and
// the next hit begins after it. places has the places of each term.
func (q Query) Hits(places map[Term][]Place) (at []int) {
	type said struct {
		Place
		part int
	}
	var all []said
	for i, p := range q.parts {
		for _, place := range p.places(places) {
			all = append(all, said{place, i})
		}
	}
	slices.SortFunc(all, func(a, b said) int { return cmp.Or(cmp.Compare(a.Pos, b.Pos), cmp.Compare(a.part, b.part)) })
	latest := make([]*Place, len(q.parts))
	for i := range all {
		latest[all[i].part] = &all[i].Place
		first := first(latest)
		if first == nil || all[i].At-first.At > near {
			continue
		}
		if len(at) == 0 || at[len(at)-1] != first.At {
			at = append(at, first.At)
		}
		clear(latest)
	}
	return at
}

// first is the first of the places, nil unless there are all.
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

// places are where the part begins, in order: where its words stand one after the other.
func (p part) places(of map[Term][]Place) []Place {
	starts := inPlace(of[p.term(0)])
	for i := 1; i < len(p.words) && len(starts) > 0; i++ {
		next := inPlace(of[p.term(i)])
		var still []Place
		for _, start := range starts {
			n, found := slices.BinarySearchFunc(next, start.Pos+i, func(p Place, pos int) int { return cmp.Compare(p.Pos, pos) })
			if found {
				still = append(still, start)
			}
			next = next[n:]
		}
		starts = still
	}
	return starts
}

// inPlace sorts places that come from several words.
func inPlace(places []Place) []Place {
	byPos := func(a, b Place) int { return cmp.Compare(a.Pos, b.Pos) }
	if !slices.IsSortedFunc(places, byPos) {
		slices.SortFunc(places, byPos)
	}
	return places
}
