package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/transcriptkit/transcriptkit/library"
)

// LibraryService reads and changes the account's saved transcripts. It starts no jobs.
// Its calls need a key with the scope "transcripts", except [LibraryService.Shared],
// which needs no key.
type LibraryService struct{ client *Client }

// Get returns the saved transcript identified by key. If key has no Language, Get
// returns the newest. Errors are [*Error]s: STATE_CONFLICT while the transcript is
// still being made, with the job's id in Details["jobId"], and NO_TRANSCRIPT if the
// account has not saved it.
func (s *LibraryService) Get(ctx context.Context, key library.Key, opts ...RequestOption) (*library.Saved, error) {
	return s.get(ctx, key, nil, opts)
}

// GetWithWords is [LibraryService.Get] with the Words of each segment, if the source
// gave times for words.
func (s *LibraryService) GetWithWords(ctx context.Context, key library.Key, opts ...RequestOption) (*library.Saved, error) {
	return s.get(ctx, key, url.Values{"include": {string(library.Words)}}, opts)
}

func (s *LibraryService) get(ctx context.Context, key library.Key, query url.Values, opts []RequestOption) (*library.Saved, error) {
	path, err := savedPath(key, "")
	if err != nil {
		return nil, err
	}
	answer, err := s.client.send(ctx, http.MethodGet, withQuery(path, query), payload{}, opts)
	if err != nil {
		return nil, err
	}
	return savedIn(answer)
}

// List returns a page of the library: saved transcripts, transcripts in the making,
// batches and, in [library.History], failures. If a value is out of bounds, the error
// is an [*Error] with the code INVALID_REQUEST.
func (s *LibraryService) List(ctx context.Context, q library.Query, opts ...RequestOption) (*library.Page, error) {
	answer, err := s.client.send(ctx, http.MethodGet, "/v1/library/transcripts"+queryOf(libraryValues(q)), payload{}, opts)
	if err != nil {
		return nil, err
	}
	var page library.Page
	if err := answer.decode(&page); err != nil {
		return nil, err
	}
	if page.Transcripts == nil {
		return nil, answer.malformed(errors.New("it has no transcripts"))
	}
	if want := max(q.Page, 1); page.Page != want || page.PageSize < 1 {
		return nil, answer.malformed(fmt.Errorf("it is page %d of %d rows, and not page %d", page.Page, page.PageSize, want))
	}
	return &page, nil
}

// All yields the rows that q selects, starting with the page that q names. It requests
// a page when the loop reaches it. An error is the last value of the sequence. If the
// library changes meanwhile, All may yield a row twice or miss a row.
func (s *LibraryService) All(ctx context.Context, q library.Query, opts ...RequestOption) iter.Seq2[library.Item, error] {
	opts = slices.Clone(opts)
	return func(yield func(library.Item, error) bool) {
		for at := q; ; at.Page = max(at.Page, 1) + 1 {
			page, err := s.List(ctx, at, opts...)
			if err != nil {
				yield(library.Item{}, err)
				return
			}
			for _, item := range page.Transcripts {
				if !yield(item, nil) {
					return
				}
			}
			if len(page.Transcripts) == 0 || page.Page*page.PageSize >= page.Total {
				return
			}
		}
	}
}

// Related returns the account's other saved transcripts from the same channel, newest
// first. n is the largest number of them: 1 to 50. If n is 0, the service decides.
func (s *LibraryService) Related(ctx context.Context, key library.Key, n int, opts ...RequestOption) ([]library.Item, error) {
	key.Language = "" // a channel has none
	path, err := savedPath(key, "/related")
	if err != nil {
		return nil, err
	}
	if n != 0 {
		path += "?maxResults=" + strconv.Itoa(n)
	}
	answer, err := s.client.send(ctx, http.MethodGet, path, payload{}, opts)
	if err != nil {
		return nil, err
	}
	var related struct{ Items []library.Item }
	if err := answer.decode(&related); err != nil {
		return nil, err
	}
	if related.Items == nil {
		return nil, answer.malformed(errors.New("it has no items"))
	}
	return related.Items, nil
}

// Delete removes from the account's library the transcripts identified by key. If key
// has no Language, Delete removes the transcripts in all languages; if key has a Row,
// only that row. The libraries of other accounts do not change. A running job goes on,
// but the service does not save its transcript. If the library has no such transcript,
// the error is an [*Error] with the code NO_TRANSCRIPT.
func (s *LibraryService) Delete(ctx context.Context, key library.Key, opts ...RequestOption) error {
	return s.change(ctx, http.MethodDelete, key, "", payload{}, opts)
}

// Star stars the transcripts identified by key. If key has no Language, Star stars the
// transcripts in all languages; if key has a Row, only that row. The errors are those
// of [LibraryService.Delete].
func (s *LibraryService) Star(ctx context.Context, key library.Key, opts ...RequestOption) error {
	return s.change(ctx, http.MethodPut, key, "/star", payload{}, opts)
}

// Unstar removes the star. key and the errors are those of [LibraryService.Star].
func (s *LibraryService) Unstar(ctx context.Context, key library.Key, opts ...RequestOption) error {
	return s.change(ctx, http.MethodDelete, key, "/star", payload{}, opts)
}

func (s *LibraryService) change(ctx context.Context, method string, key library.Key, below string, body payload, opts []RequestOption) error {
	path, err := savedPath(key, below)
	if err != nil {
		return err
	}
	if key.Row != "" {
		path = withQuery(path, url.Values{"row": {key.Row}})
	}
	_, err = s.client.send(ctx, method, path, body, opts)
	return err
}

// libraryValues are the members of q that are not left to the service.
func libraryValues(q library.Query) url.Values {
	values := url.Values{}
	for name, value := range map[string]string{
		"view": string(q.View), "q": q.Q, "platform": string(q.Platform), "externalId": q.ExternalID, "lang": q.Lang, "sort": string(q.Sort),
	} {
		if value != "" {
			values.Set(name, value)
		}
	}
	if len(q.Tags) > 0 {
		values["tag"] = q.Tags
	}
	for name, n := range map[string]int{"page": q.Page, "pageSize": q.PageSize} {
		if n != 0 {
			values.Set(name, strconv.Itoa(n))
		}
	}
	return values
}

// queryOf is a query with its mark, or nothing.
func queryOf(values url.Values) string {
	if len(values) == 0 {
		return ""
	}
	return "?" + values.Encode()
}

// savedPath is the path of a route about a saved transcript, with its language as the
// query.
func savedPath(key library.Key, below string) (string, error) {
	platform, err := segment("platform", string(key.Platform))
	if err != nil {
		return "", err
	}
	id, err := segment("external id", key.ExternalID)
	if err != nil {
		return "", err
	}
	path := "/v1/library/transcripts/" + platform + "/" + id + below
	if key.Language != "" {
		path += "?" + url.Values{"language": {key.Language}}.Encode()
	}
	return path, nil
}
