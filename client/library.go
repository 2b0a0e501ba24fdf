package client

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/transcriptkit/transcriptkit/library"
)

// LibraryService reads and changes what the account has saved. It starts no work.
type LibraryService struct{ client *Client }

// Get returns the saved transcript that key names; without a Language, the newest. One
// that is on its way is an [*Error] with the code STATE_CONFLICT, and Details["jobId"]
// is its job; one that the account has not saved NO_TRANSCRIPT.
func (s *LibraryService) Get(ctx context.Context, key library.Key, opts ...RequestOption) (*library.Saved, error) {
	return s.get(ctx, key, nil, opts)
}

// GetWithWords is Get of a transcript whose segments have their Words, where the source
// gave their times.
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
	var saved library.Saved
	if err := answer.decode(&saved); err != nil {
		return nil, err
	}
	if saved.Transcript.ID == "" {
		return nil, answer.malformed(errors.New("it has no transcript"))
	}
	return &saved, nil
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
