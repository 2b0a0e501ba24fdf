package db

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/transcript"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/search"
)

// Search is a question to the texts that an account has saved.
type Search struct {
	Account  string
	Query    search.Query
	Platform string       // "": every one
	Lang     string       // an exact tag; "": every one
	After    *SearchPlace // where the page before ended; nil: none was before
	N        int          // how many are wanted at most
}

// SearchPlace is the place of a saved text among those that a search finds: most hits
// first, then newest, then by id.
type SearchPlace struct {
	Hits      int       `json:"hits"`
	CreatedAt time.Time `json:"createdAt"` // of the library row
	ID        string    `json:"id"`        // of the library row
}

func (p SearchPlace) compare(other SearchPlace) int {
	return cmp.Or(
		cmp.Compare(other.Hits, p.Hits),
		other.CreatedAt.Compare(p.CreatedAt),
		strings.Compare(p.ID, other.ID),
	)
}

// SearchFound is a saved text in which the query is met.
type SearchFound struct {
	SearchPlace
	At []int // the first of the hits, as search.Query.Hits has them
}

const (
	// searchPortion is how many texts are looked into at a time.
	searchPortion = 1000
	// searchHits is how many hits of a text are kept: all that are shown.
	searchHits = 5
)

// Search finds the saved texts of an account that match the query. Search reads only
// the texts of the account, so that its time does not depend on the other stored texts:
// an index by words alone would read the texts of all accounts. Search holds one
// portion of the texts at a time.
func (r Library) Search(ctx context.Context, s Search) (found []SearchFound, err error) {
	terms := s.Query.Terms()
	if len(terms) == 0 {
		return nil, nil
	}
	for last := ""; ; {
		texts, err := r.nextTexts(ctx, s, last, terms[0])
		if err != nil || len(texts) == 0 {
			return found, err
		}
		last = texts[len(texts)-1].TranscriptID
		texts = having(texts, terms[0])
		for _, term := range terms[1:] {
			if texts, err = r.narrow(ctx, s, texts, term); err != nil {
				return nil, err
			}
		}
		found = s.best(found, texts)
	}
}

// searchText is a text in which the words of a query are looked for.
type searchText struct {
	ID           string // of the library row
	TranscriptID string
	CreatedAt    time.Time
	Words        []byte // of the block that was read last

	places map[search.Term][]search.Place
}

func (t *searchText) add(term search.Term, words []byte) {
	if t.places == nil {
		t.places = map[search.Term][]search.Place{}
	}
	t.places[term] = term.AppendPlaces(t.places[term], words)
}

// having are those of the texts that have the term.
func having(texts []*searchText, term search.Term) []*searchText {
	return slices.DeleteFunc(texts, func(t *searchText) bool { return len(t.places[term]) == 0 })
}

// nextTexts is a portion of the texts that are searched, by their ids, with the places
// of the term.
func (r Library) nextTexts(ctx context.Context, s Search, last string, term search.Term) ([]*searchText, error) {
	return r.lookFor(ctx, term, func(q *bun.SelectQuery) *bun.SelectQuery {
		q.Where("l.kind = 'transcript' AND l.account = ? AND l.transcript_id > ?", s.Account, last)
		if s.Platform != "" {
			q.Where("l.platform = ?", s.Platform)
		}
		if s.Lang != "" {
			q.Where("l.lang = ?", s.Lang)
		}
		return q.Order("l.transcript_id").Limit(searchPortion)
	})
}

// narrow leaves those of the texts that also have the term.
func (r Library) narrow(ctx context.Context, s Search, texts []*searchText, term search.Term) ([]*searchText, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	ids, byID := make([]string, len(texts)), map[string]*searchText{}
	for i, t := range texts {
		ids[i], byID[t.ID] = t.TranscriptID, t
	}
	also, err := r.lookFor(ctx, term, func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("l.kind = 'transcript' AND l.account = ? AND l.transcript_id IN (?)", s.Account, bun.List(ids))
	})
	for _, t := range also {
		if was := byID[t.ID]; was != nil {
			was.places[term] = t.places[term]
		}
	}
	return having(texts, term), err
}

