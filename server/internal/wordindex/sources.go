package wordindex

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect"

	"github.com/transcriptkit/transcriptkit/server/internal/search"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// source is an index that a search reads: of a single text, or of a volume.
type source struct {
	volume  int64  // 0 means a single text
	text    string // the transcript of a single text
	entries []entry

	terms  [][]search.Posting // of each term
	starts []search.Posting   // in the order of the texts; nil if not read
}

// savedText is a row of the library.
type savedText struct {
	ID           string
	TranscriptID string
	Platform     string
	Lang         string
	CreatedAt    time.Time
	Volume       int64
	ChangedAt    time.Time `bun:"-"` // when the words last changed
}

func (t savedText) entry() entry {
	return entry{createdAt: t.CreatedAt.UnixMicro(), id: t.ID, platform: t.Platform, lang: t.Lang}
}

func textSources(texts []savedText) (sources []*source) {
	for _, t := range texts {
		sources = append(sources, &source{text: t.TranscriptID, entries: []entry{t.entry()}})
	}
	return sources
}

// look reads the postings of all terms of a query. It returns the sources that have all of them.
func look(ctx context.Context, db bun.IDB, q search.Query, sources []*source, places bool) ([]*source, error) {
	for _, s := range sources {
		s.terms = make([][]search.Posting, len(q.Terms()))
	}
	for i, term := range q.Terms() {
		var probes []probe
		for _, s := range sources {
			probes = append(probes, probe{source: s, first: term.First(), last: term.Last()})
		}
		err := read(ctx, db, probes, places, func(s *source, b *search.Block) {
			s.terms[i] = term.AppendPostings(s.terms[i], b)
		})
		if err != nil {
			return nil, err
		}
		sources = slices.DeleteFunc(slices.Clone(sources), func(s *source) bool { return len(s.terms[i]) == 0 })
	}
	return sources, nil
}

// lookForStarts reads the postings of the starts of texts: one range of texts for each source.
func lookForStarts(ctx context.Context, db bun.IDB, ranges map[*source][2]int, places bool) error {
	var probes []probe
	for s, of := range ranges {
		s.starts = []search.Posting{}
		term := search.StartsFrom(of[0], of[1])
		probes = append(probes, probe{source: s, first: term.First(), last: term.Last()})
	}
	return read(ctx, db, probes, places, func(s *source, b *search.Block) {
		s.starts = search.StartsFrom(ranges[s][0], ranges[s][1]).AppendPostings(s.starts, b)
	})
}

// startsOf returns the posting of the starts of a text.
func (s *source) startsOf(text int) []search.Posting {
	n, ok := slices.BinarySearchFunc(s.starts, text, func(p search.Posting, text int) int { return cmp.Compare(p.Text, text) })
	if !ok {
		return nil
	}
	return s.starts[n : n+1]
}

// blockOf is a block of a source.
type blockOf struct {
	source *source
	block  *search.Block
}

// load reads the places of blocks that were read without them. A block that several terms have
// read is there several times.
func load(ctx context.Context, db bun.IDB, blocks []blockOf) error {
	var probes []probe
	seen, wanted := map[*search.Block]bool{}, map[blockKey][]*search.Block{}
	for _, b := range blocks {
		if b.block.Places != nil || seen[b.block] {
			continue
		}
		seen[b.block] = true
		key := blockKey{b.source, b.block.First}
		if wanted[key] == nil {
			probes = append(probes, probe{b.source, b.block.First, b.block.First})
		}
		wanted[key] = append(wanted[key], b.block)
	}
	return read(ctx, db, probes, true, func(s *source, b *search.Block) {
		for _, block := range wanted[blockKey{s, b.First}] {
			block.Places = b.Places
		}
	})
}

type blockKey struct {
	source *source
	first  string
}

// probe asks for the blocks of a source from the last that begins at first or before it, to the
// last that begins at last or before it.
type probe struct {
	source      *source
	first, last string
}

// probePortion is how many probes one statement has.
const probePortion = 400

// read calls found for each block that the probes ask for, in the order of each source.
func read(ctx context.Context, db bun.IDB, probes []probe, places bool, found func(*source, *search.Block)) error {
	texts, volumes := split(probes)
	for _, kind := range []struct {
		table  table
		probes []probe
	}{{textTable, texts}, {volumeTable, volumes}} {
		for some := range slices.Chunk(kind.probes, probePortion) {
			var rows []struct {
				N             int
				FirstWord     string
				Words, Places []byte
			}
			if err := kind.table.blocks(db, some, places).Conn(sqldb.Binary(db)).Scan(ctx, &rows); err != nil {
				return err
			}
			for _, row := range rows {
				b := &search.Block{First: row.FirstWord, Words: row.Words}
				if places {
					b.Places = notNull(row.Places)
				}
				found(some[row.N].source, b)
			}
		}
	}
	return nil
}

func split(probes []probe) (texts, volumes []probe) {
	for _, p := range probes {
		if p.source.volume == 0 {
			texts = append(texts, p)
		} else {
			volumes = append(volumes, p)
		}
	}
	return texts, volumes
}

// table is a table of blocks, in the words of a statement.
type table struct{ name, key string }

var (
	textTable   = table{"search_blocks", "transcript_id"}
	volumeTable = table{"search_volume_blocks", "volume"}
)

// blocks selects the blocks that probes ask for. Each database enters the index of the blocks once
// for each probe: SQLite because of CROSS JOIN, PostgreSQL because of LATERAL and OFFSET.
func (t table) blocks(db bun.IDB, probes []probe, places bool) *bun.RawQuery {
	columns := "first_word, words"
	if places {
		columns += ", places"
	}
	args := []any{bun.Safe(t.name), bun.Safe(t.key), bun.Safe(columns)}
	var values strings.Builder
	for i, p := range probes {
		fmt.Fprintf(&values, ", (%d, ?%d, ?%d, ?%d)", i, len(args), len(args)+1, len(args)+2)
		args = append(args, p.key(), p.first, p.last)
	}
	from := `WITH p (n, source, low, high) AS (VALUES ` + values.String()[2:] + `) SELECT p.n, ?2 FROM p `
	if db.Dialect().Name() == dialect.PG {
		return db.NewRaw(from+`CROSS JOIN LATERAL (SELECT max(first_word) AS word FROM ?0 WHERE ?1 = p.source AND first_word <= p.low) AS f
			CROSS JOIN LATERAL (SELECT ?2 FROM ?0 WHERE ?1 = p.source AND first_word >= f.word AND first_word <= p.high ORDER BY first_word OFFSET 0) AS b`, args...)
	}
	return db.NewRaw(from+`CROSS JOIN ?0 AS b WHERE b.?1 = p.source AND b.first_word <= p.high
		AND b.first_word >= (SELECT max(first_word) FROM ?0 WHERE ?1 = p.source AND first_word <= p.low)`, args...)
}

func (p probe) key() any {
	if p.source.volume != 0 {
		return p.source.volume
	}
	return p.source.text
}
