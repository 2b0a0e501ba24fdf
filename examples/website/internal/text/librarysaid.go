package text

import (
	"context"
	"errors"
	"html"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// libraryMatch is a text with search results.
type libraryMatch struct{ library.Match }

// URL returns the page of the text.
func (m libraryMatch) URL() string { return web.TextPath(m.Platform, m.ExternalID, m.Lang) }

// At returns the page of the text at a result.
func (m libraryMatch) At(h library.Hit) string {
	return m.URL() + "#t=" + url.QueryEscape(strconv.FormatFloat(h.Start, 'f', -1, 64))
}

// Name returns the title of the text, or else its id.
func (m libraryMatch) Name() string { return web.FirstOf(m.Title, &m.ExternalID) }

// Count returns the number of results in the text, and More the number of results that are not
// shown.
func (m libraryMatch) Count() int64 { return int64(m.HitCount) }
func (m libraryMatch) More() int64  { return int64(m.HitCount - len(m.Hits)) }

// piece is a part of a snippet, marked if it matches the search.
type piece struct {
	Text   string
	Marked bool
}

// Pieces splits a snippet at its marks, so that a template can escape the text.
func (libraryMatch) Pieces(h library.Hit) []piece {
	var all []piece
	for rest, marked := h.Snippet, false; rest != ""; marked = !marked {
		tag := "<mark>"
		if marked {
			tag = "</mark>"
		}
		text, after, _ := strings.Cut(rest, tag)
		if text != "" {
			all = append(all, piece{html.UnescapeString(text), marked})
		}
		rest = after
	}
	return all
}

// searchFor bounds a search in the texts beside the titles.
const searchFor = 3 * time.Second

// searchBeside searches in the texts for the words that are looked for in titles, unless the view has
// filters that a search in texts does not know. It leaves out words that cannot be searched for.
func (p shelf) searchBeside(ctx context.Context, shown *Library) error {
	asked := shown.Asked
	if strings.TrimSpace(asked.Q) == "" || asked.Page > 1 || asked.View == library.Starred || asked.Platform == library.Batches || len(asked.Tags) > 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, searchFor)
	defer cancel()
	err := p.search(ctx, shown)
	if errors.Is(err, transcript.InvalidRequest) {
		return nil
	}
	return err
}

// fillSaid searches in the texts alone.
func (p shelf) fillSaid(ctx context.Context, shown *Library) error {
	list, err := p.API.Library.List(ctx, library.Query{PageSize: 1})
	if err != nil {
		return err
	}
	shown.Langs = list.Langs
	if strings.TrimSpace(shown.Asked.Q) == "" {
		return nil // shows only the form
	}
	return p.search(ctx, shown)
}

// search adds the texts in which the words were said.
func (p shelf) search(ctx context.Context, shown *Library) error {
	found, err := p.API.Library.Search(ctx, library.Search{
		Q: shown.Asked.Q, Platform: transcript.Platform(shown.Asked.Platform), Lang: shown.Asked.Lang,
	}, client.PageParams{Token: shown.Asked.From})
	if err != nil {
		return err
	}
	for _, match := range found.Items {
		shown.Found = append(shown.Found, libraryMatch{match})
	}
	shown.NextFound = found.Next
	return nil
}
