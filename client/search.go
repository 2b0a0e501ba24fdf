package client

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"slices"

	"github.com/transcriptkit/transcriptkit/library"
)

// Search returns a page of the saved transcripts in which something is said, with the
// first places in each: those with most hits first. The service gives pages of 1 to 50
// (0: 20). A search that finds nothing is no error.
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

// AllSearch are all saved transcripts in which something is said, see
// [LibraryService.Search]. Pages are asked for as they are needed. An error is yielded
// once, and ends the sequence.
func (s *LibraryService) AllSearch(ctx context.Context, search library.Search, opts ...RequestOption) iter.Seq2[library.Match, error] {
	opts = slices.Clone(opts)
	return all(PageParams{}, func(at PageParams) (*Page[library.Match], error) {
		return s.Search(ctx, search, at, opts...)
	})
}
