package recognition

import (
	"cmp"
	"slices"
)

// cost is the cost of a cut list, the most important part first.
type cost struct {
	windows int // paid windows
	parts   int // calls of the recognizer, and long silences inside them
	rough   int // how bad the cuts are
}

func (c cost) compare(d cost) int {
	return cmp.Or(cmp.Compare(c.windows, d.windows), cmp.Compare(c.parts, d.parts), cmp.Compare(c.rough, d.rough))
}

// way is the cheapest way to divide the pieces up to a certain one.
type way struct {
	cost
	first int // the first piece of its last stretch
}

// cheapest joins pieces to stretches of speech of at most longest frames. It leaves silences out.
// The exception is two pieces that fit into a single window: they share the window with the
// silence between them.
func cheapest(pieces []piece, longest, window int) []stretch {
	ways := make([]way, 1, len(pieces)+1) // indexed by the number of divided pieces
	for i, last := range pieces {
		if last.silent {
			ways = append(ways, way{ways[i].cost, i})
			continue
		}
		best, silences := way{first: -1}, 0
		for first := i; first >= 0 && (first == i || last.to-pieces[first].from <= longest); first-- {
			if pieces[first].silent {
				silences++
				continue
			}
			w := way{ways[first].with(pieces[first].rough, last.to-pieces[first].from, longest, window), first}
			w.parts += silences
			if best.first < 0 || w.compare(best.cost) < 0 { // the first of equal ways leaves longer stretches before it
				best = w
			}
		}
		ways = append(ways, best)
	}
	var out []stretch
	for i := len(pieces); i > 0; i = ways[i].first {
		out = append(out, stretch{from: pieces[ways[i].first].from, to: pieces[i-1].to})
	}
	slices.Reverse(out)
	return out
}

// with adds the cost of another stretch. A very short stretch lacks the context of its words,
// which is as bad as a cut without a pause.
func (c cost) with(rough, frames, longest, window int) cost {
	if frames < longest/8 {
		rough += apartMin
	}
	return cost{c.windows + (frames+window-1)/window, c.parts + 1, c.rough + rough}
}
