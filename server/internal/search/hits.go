package search

import (
	"cmp"
	"slices"
)

// near is the longest time between the first and the last part of a hit, in milliseconds.
const near = 30_000

// Hits returns the Place.At of the segments with a hit, in order and each once. A hit is a
// passage of at most 30 seconds with all words and phrases of the query. A hit counts for the
// segment of its first word, and the next hit begins after the hit's last part. places maps
// each term of the query to its places.
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

// places returns the places where the part begins, in order. The words of a part follow each
// other without a gap.
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

// inPlace sorts the places of a term. A prefix has places of several words, which are not in
// order.
func inPlace(places []Place) []Place {
	byPos := func(a, b Place) int { return cmp.Compare(a.Pos, b.Pos) }
	if !slices.IsSortedFunc(places, byPos) {
		slices.SortFunc(places, byPos)
	}
	return places
}
