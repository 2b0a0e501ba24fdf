package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/library/follow"
)

// FollowService follows channels, playlists and feeds: the service transcribes each new
// item.
type FollowService struct{ client *Client }

// FollowParams describe a new follow. Set exactly one of Channel, Playlist and Feed.
type FollowParams struct {
	// Channel is the id of a channel of the video site, its "@handle", or a link to it.
	Channel string
	// Playlist is the id of a playlist of the video site, or a link to it.
	Playlist string
	// Feed is the address of a feed: RSS, Atom or JSON Feed.
	Feed string

	FollowOptions
}

// FollowOptions are the options of a new follow.
type FollowOptions struct {
	// Language is a priority list of tags and "asr", as in a [transcript.Request]. If
	// Language is nil, the service's default applies.
	Language []string
	// MaxItems is how many of the existing items are transcribed, newest first: 0 to
	// 50. New items are always transcribed.
	MaxItems int
}

// Create makes a follow. If the account already follows the same address in the same
// languages, Create returns the existing follow, and created is false.
func (s *FollowService) Create(ctx context.Context, p FollowParams, opts ...RequestOption) (f *follow.Follow, created bool, err error) {
	given := 0
	for _, text := range []string{p.Channel, p.Playlist, p.Feed} {
		if text != "" {
			given++
		}
	}
	if given != 1 {
		return nil, false, fmt.Errorf("client: a follow is made from one of Channel, Playlist and Feed: %d are given", given)
	}
	data, err := json.Marshal(struct {
		Channel  string `json:"channel,omitempty"`
		Playlist string `json:"playlist,omitempty"`
		Feed     string `json:"feed,omitempty"`
		Language string `json:"language,omitempty"`
		MaxItems int    `json:"maxItems,omitempty"`
	}{p.Channel, p.Playlist, p.Feed, strings.Join(p.Language, ","), p.MaxItems})
	if err != nil {
		return nil, false, fmt.Errorf("client: request body: %w", err)
	}
	answer, err := s.client.send(ctx, http.MethodPost, "/v1/follows", jsonPayload(data), opts)
	if err != nil {
		return nil, false, err
	}
	f, err = decodeFollow(answer)
	return f, answer.StatusCode == http.StatusCreated, err
}

// SubscriptionFormat is the file format of a list of subscriptions.
type SubscriptionFormat string

// The formats of [FollowService.CreateAll].
const (
	OPML             SubscriptionFormat = "text/x-opml" // exported by feed readers
	SubscriptionsCSV SubscriptionFormat = "text/csv"    // a row for each address, such as the video site's export of subscriptions
)

// maxSubscriptions is the largest list that the service takes, in bytes.
const maxSubscriptions = 8 << 20

