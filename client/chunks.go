package client

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Chunks returns a page of a saved transcript's chunks, each with a link to its place
// in the recording. Function Cut of package chunk cuts in the same way. The service
// accepts a MaxChars of 200 to 8000 (0 means 1500), OverlapChars of 0 to 500, and pages
// of 1 to 200 chunks (0 means 50). If the text has changed since the page before, the
// error is an [*Error] with the code INVALID_REQUEST: start again from the first page.
func (s *LibraryService) Chunks(ctx context.Context, key library.Key, o transcript.ChunkOptions, at PageParams, opts ...RequestOption) (*Page[transcript.Chunk], error) {
	path, err := savedPath(key, "/chunks")
	if err != nil {
		return nil, err
	}
	query := at.query()
	if o.MaxChars != 0 {
		query.Set("maxChars", strconv.Itoa(o.MaxChars))
	}
	if o.OverlapChars != 0 {
		query.Set("overlapChars", strconv.Itoa(o.OverlapChars))
	}
	answer, err := s.client.send(ctx, http.MethodGet, withQuery(path, query), payload{}, opts)
	if err != nil {
		return nil, err
	}
	var page library.ChunkPage
	if err := answer.decode(&page); err != nil {
		return nil, err
	}
	if page.Chunks == nil {
		return nil, answer.malformed(errors.New("it has no chunks"))
	}
	return &Page[transcript.Chunk]{Items: page.Chunks, Next: page.NextPageToken}, nil
}

// AllChunks yields all chunks of a saved transcript: see [LibraryService.Chunks]. It
// requests a page when the loop reaches it. An error is the last value of the sequence.
func (s *LibraryService) AllChunks(ctx context.Context, key library.Key, o transcript.ChunkOptions, opts ...RequestOption) iter.Seq2[transcript.Chunk, error] {
	opts = slices.Clone(opts)
	return all(PageParams{Size: 200}, func(at PageParams) (*Page[transcript.Chunk], error) {
		return s.Chunks(ctx, key, o, at, opts...)
	})
}

// withQuery adds to the query of a path.
func withQuery(path string, query url.Values) string {
	switch {
	case len(query) == 0:
		return path
	case strings.Contains(path, "?"):
		return path + "&" + query.Encode()
	}
	return path + "?" + query.Encode()
}
