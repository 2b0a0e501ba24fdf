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

// importTypes are the media types of the files that can be imported.
var importTypes = map[library.DownloadFormat]string{
	library.TXT: "text/plain; charset=utf-8", library.SRT: "application/x-subrip", library.VTT: "text/vtt",
}

// Import makes the text of a file a saved transcript: a new one, for which the key names the
// language, or the next revision of the one that is there. The errors are those of
// [LibraryService.Edit].
func (s *LibraryService) Import(ctx context.Context, key library.Key, file library.Import, opts ...RequestOption) (*library.Saved, error) {
	media, ok := importTypes[file.Format]
	if !ok {
		return nil, fmt.Errorf("client: a file of the format %q cannot be imported: use %q, %q or %q", file.Format, library.TXT, library.SRT, library.VTT)
	}
	body := payload{contentType: media, content: file.Content}
	if file.Revision != 0 {
		return s.changeText(ctx, http.MethodPut, key, "", file.Revision, body, opts)
	}
	path, err := savedPath(key, "")
	if err != nil {
		return nil, err
	}
	answer, err := s.client.send(ctx, http.MethodPut, path, body, slices.Concat([]RequestOption{WithHeader("If-None-Match", "*")}, opts))
	if err != nil {
		return nil, err
	}
	return savedIn(answer)
}

// Revisions returns the texts that a saved transcript has had, the last first: the first text
// and the last 50.
func (s *LibraryService) Revisions(ctx context.Context, key library.Key, opts ...RequestOption) ([]library.Revision, error) {
	path, err := savedPath(key, "/revisions")
	if err != nil {
		return nil, err
	}
	answer, err := s.client.send(ctx, http.MethodGet, path, payload{}, opts)
	if err != nil {
		return nil, err
	}
	var list struct {
		Revisions []library.Revision `json:"revisions"`
	}
	if err := answer.decode(&list); err != nil {
		return nil, err
	}
	if len(list.Revisions) == 0 {
		return nil, answer.malformed(errors.New("it has no revisions"))
	}
	return list.Revisions, nil
}

// Revision returns the text of a revision. If the revision is not kept any more, the error is an
// [*Error] with the code NOT_FOUND.
func (s *LibraryService) Revision(ctx context.Context, key library.Key, n int, opts ...RequestOption) (*library.Saved, error) {
	path, err := savedPath(key, "/revisions/"+strconv.Itoa(n))
	if err != nil {
		return nil, err
	}
	answer, err := s.client.send(ctx, http.MethodGet, path, payload{}, opts)
	if err != nil {
		return nil, err
	}
	return savedIn(answer)
}

// Restore makes the text of revision n the present text again, as a new revision. revision and
// the errors are those of [LibraryService.Edit]; a revision that is not kept any more is an
// [*Error] with the code NOT_FOUND.
func (s *LibraryService) Restore(ctx context.Context, key library.Key, n, revision int, opts ...RequestOption) (*library.Saved, error) {
	return s.changeText(ctx, http.MethodPost, key, "/revisions/"+strconv.Itoa(n)+"/restore", revision, payload{}, opts)
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
