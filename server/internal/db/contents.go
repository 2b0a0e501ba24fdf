package db

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Content is a platform's last answer about a content.
type Content struct {
	Platform   transcript.Platform `bun:",pk"`
	ExternalID string              `bun:",pk"`
	Metadata   transcript.Metadata
	Tracks     []transcript.Track // empty if it is proven that there are none
	AskedAt    time.Time
}

// Contents reads the answers of platforms about contents.
type Contents struct{ *source }

// ContentsTx reads and changes the answers of platforms about contents.
type ContentsTx struct {
	Contents
	tx *Tx
}

// Get returns the stored answer about a content, or ErrNotFound.
func (r Contents) Get(ctx context.Context, p transcript.Platform, externalID string) (*Content, error) {
	return scanOne[Content](ctx, r.db.NewSelect().Where("platform = ? AND external_id = ?", p, externalID), "content "+externalID)
}

// Put stores the metadata and the tracks of a content. They replace the metadata and the
// tracks of an earlier visit to the platform. A zero AskedAt becomes the current time.
func (w ContentsTx) Put(ctx context.Context, c *Content) error {
	c.Metadata = Clean(c.Metadata)
	if c.Tracks == nil {
		c.Tracks = []transcript.Track{}
	}
	sqldb.Stamp(&c.AskedAt)
	w.tx.changes(c.Platform, c.ExternalID)
	_, err := w.db.NewInsert().Model(c).
		On("CONFLICT (platform, external_id) DO UPDATE").
		Set("metadata = excluded.metadata, tracks = excluded.tracks, asked_at = excluded.asked_at").
		Exec(ctx)
	return wrap("put content "+c.ExternalID, err)
}

// Clean removes NUL from values from outside (see text).
func Clean(m transcript.Metadata) transcript.Metadata {
	for _, s := range []*string{&m.Title, &m.Channel, &m.CreatorName, &m.CreatorHandle, &m.CreatorURL, &m.ThumbnailURL} {
		*s = sqldb.Text(*s)
	}
	return m
}

// Shelf is everything that the cache has about one content: its texts, newest first, and
// its track list.
type Shelf struct {
	Texts []ShelfText
	// Tracks is nil if the tracks are not known; TracksAt is then zero.
	Tracks   []transcript.Track
	TracksAt time.Time
}

// ShelfText describes a stored text, without the text itself.
type ShelfText struct {
	ID        string
	Lang      string
	Source    transcript.Origin
	UpdatedAt time.Time
	PromptSum string // the sum of the prompt with which it was recognized; "" means none
	// Saved says that the account has this text in its library, or a corrected text of the
	// same language.
	Saved bool
}

// Shelf returns what the cache has about a content for an owner ("" for shared texts),
// and for the account alone that asks ("" means none).
func (r Contents) Shelf(ctx context.Context, owner, account string, p transcript.Platform, externalID string) (*Shelf, error) {
	of := contentID{p, externalID}
	shelf, err := r.facts.shelves.Read(ctx, of, question{of, owner, account, ""}, r.readShelves)
	if err != nil {
		return nil, wrap("texts of "+externalID, err)
	}
	return &Shelf{slices.Clone(shelf.Texts), shelf.Tracks, shelf.TracksAt}, nil // the caller may remove texts
}

// readShelves reads by one query, because it is on the path of each answer from the cache.
// Times without a declared type, so that SQLite's driver does not try many formats.
func (r Contents) readShelves(ctx context.Context, questions []question) (map[question]*Shelf, error) {
	var rows []struct {
		N         int
		ShelfText `bun:",extend"`
		Tracks    []transcript.Track
		AskedAt   time.Time
	}
	err := r.askAll(ctx, &rows, `SELECT a.n, t.id, t.lang, t.source, t.prompt_sum, coalesce(t.updated_at, NULL) AS updated_at, c.tracks, coalesce(c.asked_at, NULL) AS asked_at,
			EXISTS (SELECT 1 FROM library_rows AS l WHERE l.kind = 'transcript' AND l.account = a.account AND l.platform = t.platform
				AND l.external_id = t.external_id AND l.lang = t.lang AND (l.edited OR l.transcript_id = t.id)) AS saved
		FROM asked AS a
		JOIN transcripts AS t ON t.owner IN (a.owner, coalesce(nullif(a.account, ''), a.owner)) AND t.platform = a.platform AND t.external_id = a.external_id AND NOT t.edited
		LEFT JOIN contents AS c ON c.platform = t.platform AND c.external_id = t.external_id`, questions)
	shelves := make(map[question]*Shelf, len(questions))
	for _, q := range questions {
		shelves[q] = new(Shelf)
	}
	for _, row := range rows {
		shelf := shelves[questions[row.N]]
		shelf.Texts, shelf.Tracks, shelf.TracksAt = append(shelf.Texts, row.ShelfText), row.Tracks, row.AskedAt
	}
	for _, shelf := range shelves {
		slices.SortFunc(shelf.Texts, func(a, b ShelfText) int { // newest first; sorting here is faster than in the database
			return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), strings.Compare(b.ID, a.ID))
		})
	}
	return shelves, err
}
