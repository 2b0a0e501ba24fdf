package wordindex

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect"

	"github.com/transcriptkit/transcriptkit/server/internal/search"
)

// source is an index that a search reads: of a single text, or of a volume.
type source struct {
	volume  int64  // 0: a single text
	row     string // the library row of a single text
	entries []entry

	postings [][]search.Posting // by term
	starts   []search.Posting
}

// savedText is a row of the library.
type savedText struct {
	ID           string
	TranscriptID string
	Platform     string
	Lang         string
	CreatedAt    time.Time
	Volume       int64
}

func (t savedText) entry() entry {
	return entry{createdAt: t.CreatedAt.UnixMicro(), id: t.ID, platform: t.Platform, lang: t.Lang}
}

func textSources(texts []savedText) (sources []*source) {
	for _, t := range texts {
		sources = append(sources, &source{row: t.ID, entries: []entry{t.entry()}})
	}
	return sources
}

// need says what a search reads apart from words and counts.
type need struct{ places, starts bool }

// look reads the postings of all terms of a query. It returns the sources that have all of
// them.
func look(ctx context.Context, db bun.IDB, q search.Query, sources []*source, need need) ([]*source, error) {
	for _, s := range sources {
		s.postings = make([][]search.Posting, len(q.Terms()))
	}
	for i, term := range q.Terms() {
		into := func(s *source) *[]search.Posting { return &s.postings[i] }
		if err := lookFor(ctx, db, term, sources, need.places, into); err != nil {
			return nil, err
		}
		var left []*source
		for _, s := range sources {
			if len(s.postings[i]) > 0 {
				left = append(left, s)
			}
		}
		if sources = left; len(sources) == 0 {
			return nil, nil
		}
	}
	if need.starts {
		return sources, lookForStarts(ctx, db, q, sources)
	}
	return sources, nil
}

// lookForStarts reads the starts of the texts that have all terms.
func lookForStarts(ctx context.Context, db bun.IDB, q search.Query, sources []*source) error {
	var texts []*source
	into := func(s *source) *[]search.Posting { return &s.starts }
	for _, s := range sources {
		if s.volume == 0 {
			texts = append(texts, s)
			continue
		}
		first, last := -1, -1
		for m := range q.Matches(s.postings) {
			if first < 0 {
				first = m.Text
			}
			last = m.Text
		}
		if first < 0 {
			continue
		}
		if err := lookFor(ctx, db, search.StartsFrom(first, last), []*source{s}, true, into); err != nil {
			return err
		}
	}
	return lookFor(ctx, db, search.StartsFrom(0, 0), texts, true, into)
}

// lookFor reads the postings of a term: the blocks from the last that begins at the term or
// before it. All sources are of the same kind.
func lookFor(ctx context.Context, db bun.IDB, term search.Term, sources []*source, places bool, into func(*source) *[]search.Posting) error {
	if len(sources) == 0 {
		return nil
	}
	var blocks []struct {
		Row           string
		Volume        int64
		Words, Places []byte
	}
	if err := blocksOf(db, sources, term, places).Scan(ctx, &blocks); err != nil {
		return err
	}
	byVolume, byRow := map[int64]*source{}, map[string]*source{}
	for _, s := range sources {
		byVolume[s.volume], byRow[s.row] = s, s
	}
	for _, b := range blocks {
		s := byVolume[b.Volume]
		if b.Row != "" {
			s = byRow[b.Row]
		}
		postings := into(s)
		*postings = term.AppendPostings(*postings, b.Words, b.Places)
	}
	return nil
}

// The tables of each kind of source, in the words of a statement.
var (
	textTables   = tables{rows: "library_rows AS s", id: "s.id AS row", key: "transcript_id", of: "s.transcript_id", blocks: "search_blocks"}
	volumeTables = tables{rows: "search_volumes AS s", id: "s.id AS volume", key: "volume", of: "s.id", blocks: "search_volume_blocks"}
)

type tables struct{ rows, id, key, of, blocks string }

// blocksOf selects the blocks of sources that may have a term. Each database enters the index of
// the blocks once for each source: SQLite because of CROSS JOIN, PostgreSQL because of LATERAL
// and OFFSET.
func blocksOf(db bun.IDB, sources []*source, term search.Term, places bool) *bun.SelectQuery {
	t, ids := volumeTables, make([]any, len(sources))
	for i, s := range sources {
		if ids[i] = s.volume; s.volume == 0 {
			t, ids[i] = textTables, s.row
		}
	}
	columns := "words"
	if places {
		columns = "words, places"
	}
	key, of, blocks := bun.Safe(t.key), bun.Safe(t.of), bun.Safe(t.blocks)
	from := bun.SafeQuery("SELECT max(first_word) AS word FROM ? WHERE ? = ? AND first_word <= ?", blocks, key, of, term.First())
	q := db.NewSelect().TableExpr(t.rows).ColumnExpr(t.id).ColumnExpr(columns).Where("s.id IN (?)", bun.List(ids))
	if db.Dialect().Name() == dialect.PG {
		return q.Join("CROSS JOIN LATERAL (?) AS f", from).
			Join("CROSS JOIN LATERAL (SELECT ? FROM ? WHERE ? = ? AND first_word >= f.word AND first_word <= ? OFFSET 0) AS b",
				bun.Safe(columns), blocks, key, of, term.Last())
	}
	return q.Join("CROSS JOIN ? AS b", blocks).
		Where("b.? = ? AND b.first_word >= (?) AND b.first_word <= ?", key, of, from, term.Last())
}

// startsOf returns the starts of a text's segments, if they were read.
func (s *source) startsOf(text int) search.Posting {
	n, ok := slices.BinarySearchFunc(s.starts, text, func(p search.Posting, text int) int { return cmp.Compare(p.Text, text) })
	if !ok {
		return search.Posting{}
	}
	return s.starts[n]
}
