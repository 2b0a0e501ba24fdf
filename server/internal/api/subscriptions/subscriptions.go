// Package subscriptions has the routes of follows, for single addresses and for lists of
// subscriptions. Package follower makes the decisions and does the work.
package subscriptions

import (
	"context"
	"net/http"

	"github.com/transcriptkit/transcriptkit/library/follow"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Subscriptions makes, shows and changes the follows of an account.
type Subscriptions struct{ *resource.Shared }

// Routes are the routes of follows.
func (f *Subscriptions) Routes() []edge.Route {
	return []edge.Route{
		f.createFollowRoute(),
		{
			Method: http.MethodGet, Pattern: "/v1/follows",
			Operation: "listFollows", Tag: "follows",
			Summary: "List the follows of the account, newest first.",
			Scope:   account.Batches, Handle: f.listFollows,
			Query:   pages(new(resource.Paging)),
			Answers: []edge.Answer{{Status: http.StatusOK, Body: FollowList{}}},
			Codes:   []transcript.Code{transcript.InvalidRequest},
		},
		{
			Method: http.MethodGet, Pattern: "/v1/follows/{followId}",
			Operation: "getFollow", Tag: "follows",
			Summary: "Read a follow.",
			Scope:   account.Batches, Polls: true, Handle: f.getFollow,
			Path:    byID.Path(new(string)),
			Answers: []edge.Answer{{Status: http.StatusOK, Body: OneFollow{}}},
			Codes:   []transcript.Code{transcript.NotFound},
		},
		{
			Method: http.MethodPatch, Pattern: "/v1/follows/{followId}",
			Operation: "changeFollow", Tag: "follows",
			Summary: "Pause or resume a follow.",
			Scope:   account.Batches, Handle: f.changeFollow,
			Path: byID.Path(new(string)), Body: new(followChange).table(),
			Answers: []edge.Answer{{Status: http.StatusOK, Body: OneFollow{}}},
			Codes:   []transcript.Code{transcript.InvalidRequest, transcript.NotFound},
		},
		{
			Method: http.MethodDelete, Pattern: "/v1/follows/{followId}",
			Operation: "deleteFollow", Tag: "follows",
			Summary: "Delete a follow with its history. Its transcripts stay.",
			Scope:   account.Batches, Handle: f.deleteFollow,
			Path:    byID.Path(new(string)),
			Answers: []edge.Answer{{Status: http.StatusNoContent}},
			Codes:   []transcript.Code{transcript.NotFound},
		},
		{
			Method: http.MethodGet, Pattern: "/v1/follows/{followId}/items",
			Operation: "listFollowItems", Tag: "follows",
			Summary: "List the items of a follow, newest first, with the result of each.",
			Scope:   account.Batches, Polls: true, Handle: f.listItems,
			Path: byID.Path(new(string)), Query: pages(new(resource.Paging)),
			Answers: []edge.Answer{{Status: http.StatusOK, Body: FollowItems{}}},
			Codes:   []transcript.Code{transcript.InvalidRequest, transcript.NotFound},
		},
	}
}

// byID names follows in paths.
var byID = resource.One{Param: "followId", About: "The id of a follow.", None: "There is no such follow."}

// OneFollow is the body of an answer about one follow.
type OneFollow struct {
	Follow follow.Follow `json:"follow"` // the current state of the follow
}

// FollowList is a page of follows.
type FollowList struct {
	Follows       []follow.Follow `json:"follows"`                 // the follows of the page, latest first
	NextPageToken string          `json:"nextPageToken,omitempty"` // for the next page; empty means that there is no more
}

// FollowItems is a page of the items of a follow.
type FollowItems struct {
	Items         []follow.Item `json:"items"`                   // the items of the page, newest first
	NextPageToken string        `json:"nextPageToken,omitempty"` // for the next page; empty means that there is no more
}

// Pages of follows and of their items.
const (
	mostFollows  = 200
	usualFollows = 50
)

// pages is the query of both lists.
func pages(p *resource.Paging) request.Table {
	return request.Table{Fields: p.Fields(mostFollows, usualFollows)}
}

// listFollows is GET /v1/follows.
func (f *Subscriptions) listFollows(w http.ResponseWriter, r *http.Request) error {
	var q resource.Paging
	return resource.Newest(w, r, pages(&q), &q, func(before string, most int) ([]follow.Follow, error) {
		return f.Pipeline.Follows.List(r.Context(), edge.Principal(r).Account, before, most)
	}, func(f follow.Follow) string { return f.ID }, func(page []follow.Follow, next string) any { return FollowList{page, next} })
}

// getFollow is GET /v1/follows/{followId}.
func (f *Subscriptions) getFollow(w http.ResponseWriter, r *http.Request) error {
	id, err := byID.ID(r)
	if err != nil {
		return err
	}
	found, err := f.Pipeline.Follows.Get(r.Context(), edge.Principal(r).Account, id)
	if err != nil {
		return err
	}
	return edge.RespondJSON(w, http.StatusOK, OneFollow{*found})
}

// followChange is the body of PATCH /v1/follows/{followId}.
type followChange struct{ status follow.Status }

func (c *followChange) table() request.Table {
	return request.Table{
		Name: "ChangeFollowRequest",
		Fields: []*request.Field{
			// The status failing passes here, because changeFollow has a better error for it.
			request.New("status", &c.status, request.Enum([]follow.Status{follow.Active, follow.Paused}, follow.Failing)).Required().
				About("\"paused\" stops the checks. \"active\" resumes the follow."),
		},
	}
}

// changeFollow is PATCH /v1/follows/{followId}.
func (f *Subscriptions) changeFollow(w http.ResponseWriter, r *http.Request) error {
	var c followChange
	if err := resource.CheckJSON(r); err != nil {
		return err
	}
	if err := resource.ReadJSON(w, r, c.table()); err != nil {
		return err
	}
	if c.status == follow.Failing {
		return request.Invalid(http.StatusUnprocessableEntity, transcript.Issue{
			Path: "status", Reason: transcript.IssueChoice, Message: "may be active or paused: the service alone finds out that a follow is failing",
		})
	}
	id, err := byID.ID(r)
	if err != nil {
		return err
	}
	p := edge.Principal(r)
	changed, err := f.Pipeline.Follows.Pause(context.WithoutCancel(r.Context()), p.Account, p.Plan, id, c.status == follow.Paused)
	if err != nil {
		return err
	}
	return edge.RespondJSON(w, http.StatusOK, OneFollow{*changed})
}

// deleteFollow is DELETE /v1/follows/{followId}.
func (f *Subscriptions) deleteFollow(w http.ResponseWriter, r *http.Request) error {
	id, err := byID.ID(r)
	if err != nil {
		return err
	}
	p := edge.Principal(r)
	if err := f.Pipeline.Follows.Delete(context.WithoutCancel(r.Context()), p.Account, p.Plan, id); err != nil {
		return err
	}
	edge.RespondEmpty(w, nil)
	return nil
}

// listItems is GET /v1/follows/{followId}/items.
func (f *Subscriptions) listItems(w http.ResponseWriter, r *http.Request) error {
	var q resource.Paging
	query := pages(&q)
	if err := query.ReadQuery(r.URL.RawQuery); err != nil {
		return err
	}
	list, before := resource.ListingOf(r, query), int64(0)
	if err := list.After(q.PageToken, &before); err != nil {
		return err
	}
	id, err := byID.ID(r)
	if err != nil {
		return err
	}
	found, next, err := f.Pipeline.Follows.Items(r.Context(), edge.Principal(r).Account, id, before, q.MaxResults)
	if err != nil {
		return err
	}
	a := FollowItems{Items: found}
	if next != 0 {
		a.NextPageToken = list.Token(next)
	}
	return edge.RespondJSON(w, http.StatusOK, a)
}
