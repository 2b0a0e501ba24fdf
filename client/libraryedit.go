package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/transcriptkit/transcriptkit/library"
)

// Edit changes lines and names of speakers in a saved transcript, and returns the new text.
// The account's own copy changes, and never the text that accounts share. revision is the
// Revision of the text that the caller has read. If the text has another revision by now, the
// error is an [*Error] with the code STATE_CONFLICT and the status 412, and
// Details["revision"] is the present one: read the text again. A revision of 0 changes
// whichever text is there.
func (s *LibraryService) Edit(ctx context.Context, key library.Key, revision int, e library.Edit, opts ...RequestOption) (*library.Saved, error) {
	data, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("client: request body: %w", err)
	}
	return s.changeText(ctx, http.MethodPatch, key, "", revision, jsonPayload(data), opts)
}

// changeText makes another text of the revision of a saved transcript.
func (s *LibraryService) changeText(ctx context.Context, method string, key library.Key, below string, revision int, body payload, opts []RequestOption) (*library.Saved, error) {
	path, err := savedPath(key, below)
	if err != nil {
		return nil, err
	}
	expected := "*"
	if revision != 0 {
		expected = strconv.Quote(strconv.Itoa(revision))
	}
	answer, err := s.client.send(ctx, method, path, body, slices.Concat([]RequestOption{WithHeader("If-Match", expected)}, opts))
	if err != nil {
		return nil, err
	}
	return savedIn(answer)
}

// savedIn is the saved transcript in an answer.
func savedIn(answer *answer) (*library.Saved, error) {
	var saved library.Saved
	if err := answer.decode(&saved); err != nil {
		return nil, err
	}
	if saved.Transcript.ID == "" {
		return nil, answer.malformed(errors.New("it has no transcript"))
	}
	return &saved, nil
}
