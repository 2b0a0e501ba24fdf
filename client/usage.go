package client

import (
	"context"
	"errors"
	"net/http"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// UsageService returns an account's limits and how much of them is used.
type UsageService struct{ client *Client }

// Get returns the current limits and use of the API key's account. A nil limit means
// that there is no limit.
func (s *UsageService) Get(ctx context.Context, opts ...RequestOption) (*transcript.Usage, error) {
	answer, err := s.client.send(ctx, http.MethodGet, "/v1/usage", payload{}, opts)
	if err != nil {
		return nil, err
	}
	var usage transcript.Usage
	if err := answer.decode(&usage); err != nil {
		return nil, err
	}
	if usage.Account.ID == "" {
		return nil, answer.malformed(errors.New("it has no account"))
	}
	return &usage, nil
}
