package client

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/transcriptkit/transcriptkit/library"
)

// Feed tells whether the account has a feed of its new texts, and since when. The address of the
// feed is not in it: only [LibraryService.RenewFeed] returns an address.
func (s *LibraryService) Feed(ctx context.Context, opts ...RequestOption) (*library.FeedState, error) {
	answer, err := s.client.send(ctx, http.MethodGet, feedPath, payload{}, opts)
	if err != nil {
		return nil, err
	}
	var state library.FeedState
	if err := answer.decode(&state); err != nil {
		return nil, err
	}
	return &state, nil
}

// RenewFeed gives the feed of the account's new texts a new address, and makes the feed if there
// is none. Everybody who has the address can read the new texts, with any program that reads
// Atom feeds. The address before ends. The URL of the result is whole: it has the scheme and the
// host of the client's base URL.
// The error is FORBIDDEN if the service does not keep the account itself.
func (s *LibraryService) RenewFeed(ctx context.Context, opts ...RequestOption) (*library.NewFeed, error) {
	answer, err := s.client.send(ctx, http.MethodPut, feedPath, payload{}, opts)
	if err != nil {
		return nil, err
	}
	var feed library.NewFeed
	if err := answer.decode(&feed); err != nil {
		return nil, err
	}
	base, err := url.Parse(s.client.base)
	if err != nil {
		return nil, err
	}
	path, err := url.Parse(feed.URL)
	if err != nil || path.Path == "" {
		return nil, answer.malformed(errors.New("it has no address of a feed"))
	}
	feed.URL = base.ResolveReference(path).String()
	return &feed, nil
}

// DeleteFeed ends the address of the feed. An account without a feed is no error.
func (s *LibraryService) DeleteFeed(ctx context.Context, opts ...RequestOption) error {
	_, err := s.client.send(ctx, http.MethodDelete, feedPath, payload{}, opts)
	return err
}

const feedPath = "/v1/feed"
