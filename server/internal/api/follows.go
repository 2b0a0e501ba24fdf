package api

import (
	"context"
	"net/http"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/pipeline"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// followed makes, shows and changes the follows of an account.
type followed struct {
	edge     *edge.Edge
	pipeline *pipeline.Pipeline
	sites    *site.Table
	admit    resource.Admit
	judge    func(ctx context.Context, job, link string) error // refuses an address where no request may go
	basePath string
}

func (f *followed) routes() []edge.Route {
	return []edge.Route{
		f.createFollowRoute(),
		{
			Method: http.MethodGet, Pattern: "/v1/follows",
			Operation: "listFollows", Tag: "follows",
			Summary: "List the follows of the account, newest first.",
			Scope:   account.Batches, Handle: f.listFollows,
			Query:   new(followsQuery).table(),
			Answers: []edge.Answer{{Status: http.StatusOK, Body: FollowList{}}},
			Codes:   []transcript.Code{transcript.InvalidRequest},
		},
		{
			Method: http.MethodGet, Pattern: "/v1/follows/{followId}",
			Operation: "getFollow", Tag: "follows",
			Summary: "Read a follow.",
			Scope:   account.Batches, Polls: true, Handle: f.getFollow,
			Path:    followPath(new(string)),
			Answers: []edge.Answer{{Status: http.StatusOK, Body: OneFollow{}}},
			Codes:   []transcript.Code{transcript.NotFound},
		},
		{
			Method: http.MethodPatch, Pattern: "/v1/follows/{followId}",
			Operation: "changeFollow", Tag: "follows",
			Summary: "Pause a follow, or let it go on where it stopped.",
			Scope:   account.Batches, Handle: f.changeFollow,
			Path: followPath(new(string)), Body: new(followChange).table(),
			Answers: []edge.Answer{{Status: http.StatusOK, Body: OneFollow{}}},
			Codes:   []transcript.Code{transcript.InvalidRequest, transcript.NotFound},
		},
		{
			Method: http.MethodDelete, Pattern: "/v1/follows/{followId}",
			Operation: "deleteFollow", Tag: "follows",
			Summary: "Delete a follow with its history. Its transcripts stay.",
			Scope:   account.Batches, Handle: f.deleteFollow,
			Path:    followPath(new(string)),
			Answers: []edge.Answer{{Status: http.StatusNoContent}},
			Codes:   []transcript.Code{transcript.NotFound},
		},
		{
			Method: http.MethodGet, Pattern: "/v1/follows/{followId}/items",
			Operation: "listFollowItems", Tag: "follows",
			Summary: "List the items of a follow, newest first, with what became of each.",
			Scope:   account.Batches, Polls: true, Handle: f.listItems,
			Path: followPath(new(string)), Query: new(followItemsQuery).table(),
			Answers: []edge.Answer{{Status: http.StatusOK, Body: FollowItems{}}},
			Codes:   []transcript.Code{transcript.InvalidRequest, transcript.NotFound},
		},
	}
}

// followPath is the path of the routes of one follow.
func followPath(id *string) request.Table {
	return request.Table{Fields: []*request.Field{request.New("followId", id, request.UUID()).Required().About("The id of a follow.")}}
}

// followID is the id in the path. An id that is no UUID names no follow.
func followID(r *http.Request) (id string, err error) {
	if !followPath(&id).ReadPath(r.PathValue) {
		return "", transcript.Errorf(transcript.NotFound, "There is no such follow.")
	}
	return id, nil
}

// OneFollow is the body of an answer about one follow.
type OneFollow struct {
	Follow batch.Follow `json:"follow"` // the present state of the follow
}

// FollowList is a page of follows.
type FollowList struct {
	Follows       []batch.Follow `json:"follows"`                 // the follows of the page, latest first
	NextPageToken string         `json:"nextPageToken,omitempty"` // for the next page; empty: there is no more
}

// FollowItems is a page of the items of a follow.
type FollowItems struct {
	Items         []batch.FollowItem `json:"items"`                   // the items of the page, newest first
	NextPageToken string             `json:"nextPageToken,omitempty"` // for the next page; empty: there is no more
}

// Pages of follows and of their items.
const (
	mostFollows  = 200
	usualFollows = 50
)

type followsQuery struct{ resource.Paging }

func (q *followsQuery) table() request.Table {
	return request.Table{Fields: q.Fields(mostFollows, usualFollows)}
}

type followItemsQuery struct{ resource.Paging }

func (q *followItemsQuery) table() request.Table {
	return request.Table{Fields: q.Fields(mostFollows, usualFollows)}
}

// listFollows is GET /v1/follows.
func (f *followed) listFollows(w http.ResponseWriter, r *http.Request) error {
	var q followsQuery
	query := q.table()
	if err := query.ReadQuery(r.URL.RawQuery); err != nil {
		return err
	}
	list := resource.ListingOf(r, query)
	before, err := list.Before(q.PageToken)
	if err != nil {
		return err
	}
	found, err := f.pipeline.Follows.List(r.Context(), edge.Principal(r).Account, before, q.MaxResults+1)
	if err != nil {
		return err
	}
	a := FollowList{Follows: found}
	if len(found) > q.MaxResults {
		a.Follows = found[:q.MaxResults]
		a.NextPageToken = list.Token(a.Follows[q.MaxResults-1].ID)
	}
	return edge.RespondJSON(w, http.StatusOK, a)
}

// getFollow is GET /v1/follows/{followId}.
func (f *followed) getFollow(w http.ResponseWriter, r *http.Request) error {
	id, err := followID(r)
	if err != nil {
		return err
	}
	found, err := f.pipeline.Follows.Get(r.Context(), edge.Principal(r).Account, id)
	if err != nil {
		return err
	}
	return edge.RespondJSON(w, http.StatusOK, OneFollow{*found})
}

// followChange is the body of PATCH /v1/follows/{followId}.
type followChange struct{ status batch.FollowStatus }

func (c *followChange) table() request.Table {
	return request.Table{
		Name: "ChangeFollowRequest",
		Fields: []*request.Field{
			// A failing status passes here, because changeFollow can say more about it.
			request.New("status", &c.status, request.Enum([]batch.FollowStatus{batch.FollowActive, batch.FollowPaused}, batch.FollowFailing)).Required().
				About("\"paused\" stops the looks; \"active\" lets the follow go on where it stopped."),
		},
	}
}

// changeFollow is PATCH /v1/follows/{followId}.
func (f *followed) changeFollow(w http.ResponseWriter, r *http.Request) error {
	var c followChange
	if media, present, err := edge.BodyType(r); err != nil {
		return err
	} else if present && media != "application/json" {
		return edge.Unsupported("Send the body as application/json, and say so in Content-Type.")
	}
	body, err := edge.ReadBody(w, r, edge.LargestBody)
	if err != nil {
		return err
	}
	table := c.table()
	if err := table.ReadJSON(body); err != nil {
		return err
	}
	if c.status == batch.FollowFailing {
		return request.Invalid(http.StatusUnprocessableEntity, transcript.Issue{
			Path: "status", Reason: transcript.IssueChoice, Message: "may be active or paused: the service alone finds out that a follow is failing",
		})
	}
	id, err := followID(r)
	if err != nil {
		return err
	}
	p := edge.Principal(r)
	changed, err := f.pipeline.Follows.Pause(context.WithoutCancel(r.Context()), p.Account, p.Plan, id, c.status == batch.FollowPaused)
	if err != nil {
		return err
	}
	return edge.RespondJSON(w, http.StatusOK, OneFollow{*changed})
}

// deleteFollow is DELETE /v1/follows/{followId}.
func (f *followed) deleteFollow(w http.ResponseWriter, r *http.Request) error {
	id, err := followID(r)
	if err != nil {
		return err
	}
	p := edge.Principal(r)
	if err := f.pipeline.Follows.Delete(context.WithoutCancel(r.Context()), p.Account, p.Plan, id); err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "private, no-cache")
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// listItems is GET /v1/follows/{followId}/items.
func (f *followed) listItems(w http.ResponseWriter, r *http.Request) error {
	var q followItemsQuery
	query := q.table()
	if err := query.ReadQuery(r.URL.RawQuery); err != nil {
		return err
	}
	list, before := resource.ListingOf(r, query), int64(0)
	if err := list.After(q.PageToken, &before); err != nil {
		return err
	}
	id, err := followID(r)
	if err != nil {
		return err
	}
	found, next, err := f.pipeline.Follows.Items(r.Context(), edge.Principal(r).Account, id, before, q.MaxResults)
	if err != nil {
		return err
	}
	a := FollowItems{Items: found}
	if next != 0 {
		a.NextPageToken = list.Token(next)
	}
	return edge.RespondJSON(w, http.StatusOK, a)
}
