package wordindex

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/search"
)

// candidates are the texts that have hits, of the wanted platform and language and behind the
// place at which the page begins.
type candidates struct {
	search  Search
	need    need
	counter *search.Counter
	all     []candidate
}

type candidate struct {
	source *source
	text   int
	hits   int
}

func (c candidate) entry() entry { return c.source.entries[c.text] }

// add counts the hits in sources that have all terms. It keeps the places of volumes, from which
// addTimes reads the times of the hits.
func (c *candidates) add(sources []*source) {
	for _, s := range sources {
		for m := range c.search.Query.Matches(s.postings) {
			if m.Text < len(s.entries) && c.wants(s.entries[m.Text]) {
				c.consider(candidate{s, m.Text, c.counter.Hits(m, s.startsOf(m.Text))})
			}
		}
		if s.starts = nil; s.volume == 0 || !c.need.places {
			s.postings = nil
		}
	}
}

func (c *candidates) wants(e entry) bool {
	return (c.search.Platform == "" || e.platform == c.search.Platform) && (c.search.Lang == "" || e.lang == c.search.Lang)
}

func (c *candidates) consider(new candidate) {
	after := c.search.After
	if new.hits == 0 || after != nil && (new.hits > after.Hits || new.hits == after.Hits && new.entry().place(new.hits).compare(*after) <= 0) {
		return
	}
	c.all = append(c.all, new)
}

// ranked is a candidate with its place in the order of the search.
type ranked struct {
	Found
	candidate
}

// first returns the first n candidates in the order of the search.
func (c *candidates) first(n int) (first []ranked) {
	for _, one := range c.all {
		if len(first) >= n && one.hits < first[n-1].Hits {
			continue // first[:n] was sorted: see below
		}
		place := one.entry().place(one.hits)
		if len(first) >= n && place.compare(first[n-1].Place) > 0 {
			continue
		}
		if first = append(first, ranked{Found{Place: place}, one}); len(first) == n || len(first) == 2*n {
			first = sorted(first, n)
		}
	}
	return sorted(first, n)
}

func sorted(all []ranked, n int) []ranked {
	slices.SortFunc(all, func(a, b ranked) int { return a.compare(b.Place) })
	return all[:min(len(all), n)]
}

// there returns those candidates that are in the library, and in the volume in which the search
// has found them.
func there(ctx context.Context, db bun.IDB, first []ranked) (found []ranked, err error) {
	volumes := map[string]int64{}
	for some := range slices.Chunk(first, portion) {
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
		for _, row := range rows {
			volumes[row.ID] = row.Volume
		}
	}
	for _, one := range first {
		if volume, ok := volumes[one.ID]; ok && volume == one.source.volume {
			found = append(found, one)
		}
	}
	return found, nil
}
