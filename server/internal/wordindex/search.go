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
	Platform string // "" means every one
	Lang     string // an exact tag; "" means every one
	After    *Place // where the previous page ended; nil on the first page
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

// Found is a saved text that matches the query.
type Found struct {
	Place
	At []int // the first of the hits, as search.Counter.Times has them
}

const (
	// portion is how many rows of the library one statement names.
	portion = 1000
	// volumePortion is how many volumes a search looks into at a time.
	volumePortion = 256
	// maxTimes is how many hits of a text are kept: all that are shown.
	maxTimes = 5
)

// Run returns the first of the saved texts of an account that match the query. All reads of db
// must see one moment.
func (s Search) Run(ctx context.Context, db bun.IDB) ([]Found, error) {
	if len(s.Query.Terms()) == 0 || s.N <= 0 {
		return nil, nil
	}
	volumes, err := s.volumes(ctx, db)
	if err != nil {
		return nil, sqldb.Wrap("search", err)
	}
	gone := 0 // this many texts of the index may precede the existing ones
	for _, v := range volumes {
		gone += v.Gone
	}
	first, err := s.first(ctx, db, volumes, s.N+gone)
	if err == nil {
		err = s.addTimes(ctx, db, first)
	}
	found := make([]Found, len(first))
	for i, one := range first {
		found[i] = one.Found
	}
	return found, sqldb.Wrap("search", err)
}

func (s Search) volumes(ctx context.Context, db bun.IDB) (all []volume, err error) {
	err = db.NewSelect().Model(&all).Column("id", "gone").Where("account = ? AND state = ?", s.Account, searched).Order("id").Scan(ctx)
	return all, err
}

// first returns the first N existing texts. It looks at the first keep texts of the index, and
// at more of them if too few are there.
func (s Search) first(ctx context.Context, db bun.IDB, volumes []volume, keep int) ([]candidate, error) {
	for ; ; keep *= 4 {
		all := &candidates{search: s, db: db, counter: s.Query.Counter(), keep: keep}
		if err := s.lookIntoTexts(ctx, db, all); err != nil {
			return nil, err
		}
		if err := s.lookIntoVolumes(ctx, db, volumes, all); err != nil {
			return nil, err
		}
		first := all.first()
		found, err := there(ctx, db, first, s.N)
		if err != nil || len(found) == s.N || len(first) < keep {
			return found, err
		}
	}
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
		sources, err := look(ctx, db, s.Query, textSources(texts), s.Query.NeedsPlaces())
		if err != nil {
			return err
		}
		if err := all.add(ctx, sources); err != nil {
			return err
		}
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
func (s Search) lookIntoVolumes(ctx context.Context, db bun.IDB, volumes []volume, all *candidates) error {
	for some := range slices.Chunk(volumes, volumePortion) {
		var sources []*source
		for _, v := range some {
			sources = append(sources, &source{volume: v.ID})
		}
		sources, err := look(ctx, db, s.Query, sources, false)
		if err != nil {
			return err
		}
		if err := readEntriesOf(ctx, db, sources); err != nil {
			return err
		}
		if err := all.add(ctx, sources); err != nil {
			return err
		}
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
	var volumes []volumeTexts
	err := db.NewSelect().Conn(sqldb.Binary(db)).Model(&volumes).Where("volume IN (?)", bun.List(ids)).Scan(ctx)
	for _, v := range volumes {
		byID[v.Volume].entries = readEntries(v.Entries)
	}
	return err
}

// addTimes adds the times of the hits.
func (s Search) addTimes(ctx context.Context, db bun.IDB, found []candidate) error {
	ranges := map[*source][2]int{}
	for _, f := range found {
		text, of := f.match.Text, ranges[f.source]
		if _, has := ranges[f.source]; !has {
			of = [2]int{text, text}
		}
		ranges[f.source] = [2]int{min(of[0], text), max(of[1], text)}
	}
	if err := lookForStarts(ctx, db, ranges, false); err != nil {
		return err
	}
	var blocks []blockOf
	for i := range found {
		f := &found[i]
		f.match.Starts = f.source.startsOf(f.match.Text)
		blocks = f.blocks(blocks)
	}
	if err := load(ctx, db, blocks); err != nil {
		return err
	}
	counter := s.Query.Counter()
	for i := range found {
		found[i].At = counter.Times(found[i].match, maxTimes)
	}
	return nil
}
