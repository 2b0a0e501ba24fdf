package wordindex

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/search"
)

// loadBytes limits the places that a search reads at a time.
const loadBytes = 8 << 20

// candidates are the first texts that have hits, of the wanted platform and language and behind
// the place at which the page begins.
type candidates struct {
	search  Search
	db      bun.IDB
	counter *search.Counter
	keep    int         // how many are wanted
	all     []candidate // at most twice keep
	worst   *Place      // a text behind it is not among the first; nil means that every text may be
}

// candidate is a text with its place in the order of the search.
type candidate struct {
	Found
	source *source
	match  search.Match
}

// blocks appends the blocks that have the places of the text.
func (c candidate) blocks(blocks []blockOf) []blockOf {
	for _, postings := range append(slices.Clone(c.match.Of), c.match.Starts) {
		for _, p := range postings {
			blocks = append(blocks, blockOf{c.source, p.Block})
		}
	}
	return blocks
}

// add adds the texts of sources that have all terms. It counts their hits by their places only if
// they may have enough hits.
func (c *candidates) add(ctx context.Context, sources []*source) error {
	q := c.search.Query
	var found []candidate
	ranges := map[*source][2]int{}
	for _, s := range sources {
		for m := range q.Matches(s.terms) {
			if m.Text >= len(s.entries) || !c.wants(s.entries[m.Text]) {
				continue
			}
			one := candidate{Found{Place: s.entries[m.Text].place(q.Bound(m))}, s, m}
			if c.late(one.Place) {
				continue
			}
			if !q.NeedsPlaces() {
				c.consider(one)
				continue
			}
			found = append(found, one)
			if of, has := ranges[s]; has {
				ranges[s] = [2]int{of[0], m.Text}
			} else {
				ranges[s] = [2]int{m.Text, m.Text}
			}
		}
	}
	if q.NeedsStarts() {
		if err := lookForStarts(ctx, c.db, ranges, false); err != nil {
			return err
		}
	}
	for len(found) > 0 {
		n, size := 0, 0
		for ; n < len(found) && size < loadBytes; n++ {
			found[n].match.Starts = found[n].source.startsOf(found[n].match.Text)
			size += found[n].match.Size()
		}
		if err := c.count(ctx, found[:n]); err != nil {
			return err
		}
		found = found[n:]
	}
	return nil
}

func (c *candidates) wants(e entry) bool {
	return (c.search.Platform == "" || e.platform == c.search.Platform) && (c.search.Lang == "" || e.lang == c.search.Lang)
}

// count reads the places of texts, counts their hits, and forgets the places.
func (c *candidates) count(ctx context.Context, texts []candidate) error {
	var blocks []blockOf
	texts = slices.DeleteFunc(texts, func(one candidate) bool { return c.late(one.Place) })
	for _, one := range texts {
		blocks = one.blocks(blocks)
	}
	if err := load(ctx, c.db, blocks); err != nil {
		return err
	}
	for _, one := range texts {
		one.Hits = c.counter.Hits(one.match)
		c.consider(one)
	}
	for _, b := range blocks {
		b.block.Places = nil
	}
	return nil
}

// late reports whether a text with at most these hits is not among the first.
func (c *candidates) late(best Place) bool {
	return best.Hits == 0 || c.worst != nil && best.compare(*c.worst) > 0
}

func (c *candidates) consider(one candidate) {
	if after := c.search.After; c.late(one.Place) || after != nil && one.compare(*after) <= 0 {
		return
	}
	if c.all = append(c.all, one); len(c.all) == 2*c.keep {
		c.all = c.first()
		c.worst = &c.all[len(c.all)-1].Place
	}
}

// first returns the first candidates in the order of the search.
func (c *candidates) first() []candidate {
	slices.SortFunc(c.all, func(a, b candidate) int { return a.compare(b.Place) })
	first := c.all[:min(len(c.all), c.keep)]
	clear(c.all[len(first):])
	return first
}

// there returns those of the candidates that are in the library, and in the index in which the
// search has found them, and at most n. A volume also has texts that have left it.
func there(ctx context.Context, db bun.IDB, first []candidate, n int) (found []candidate, err error) {
	for size := n; len(first) > 0 && len(found) < n; size = min(4*size, portion) {
		some := first[:min(size, len(first))]
		first = first[len(some):]
		ids := make([]string, len(some))
		for i, one := range some {
			ids[i] = one.ID
		}
		var rows []savedText
		err := db.NewSelect().Table("library_rows").Column("id").ColumnExpr("coalesce(volume, 0) AS volume").
			Where("kind = 'transcript' AND id IN (?)", bun.List(ids)).Scan(ctx, &rows)
		if err != nil {
			return nil, err
		}
		volumes := map[string]int64{}
		for _, row := range rows {
			volumes[row.ID] = row.Volume
		}
		for _, one := range some {
			if volume, ok := volumes[one.ID]; ok && volume == one.source.volume {
				found = append(found, one)
			}
		}
	}
	return found[:min(len(found), n)], nil
}
