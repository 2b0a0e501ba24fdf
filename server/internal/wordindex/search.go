package wordindex

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/search"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// Search is a question to the texts that an account has saved.
type Search struct {
	Account  string
	Query    search.Query
	Platform string // "": every one
	Lang     string // an exact tag; "": every one
	After    *Place // where the page before ended; nil: none was before
	N        int    // how many are wanted at most
}

// Place is the place of a saved text among those that a search finds: most hits
// first, then newest, then by id.
type Place struct {
	Hits      int       `json:"hits"`
	CreatedAt time.Time `json:"createdAt"` // of the library row
	ID        string    `json:"id"`        // of the library row
}

func (p Place) compare(other Place) int {
	return cmp.Or(
		cmp.Compare(other.Hits, p.Hits),
		other.CreatedAt.Compare(p.CreatedAt),
		strings.Compare(p.ID, other.ID),
	)
}

// Found is a saved text in which the query is met.
type Found struct {
	Place
	At []int // the first of the hits, as search.Counter.Times has them
}

const (
	// portion is how many texts a search looks into at a time that are in no volume.
	portion = 1000
	// volumePortion is how many volumes a search looks into at a time.
	volumePortion = 32
	// maxTimes is how many hits of a text are kept: all that are shown.
	maxTimes = 5
)

// Run returns the first of the saved texts of an account that match the query. All reads of db
// must see one moment.
func (s Search) Run(ctx context.Context, db bun.IDB) ([]Found, error) {
	if len(s.Query.Terms()) == 0 || s.N <= 0 {
		return nil, nil
	}
	all := &candidates{search: s, counter: s.Query.Counter(), need: need{s.Query.NeedsPlaces(), s.Query.NeedsStarts()}}
	if err := s.lookIntoTexts(ctx, db, all); err != nil {
		return nil, sqldb.Wrap("search", err)
	}
	if err := s.lookIntoVolumes(ctx, db, all); err != nil {
		return nil, sqldb.Wrap("search", err)
	}
	first, err := s.present(ctx, db, all)
	if err == nil {
		err = s.addTimes(ctx, db, first)
	}
	found := make([]Found, len(first))
	for i, one := range first {
		found[i] = one.Found
	}
	return found, sqldb.Wrap("search", err)
}

// lookIntoTexts finds the texts that are in no volume.
func (s Search) lookIntoTexts(ctx context.Context, db bun.IDB, all *candidates) error {
	for last := ""; ; {
		var texts []savedText
		q := unbound(db, s.Account).Where("transcript_id > ?", last).Order("transcript_id").Limit(portion)
		if s.Platform != "" {
			q.Where("platform = ?", s.Platform)
		}
		if s.Lang != "" {
			q.Where("lang = ?", s.Lang)
		}
		if err := q.Scan(ctx, &texts); err != nil || len(texts) == 0 {
			return err
		}
		last = texts[len(texts)-1].TranscriptID
		sources, err := look(ctx, db, s.Query, textSources(texts), all.need)
		if err != nil {
			return err
		}
		all.add(sources)
	}
}

// unbound selects the saved texts of an account that are in no volume.
func unbound(db bun.IDB, account string) *bun.SelectQuery {
	return db.NewSelect().Table("library_rows").Column("id", "transcript_id", "platform", "lang", "created_at").
		Where(isUnbound, account)
}

// isUnbound is the condition of unbound rows. It names the transcript, so that SQLite takes the
// index of these rows, and not an index of all texts of the account.
const isUnbound = "account = ? AND kind = 'transcript' AND volume IS NULL AND transcript_id > ''"

// Unbound returns how many saved texts of an account are in no volume. It counts no further than
// twice portion.
func Unbound(ctx context.Context, db bun.IDB, account string) (n int, err error) {
	texts := db.NewSelect().Table("library_rows").ColumnExpr("1").
		Where(isUnbound, account).Limit(2*portion + 1)
	err = db.NewSelect().TableExpr("(?) AS found", texts).ColumnExpr("count(*)").Scan(ctx, &n)
	return n, err
}

// lookIntoVolumes finds texts in the volumes of the account.
func (s Search) lookIntoVolumes(ctx context.Context, db bun.IDB, all *candidates) error {
	var ids []int64
	err := db.NewSelect().Table("search_volumes").Column("id").Where("account = ?", s.Account).Order("id").Scan(ctx, &ids)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(ids, volumePortion) {
		var sources []*source
		for _, id := range some {
			sources = append(sources, &source{volume: id})
		}
		if sources, err = look(ctx, db, s.Query, sources, all.need); err != nil {
			return err
		}
		if err := readEntriesOf(ctx, db, sources); err != nil {
			return err
		}
		all.add(sources)
	}
	return nil
}

func readEntriesOf(ctx context.Context, db bun.IDB, sources []*source) error {
	if len(sources) == 0 {
		return nil
	}
	byID, ids := map[int64]*source{}, []int64{}
	for _, s := range sources {
		byID[s.volume], ids = s, append(ids, s.volume)
	}
	var volumes []struct {
		ID      int64
		Entries []byte
	}
	err := db.NewSelect().Table("search_volumes").Column("id", "entries").Where("id IN (?)", bun.List(ids)).Scan(ctx, &volumes)
	for _, v := range volumes {
		byID[v.ID].entries = readEntries(v.Entries)
	}
	return err
}

// present returns the first N candidates that are still in the library. A volume also has
// candidates that have left it.
func (s Search) present(ctx context.Context, db bun.IDB, all *candidates) ([]ranked, error) {
	for n := s.N; ; n *= 4 {
		first := all.first(n)
		found, err := there(ctx, db, first)
		if err != nil || len(found) >= s.N || len(first) < n {
			return found[:min(len(found), s.N)], err
		}
	}
}

// addTimes adds the times of the hits. It reads what the search has not kept.
func (s Search) addTimes(ctx context.Context, db bun.IDB, found []ranked) error {
	var texts, volumes []*source
	for _, f := range found {
		switch {
		case f.source.postings != nil || slices.Contains(volumes, f.source):
		case f.source.volume == 0:
			texts = append(texts, f.source)
		default:
			volumes = append(volumes, f.source)
		}
	}
	for _, some := range [][]*source{texts, volumes} {
		if _, err := look(ctx, db, s.Query, some, need{places: true}); err != nil {
			return err
		}
	}
	counter := s.Query.Counter()
	for i := range found {
		f := &found[i]
		var starts []search.Posting
		into := func(*source) *[]search.Posting { return &starts }
		if err := lookFor(ctx, db, search.StartsFrom(f.text, f.text), []*source{f.source}, true, into); err != nil {
			return err
		}
		for m := range s.Query.Matches(f.source.postings) {
			if m.Text == f.text && len(starts) > 0 {
				f.At = counter.Times(m, starts[0], maxTimes)
			}
		}
	}
	return nil
}
