// Package published has the routes by which an account shows its texts to others: links to single
// texts, and the feed of the new ones.
package published

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/api/saved"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/server/internal/shares"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Shares makes, lists and ends the links to texts, and shows the linked texts.
type Shares struct {
	*resource.Shared
	Links *shares.Shares
	Texts *saved.Texts
}

// OwnRoutes are the routes for the owners of texts.
func (s *Shares) OwnRoutes() []edge.Route {
	const pattern = "/v1/library/transcripts/{platform}/{externalId}/shares"
	return []edge.Route{
		{
			Method: http.MethodPost, Pattern: pattern,
			Operation: "shareTranscript", Tag: "library",
			Summary: "Create a link that shows a saved transcript to everyone.",
			Scope:   account.Transcripts, Handle: s.createShare,
			Path: saved.Path(new(library.Key)), Query: saved.TextQuery(new(library.Key)),
			Body: shareTable(new(*time.Time)), BodyOptional: true,
			Answers: []edge.Answer{{Status: http.StatusCreated, Body: OneShare{}, Headers: []edge.Header{edge.HeaderReplayed}}},
			Codes: []transcript.Code{
				transcript.InvalidRequest, transcript.NoTranscript, transcript.NotFound, transcript.StateConflict,
				transcript.IdempotencyConflict, transcript.IdempotencyInProgress,
			},
		},
		{
			Method: http.MethodGet, Pattern: pattern,
			Operation: "listShares", Tag: "library",
			Summary: "List the links to a saved transcript, newest first.",
			Scope:   account.Transcripts, Handle: s.listShares,
			Path: saved.Path(new(library.Key)), Query: saved.TextQuery(new(library.Key)),
			Answers: []edge.Answer{{Status: http.StatusOK, Body: ShareList{}}},
			Codes:   []transcript.Code{transcript.InvalidRequest, transcript.NoTranscript},
		},
		{
			Method: http.MethodDelete, Pattern: pattern + "/{shareId}",
			Operation: "deleteShare", Tag: "library",
			Summary: "Delete a link to a saved transcript.",
			Scope:   account.Transcripts, Handle: s.deleteShare,
			Path: sharePath(new(library.Key), new(string)), Query: endedQuery(new(library.Key)),
			Answers: []edge.Answer{{Status: http.StatusNoContent}},
			Codes:   []transcript.Code{transcript.InvalidRequest, transcript.NotFound},
		},
	}
}

// OneShare is the body of the answer about a new link.
type OneShare struct {
	Share library.Share `json:"share"` // the link, with its address
}

// ShareList is the list of the links to a text.
type ShareList struct {
	Shares []library.Share `json:"shares"` // the links that have not ended, newest first
}

// shareTable is the table of the JSON body of a new link.
func shareTable(until **time.Time) request.Table {
	return request.Table{Name: "ShareTranscriptRequest", Fields: []*request.Field{
		request.New("expiresAt", until, request.Optional(request.Moment())).
			About("When the link ends: at most 366 days from now. Without it, after 30 days."),
	}}
}

// sharePath is the path of the route about one link.
func sharePath(key *library.Key, id *string) request.Table {
	path := saved.Path(key)
	path.Fields = append(path.Fields, request.New("shareId", id, request.UUID()).Required().About("The id of a link."))
	return path
}

// endedQuery is the query of the route that ends a link.
func endedQuery(key *library.Key) request.Table {
	return request.Table{Fields: []*request.Field{saved.LanguageOf(key).About("The exact language tag. Without it, a link to a text of any language.")}}
}

// createShare is POST /v1/library/transcripts/{platform}/{externalId}/shares.
func (s *Shares) createShare(w http.ResponseWriter, r *http.Request) error {
	if err := resource.CheckJSON(r); err != nil {
		return err
	}
	owner, ctx := edge.Principal(r).Account, context.WithoutCancel(r.Context())
	var key library.Key
	var until *time.Time
	return s.Edge.Once(w, r, edge.Post{
		Read: func() (_ map[string]any, err error) {
			if key, err = s.Texts.TextKey(r); err != nil {
				return nil, err
			}
			table := shareTable(&until)
			body, err := edge.ReadBody(w, r, edge.MaxJSONBody)
			if err == nil && len(body) > 0 {
				err = table.ReadJSON(body)
			}
			canonical := table.Canonical()
			canonical["language"] = key.Language // the language is in the query, which does not distinguish requests
			return canonical, err
		},
		Do: func(held *db.HeldKey) (edge.Reply, error) {
			if err := s.mayShare(r.Context(), owner, key); err != nil {
				return edge.Reply{}, err
			}
			return s.shareReply(s.Links.Create(ctx, owner, key, until, held))
		},
		Again: func(a db.Answer) (edge.Reply, error) { return s.shareReply(s.Links.Renew(ctx, owner, a.ID)) },
	})
}

// mayShare refuses an account that the service cannot check: readers present no credential,
// so the service itself must be able to find out whether the account may still use it. The
// text must exist.
func (s *Shares) mayShare(ctx context.Context, owner string, key library.Key) error {
	if err := s.Checker.CheckAccount(ctx, owner); errors.Is(err, account.ErrNotFound) {
		return transcript.Errorf(transcript.Forbidden, "Accounts that this service does not keep itself cannot share texts.")
	} else if err != nil {
		return err
	}
	_, err := s.Pipeline.Library.Saved(ctx, owner, key)
	return err
}

func (s *Shares) shareReply(made library.Share, token string, err error) (edge.Reply, error) {
	if err != nil {
		return edge.Reply{}, err
	}
	made.URL = s.BasePath + sharedPath + token
	return edge.ReplyJSON(http.StatusCreated, nil, OneShare{made})
}

// listShares is GET /v1/library/transcripts/{platform}/{externalId}/shares.
func (s *Shares) listShares(w http.ResponseWriter, r *http.Request) error {
	key, err := s.Texts.TextKey(r)
	if err != nil {
		return err
	}
	all, err := s.Links.List(r.Context(), edge.Principal(r).Account, key)
	return resource.Respond(w, ShareList{all}, err)
}

// deleteShare is DELETE /v1/library/transcripts/{platform}/{externalId}/shares/{shareId}.
func (s *Shares) deleteShare(w http.ResponseWriter, r *http.Request) error {
	key, err := s.Texts.TextKey(r)
	if err != nil {
		return err
	}
	var id string
	if !sharePath(new(library.Key), &id).ReadPath(r.PathValue) {
		return transcript.Errorf(transcript.NotFound, "The text has no such link.")
	}
	if err := s.Links.Delete(context.WithoutCancel(r.Context()), edge.Principal(r).Account, key, id); err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "private, no-cache")
	w.WriteHeader(http.StatusNoContent)
	return nil
}
