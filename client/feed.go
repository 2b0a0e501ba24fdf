package client

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/transcriptkit/transcriptkit/library"
)

// Feed returns whether the account has a feed of its new texts, and since when. The
// state does not contain the address of the feed: only [LibraryService.RenewFeed]
// returns an address.
func (s *LibraryService) Feed(ctx context.Context, opts ...RequestOption) (*library.FeedState, error) {
	answer, err := s.client.send(ctx, http.MethodGet, feedPath, payload{}, opts)
	if err != nil {
		return nil, err
	}
	var state library.FeedState
	if err := answer.decode(&state); err != nil {
		return nil, err
	}
	if !answer.has("feed") || state.Feed != nil && state.Feed.ID == "" {
		return nil, answer.malformed(errors.New("it does not tell whether there is a feed"))
	}
	return &state, nil
}

// RenewFeed makes the feed of the account's new texts, or gives an existing feed a new
// address. Everyone who has the address can read the new texts, with any Atom reader.
// The previous address stops working. The URL in the result is absolute: it has the
// scheme and the host of the client's base URL. If the program that embeds the service
// keeps the accounts, the error is an [*Error] with the code FORBIDDEN.
func (s *LibraryService) RenewFeed(ctx context.Context, opts ...RequestOption) (*library.NewFeed, error) {
	answer, err := s.client.send(ctx, http.MethodPut, feedPath, payload{}, opts)
	if err != nil {
		return nil, err
	}
	var feed library.NewFeed
	if err := answer.decode(&feed); err != nil {
		return nil, err
	}
	if feed.URL, err = s.client.whole(feed.URL); err != nil {
		return nil, answer.malformed(errors.New("it has no address of a feed"))
	}
	return &feed, nil
}

// DeleteFeed deletes the account's feed, and its address stops working. If the account
// has no feed, DeleteFeed does nothing and returns no error.
func (s *LibraryService) DeleteFeed(ctx context.Context, opts ...RequestOption) error {
	_, err := s.client.send(ctx, http.MethodDelete, feedPath, payload{}, opts)
	return err
}

// whole returns an address that is written from the root of the service with the scheme and the
// host of the client's base URL.
func (c *Client) whole(address string) (string, error) {
	base, err := url.Parse(c.base)
	if err != nil {
		return "", err
	}
	path, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	if path.Path == "" {
		return "", errors.New("client: it is empty")
	}
	return base.ResolveReference(path).String(), nil
}

const feedPath = "/v1/feed"
