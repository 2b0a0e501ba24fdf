package client

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"slices"

	"github.com/transcriptkit/transcriptkit/library"
)

// Search returns a page of the saved transcripts that match a search, with the first
// hits in each. Transcripts with most hits come first. A page has 1 to 50 transcripts;
// 0 means 20. If nothing matches, the page is empty and there is no error.
func (s *LibraryService) Search(ctx context.Context, search library.Search, at PageParams, opts ...RequestOption) (*Page[library.Match], error) {
	query := at.query()
	query.Set("q", search.Q)
	if search.Platform != "" {
		query.Set("platform", string(search.Platform))
	}
	if search.Lang != "" {
		query.Set("lang", search.Lang)
	}
	answer, err := s.client.send(ctx, http.MethodGet, withQuery("/v1/library/search", query), payload{}, opts)
	if err != nil {
		return nil, err
	}
	var found library.Found
	if err := answer.decode(&found); err != nil {
		return nil, err
	}
	if found.Items == nil {
		return nil, answer.malformed(errors.New("it has no items"))
	}
	return &Page[library.Match]{Items: found.Items, Next: found.NextPageToken}, nil
}

// AllSearch yields all saved transcripts that match a search: see
// [LibraryService.Search]. It requests a page when the loop reaches it. An error is the
// last value of the sequence.
func (s *LibraryService) AllSearch(ctx context.Context, search library.Search, opts ...RequestOption) iter.Seq2[library.Match, error] {
	opts = slices.Clone(opts)
	return all(PageParams{}, func(at PageParams) (*Page[library.Match], error) {
		return s.Search(ctx, search, at, opts...)
	})
}