// CreateAll follows all addresses of a list of at most 8 MiB with 1 to 1000 rows. It
// reads the list to its end and does not close it. A row that cannot be followed has
// its own error in the result, and does not affect the other rows.
func (s *FollowService) CreateAll(ctx context.Context, list io.Reader, format SubscriptionFormat, o FollowOptions, opts ...RequestOption) ([]follow.Row, error) {
	if list == nil {
		return nil, errors.New("client: there is no list of subscriptions")
	}
	text, err := io.ReadAll(io.LimitReader(list, maxSubscriptions+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("client: reading the subscriptions: %w", err)
	case len(text) > maxSubscriptions:
		return nil, fmt.Errorf("client: the list of subscriptions is larger than %d bytes: send it in parts", maxSubscriptions)
	}
	if format == OPML {
		text = bytes.TrimSpace(text)
	}
	query := url.Values{}
	if len(o.Language) > 0 {
		query.Set("language", strings.Join(o.Language, ","))
	}
	if o.MaxItems != 0 {
		query.Set("maxItems", strconv.Itoa(o.MaxItems))
	}
	answer, err := s.client.send(ctx, http.MethodPost, "/v1/follows?"+query.Encode(), payload{contentType: string(format), content: text}, opts)
	if err != nil {
		return nil, err
	}
	var made struct {
		Results *[]follow.Row `json:"results"`
	}
	if err := answer.decode(&made); err != nil {
		return nil, err
	}
	if made.Results == nil {
		return nil, answer.malformed(errors.New("it has no results"))
	}
	return *made.Results, nil
}

// Get returns the current state of a follow.
func (s *FollowService) Get(ctx context.Context, id string, opts ...RequestOption) (*follow.Follow, error) {
	return s.one(ctx, http.MethodGet, id, payload{}, opts)
}

// Pause stops the service from checking the followed address.
func (s *FollowService) Pause(ctx context.Context, id string, opts ...RequestOption) (*follow.Follow, error) {
	return s.one(ctx, http.MethodPatch, id, jsonPayload([]byte(`{"status": "paused"}`)), opts)
}

// Resume continues a paused follow where it stopped.
func (s *FollowService) Resume(ctx context.Context, id string, opts ...RequestOption) (*follow.Follow, error) {
	return s.one(ctx, http.MethodPatch, id, jsonPayload([]byte(`{"status": "active"}`)), opts)
}

func (s *FollowService) one(ctx context.Context, method, id string, body payload, opts []RequestOption) (*follow.Follow, error) {
	path, err := followPath(id)
	if err != nil {
		return nil, err
	}
	answer, err := s.client.send(ctx, method, path, body, opts)
	if err != nil {
		return nil, err
	}
	return decodeFollow(answer)
}

// Delete removes a follow with its history. Its transcripts stay.
func (s *FollowService) Delete(ctx context.Context, id string, opts ...RequestOption) error {
	path, err := followPath(id)
	if err != nil {
		return err
	}
	_, err = s.client.send(ctx, http.MethodDelete, path, payload{}, opts)
	return err
}

// List returns a page of the account's follows, newest first. A page has p.Size follows:
// 50 by default, 200 at most.
func (s *FollowService) List(ctx context.Context, p PageParams, opts ...RequestOption) (*Page[follow.Follow], error) {
	answer, err := s.client.send(ctx, http.MethodGet, "/v1/follows?"+p.query().Encode(), payload{}, opts)
	if err != nil {
		return nil, err
	}
	var page struct {
		Follows *[]follow.Follow `json:"follows"`
		Next    string           `json:"nextPageToken"`
	}
	if err := answer.decode(&page); err != nil {
		return nil, err
	}
	if page.Follows == nil || slices.ContainsFunc(*page.Follows, func(f follow.Follow) bool { return f.ID == "" || f.Status == "" }) {
		return nil, answer.malformed(errors.New("it has no follows, or one without an id or a status"))
	}
	return &Page[follow.Follow]{Items: *page.Follows, Next: page.Next}, nil
}

// All yields the account's follows, newest first, starting with the page that p names.
// It requests a page when the loop reaches it. An error is the last value of the
// sequence.
func (s *FollowService) All(ctx context.Context, p PageParams, opts ...RequestOption) iter.Seq2[follow.Follow, error] {
	opts = slices.Clone(opts)
	return all(p, func(p PageParams) (*Page[follow.Follow], error) { return s.List(ctx, p, opts...) })
}

// Items returns a page of the items of a follow, newest first. A page has p.Size items:
// 50 by default, 200 at most.
func (s *FollowService) Items(ctx context.Context, id string, p PageParams, opts ...RequestOption) (*Page[follow.Item], error) {
	path, err := followPath(id)
	if err != nil {
		return nil, err
	}
	answer, err := s.client.send(ctx, http.MethodGet, path+"/items?"+p.query().Encode(), payload{}, opts)
	if err != nil {
		return nil, err
	}
	var page struct {
		Items *[]follow.Item `json:"items"`
		Next  string         `json:"nextPageToken"`
	}
	if err := answer.decode(&page); err != nil {
		return nil, err
	}
	if page.Items == nil || slices.ContainsFunc(*page.Items, func(i follow.Item) bool { return i.ID == "" || i.Status == "" }) {
		return nil, answer.malformed(errors.New("it has no items, or one without an id or a status"))
	}
	return &Page[follow.Item]{Items: *page.Items, Next: page.Next}, nil
}

// AllItems yields every item of a follow, newest first. It pages as [FollowService.All]
// does.
func (s *FollowService) AllItems(ctx context.Context, id string, opts ...RequestOption) iter.Seq2[follow.Item, error] {
	opts = slices.Clone(opts)
	return all(PageParams{Size: largestFollowPage}, func(p PageParams) (*Page[follow.Item], error) { return s.Items(ctx, id, p, opts...) })
}

// largestFollowPage is the largest page of items.
const largestFollowPage = 200

func followPath(id string) (string, error) {
	escaped, err := segment("follow id", id)
	if err != nil {
		return "", err
	}
	return "/v1/follows/" + escaped, nil
}

func decodeFollow(a *answer) (*follow.Follow, error) {
	var one struct {
		Follow follow.Follow `json:"follow"`
	}
	if err := a.decode(&one); err != nil {
		return nil, err
	}
	if one.Follow.ID == "" || one.Follow.Status == "" {
		return nil, a.malformed(errors.New("it has no follow with an id and a status"))
	}
	return &one.Follow, nil
}