// lookFor reads the blocks that may have the term, of the texts that which selects from
// library_rows AS l: the last block that begins at the term or before. For the
// beginning of words, lookFor also reads the blocks that follow.
func (r Library) lookFor(ctx context.Context, term search.Term, which func(*bun.SelectQuery) *bun.SelectQuery) (texts []*searchText, err error) {
	err = r.db.NewSelect().TableExpr("library_rows AS l").ColumnExpr("l.id, l.transcript_id, l.created_at").
		ColumnExpr(`(SELECT w.words FROM search_blocks AS w WHERE w.transcript_id = l.transcript_id AND w.first_word <= ?
			ORDER BY w.first_word DESC LIMIT 1) AS words`, term.First()).
		Apply(which).Scan(ctx, &texts)
	if err != nil {
		return nil, wrap("search", err)
	}
	byID := map[string]*searchText{}
	for _, t := range texts {
		t.add(term, t.Words)
		t.Words, byID[t.TranscriptID] = nil, t
	}
	if !term.Prefix || len(texts) == 0 {
		return texts, nil
	}
	var more []searchBlockRow
	err = r.db.NewSelect().TableExpr("(?) AS t", r.db.NewSelect().TableExpr("library_rows AS l").ColumnExpr("l.transcript_id").Apply(which)).
		ColumnExpr("w.transcript_id, w.words").
		Join("CROSS JOIN search_blocks AS w"). // SQLite then begins with the few
		Where("w.transcript_id = t.transcript_id AND w.first_word > ? AND w.first_word <= ?", term.First(), term.Last()).
		Scan(ctx, &more)
	for _, b := range more {
		if t := byID[b.TranscriptID]; t != nil { // it was not saved meanwhile
			t.add(term, b.Words)
		}
	}
	return texts, wrap("search", err)
}

// best are the first of those found already and of the texts in which the query is met.
func (s Search) best(found []SearchFound, texts []*searchText) []SearchFound {
	for _, t := range texts {
		at := s.Query.Hits(t.places)
		place := SearchPlace{Hits: len(at), CreatedAt: t.CreatedAt, ID: t.ID}
		if len(at) > 0 && (s.After == nil || place.compare(*s.After) > 0) {
			found = append(found, SearchFound{SearchPlace: place, At: at[:min(len(at), searchHits)]})
		}
	}
	slices.SortFunc(found, func(a, b SearchFound) int { return a.compare(b.SearchPlace) })
	return found[:min(len(found), s.N)]
}

// Transcript returns the transcript of a row in the account's library, without its words,
// or ErrNotFound.
func (r Library) Transcript(ctx context.Context, account, rowID string) (*Transcript, error) {
	var id string
	err := r.db.NewSelect().Table("library_rows").Column("transcript_id").
		Where("account = ? AND id = ? AND kind = 'transcript'", account, rowID).Scan(ctx, &id)
	if err != nil {
		return nil, one("library row "+rowID, err)
	}
	return Transcripts(r).ByID(ctx, id)
}

// searchBlockRow is a part of the index of a text: see package search.
type searchBlockRow struct {
	bun.BaseModel `bun:"table:search_blocks"`

	TranscriptID string
	FirstWord    string
	Words        []byte
}

func searchBlocks(transcriptID string, segments []transcript.Segment) []searchBlockRow {
	blocks := search.Blocks(segments)
	rows := make([]searchBlockRow, len(blocks))
	for i, b := range blocks {
		rows[i] = searchBlockRow{TranscriptID: transcriptID, FirstWord: b.First, Words: b.Words}
		if b.Words == nil {
			rows[i].Words = []byte{} // NULL otherwise
		}
	}
	return rows
}

// index makes a text found by its words, and no more by those that it had before.
func (w TranscriptsTx) index(ctx context.Context, transcriptID string, segments []transcript.Segment) error {
	_, err := w.db.NewDelete().Model((*searchBlockRow)(nil)).Where("transcript_id = ?", transcriptID).Exec(ctx)
	if err == nil {
		rows := searchBlocks(transcriptID, segments)
		_, err = w.db.NewInsert().Model(&rows).Exec(ctx)
	}
	return wrap("index transcript "+transcriptID, err)
}

// segmentsOf reads rendered segments.
func segmentsOf(segmentsJSON []byte) (segments []transcript.Segment, err error) {
	if err := json.Unmarshal(segmentsJSON, &segments); err != nil {
		return nil, fmt.Errorf("store: segments: %w", err)
	}
	return segments, nil
}
