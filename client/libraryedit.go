package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strconv"

	"github.com/transcriptkit/transcriptkit/library"
)

// Edit changes lines and speaker names in a saved transcript, and returns the new text.
// It changes the account's own copy, never the text that accounts share. revision is
// the Revision of the text that the caller has read. If the text now has another
// revision, the error is an [*Error] with the code STATE_CONFLICT and the status 412,
// and Details["revision"] is the current one: read the text again. If revision is 0,
// Edit does not compare.
func (s *LibraryService) Edit(ctx context.Context, key library.Key, revision int, e library.Edit, opts ...RequestOption) (*library.Saved, error) {
	data, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("client: request body: %w", err)
	}
	return s.changeText(ctx, http.MethodPatch, key, "", revision, jsonPayload(data), opts)
}

// Label changes the account's title and tags of the content that key identifies, in all
// languages and also while its transcript is being made. The errors are those of
// [LibraryService.Delete], and an [*Error] with the code INVALID_REQUEST if a value is
// out of bounds.
func (s *LibraryService) Label(ctx context.Context, key library.Key, change library.Label, opts ...RequestOption) error {
	data, err := json.Marshal(change)
	if err != nil {
		return fmt.Errorf("client: request body: %w", err)
	}
	key.Row = "" // the rows of a content have one label
	return s.change(ctx, http.MethodPatch, key, "", jsonPayload(data), opts)
}

// importTypes are the media types of the files that can be imported.
var importTypes = map[library.DownloadFormat]string{
	library.TXT: "text/plain; charset=utf-8", library.SRT: "application/x-subrip", library.VTT: "text/vtt",
	library.SBV: "text/x-sbv", library.ASS: "text/x-ssa", library.Podcast: "application/json", library.Whisper: "application/json",
}

// Import saves the text of a file as a transcript. If the account has no transcript
// under key, Import makes a new one, and key must name the language. Otherwise the text
// becomes the next revision. The errors are those of [LibraryService.Edit].
func (s *LibraryService) Import(ctx context.Context, key library.Key, file library.Import, opts ...RequestOption) (*library.Saved, error) {
	media, ok := importTypes[file.Format]
	if !ok {
		return nil, fmt.Errorf("client: a file of the format %q cannot be imported: use one of %v", file.Format, slices.Sorted(maps.Keys(importTypes)))
	}
	body := payload{contentType: media, content: file.Content}
	if file.Revision != 0 {
		return s.changeText(ctx, http.MethodPut, key, "", file.Revision, body, opts)
	}
	headers := []RequestOption{WithHeader("If-None-Match", "*")}
	if file.Name != "" {
		headers = append(headers, WithHeader("Content-Disposition", mime.FormatMediaType("inline", map[string]string{"filename": file.Name})))
	}
	path, err := savedPath(key, "")
	if err != nil {
		return nil, err
	}
	answer, err := s.client.send(ctx, http.MethodPut, path, body, slices.Concat(headers, opts))
	if err != nil {
		return nil, err
	}
	return savedIn(answer)
}

// Revisions lists the revisions of a saved transcript, newest first. The service keeps
// the first one and the latest 50.
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

// Revision returns the text of revision n. If the revision is no longer kept, the error
// is an [*Error] with the code NOT_FOUND.
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

// Restore saves the text of revision n as a new revision. revision and the errors are
// those of [LibraryService.Edit]. If revision n is no longer kept, the error is an
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
