package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"time"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// sharedPath is the path of the texts of links, and sharedPattern its form in logs and errors: a
// path with a token opens a text.
const (
	sharedPath    = "/v1/shared/"
	sharedPattern = sharedPath + "{token}"
)

// Share makes a link that shows the saved transcript to everyone who has the link,
// without a key. The link works until the given time, which is at most 366 days ahead.
// The zero time means 30 days. Readers see the account's own text, with its
// corrections. The URL in the result is absolute: it has the scheme and the host of the
// client's base URL. The service cannot return the URL again. If the text already has
// 20 links, the error is an [*Error] with the code STATE_CONFLICT and Details["limit"].
func (s *LibraryService) Share(ctx context.Context, key library.Key, until time.Time, opts ...RequestOption) (*library.Share, error) {
	location, err := savedPath(key, "/shares")
	if err != nil {
		return nil, err
	}
	asked := struct {
		ExpiresAt *transcript.Time `json:"expiresAt,omitempty"`
	}{}
	if !until.IsZero() {
		asked.ExpiresAt = new(transcript.At(until))
	}
	data, err := json.Marshal(asked)
	if err != nil {
		return nil, fmt.Errorf("client: request body: %w", err)
	}
	answer, err := s.client.send(ctx, http.MethodPost, location, jsonPayload(data), opts)
	if err != nil {
		return nil, err
	}
	var made struct{ Share library.Share }
	if err := answer.decode(&made); err != nil {
		return nil, err
	}
	if made.Share.ID == "" {
		return nil, answer.malformed(errors.New("it has no link"))
	}
	if made.Share.URL, err = s.client.whole(made.Share.URL); err != nil {
		return nil, answer.malformed(errors.New("it has no address of a link"))
	}
	return &made.Share, nil
}

// Shares returns the links to the saved transcript that still work, newest first,
// without their URLs.
func (s *LibraryService) Shares(ctx context.Context, key library.Key, opts ...RequestOption) ([]library.Share, error) {
	location, err := savedPath(key, "/shares")
	if err != nil {
		return nil, err
	}
	answer, err := s.client.send(ctx, http.MethodGet, location, payload{}, opts)
	if err != nil {
		return nil, err
	}
	var list struct{ Shares []library.Share }
	if err := answer.decode(&list); err != nil {
		return nil, err
	}
	if list.Shares == nil {
		return nil, answer.malformed(errors.New("it has no links"))
	}
	return list.Shares, nil
}

// Unshare deletes the link with this ID to the saved transcript. The link stops working
// at once. If the transcript has no such link, the error is an [*Error] with the code
// NOT_FOUND.
func (s *LibraryService) Unshare(ctx context.Context, key library.Key, id string, opts ...RequestOption) error {
	name, err := segment("id of a link", id)
	if err != nil {
		return err
	}
	location, err := savedPath(key, "/shares/"+name)
	if err != nil {
		return err
	}
	_, err = s.client.send(ctx, http.MethodDelete, location, payload{}, opts)
	return err
}

// Shared returns the text of a link from [LibraryService.Share]. The client needs no
// key. link is the URL or only the token, which is the last part of the URL. Shared
// always asks the client's own service and ignores the host of the URL. If the link is
// unknown or has expired, the error is an [*Error] with the code NOT_FOUND. Logs and
// errors never contain the token.
func (s *LibraryService) Shared(ctx context.Context, link string, opts ...RequestOption) (*library.SharedText, error) {
	return s.shared(ctx, link, nil, opts)
}

// SharedWithWords is [LibraryService.Shared] with the Words of each segment, if the
// source gave times for words.
func (s *LibraryService) SharedWithWords(ctx context.Context, link string, opts ...RequestOption) (*library.SharedText, error) {
	return s.shared(ctx, link, url.Values{"include": {string(library.Words)}}, opts)
}

func (s *LibraryService) shared(ctx context.Context, link string, query url.Values, opts []RequestOption) (*library.SharedText, error) {
	address, err := url.Parse(link)
	if err != nil {
		return nil, errors.New("client: the link is no URL")
	}
	token, err := segment("token of a link", path.Base(address.Path))
	if err != nil {
		return nil, err
	}
	answer, err := s.client.carry(ctx, withQuery(sharedPath+token, query), &call{method: http.MethodGet, path: sharedPattern}, opts)
	if err != nil {
		return nil, err
	}
	var shared struct{ Transcript *library.SharedText }
	if err := answer.decode(&shared); err != nil {
		return nil, err
	}
	if shared.Transcript == nil || shared.Transcript.Platform == "" || shared.Transcript.Segments == nil {
		return nil, answer.malformed(errors.New("it has no transcript"))
	}
	return shared.Transcript, nil
}
