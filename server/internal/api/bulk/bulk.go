// Package bulk has the routes of batches: many links, a playlist or a channel at once, and the
// export of their texts. Package batcher makes the decisions and does the work.
package bulk

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Batches makes, shows and changes the batches of an account.
type Batches struct{ *resource.Shared }

// Routes are the routes of batches and of their exports.
func (b *Batches) Routes() []edge.Route {
	changes := resource.PostCodes()
	return []edge.Route{
		b.createBatchRoute(),
		{
			Method: http.MethodGet, Pattern: "/v1/batch",
			Operation: "listBatches", Tag: "batches",
			Summary: "List the batches of the account, newest first.",
			Scope:   account.Batches, Handle: b.listBatches,
			Query:   new(batchesQuery).table(),
			Answers: []edge.Answer{{Status: http.StatusOK, Body: BatchList{}}},
			Codes:   []transcript.Code{transcript.InvalidRequest},
		},
		{
			Method: http.MethodGet, Pattern: "/v1/batch/{batchId}",
			Operation: "getBatch", Tag: "batches",
			Summary: "Read a batch, and a page of its items.",
			Scope:   account.Batches, Polls: true, Handle: b.getBatch,
			Path: byID.Path(new(string)), Query: new(batchQuery).table(),
			Answers: []edge.Answer{{Status: http.StatusOK, Body: BatchPage{}, Headers: []edge.Header{edge.HeaderMayRetryAfter}}},
			Codes:   []transcript.Code{transcript.InvalidRequest, transcript.NotFound},
		},
		{
			Method: http.MethodPost, Pattern: "/v1/batch/{batchId}/retry",
			Operation: "retryBatch", Tag: "batches",
			Summary: "Repeat failed items.",
			Scope:   account.Batches, Handle: b.retryBatch,
			Path: byID.Path(new(string)), Body: new(retryRequest).table(), BodyOptional: true,
			Answers: []edge.Answer{{Status: http.StatusAccepted, Body: batch.Retried{}, Headers: []edge.Header{edge.HeaderLocation, edge.HeaderRetryAfter, edge.HeaderReplayed}}},
			Codes:   changes,
		},
		{
			Method: http.MethodPost, Pattern: "/v1/batch/{batchId}/cancel",
			Operation: "cancelBatch", Tag: "batches",
			Summary: "Cancel the waiting items of a batch. Started items continue.",
			Scope:   account.Batches, Handle: b.cancelBatch,
			Path:    byID.Path(new(string)),
			Answers: []edge.Answer{{Status: http.StatusAccepted, Body: AcceptedBatch{}, Headers: []edge.Header{edge.HeaderLocation, edge.HeaderReplayed}}},
			Codes:   changes,
		},
		{
			Method: http.MethodDelete, Pattern: "/v1/batch/{batchId}",
			Operation: "deleteBatch", Tag: "batches",
			Summary: "Delete a batch that has ended. The transcripts of its items stay.",
			Scope:   account.Batches, Handle: byID.Delete(b.Pipeline.Batches.Delete),
			Path:    byID.Path(new(string)),
			Answers: []edge.Answer{{Status: http.StatusNoContent}},
			Codes:   []transcript.Code{transcript.NotFound, transcript.StateConflict},
		},
		b.exportRoute(),
	}
}

// byID names batches in paths.
var byID = resource.One{Param: "batchId", About: "The id of a batch.", None: "There is no such batch."}

// BatchList is a page of batches.
type BatchList struct {
	Batches       []batch.Job `json:"batches"`                 // the batches of the page, latest first
	NextPageToken string      `json:"nextPageToken,omitempty"` // for the next page; empty means that there is no more
}

// batchesQuery is the query of GET /v1/batch.
type batchesQuery struct {
	resource.Paging
	status batch.Status // empty means any
}

// Pages of batches, in batches.
const (
	mostBatches  = 100
	usualBatches = 20
)

func (q *batchesQuery) table() request.Table {
	return request.Table{Fields: append(
		q.Fields(mostBatches, usualBatches),
		request.New("status", &q.status, request.Enum([]batch.Status{batch.Pending, batch.Processing, batch.Completed, batch.Failed, batch.Cancelled})).About("Only batches with this status."),
	)}
}

// listBatches is GET /v1/batch.
func (b *Batches) listBatches(w http.ResponseWriter, r *http.Request) error {
	var q batchesQuery
	return resource.Newest(w, r, q.table(), &q.Paging, func(before string, most int) ([]batch.Job, error) {
		return b.Pipeline.Batches.List(r.Context(), edge.Principal(r).Account, q.status, before, most)
	}, func(j batch.Job) string { return j.ID }, func(page []batch.Job, next string) any { return BatchList{page, next} })
}

// BatchPage is a batch and a page of its items.
type BatchPage struct {
	Batch         batch.Job    `json:"batch"`                   // the current state of the batch
	Items         []batch.Item `json:"items"`                   // a page of its items, in the order of the request
	NextPageToken string       `json:"nextPageToken,omitempty"` // for the next page; empty means that there is no more
}

// Pages of items, in items.
const (
	mostItems  = 500
	usualItems = 50
)

// batchQuery is the query of GET /v1/batch/{batchId}.
type batchQuery struct {
	resource.Paging
	wait time.Duration
}

func (q *batchQuery) table() request.Table {
	return request.Table{Fields: append(
		q.Fields(mostItems, usualItems),
		request.New("waitMs", &q.wait, request.Milliseconds(resource.MaxWait).Default(0)).
			About("Milliseconds to wait for the end of the batch."),
	)}
}

// batchPoll is the Retry-After of a batch that has not ended, in seconds.
const batchPoll = 2

// getBatch is GET /v1/batch/{batchId}.
func (b *Batches) getBatch(w http.ResponseWriter, r *http.Request) error {
	var q batchQuery
	if err := q.table().ReadQuery(r.URL.RawQuery); err != nil {
		return err
	}
	id, unknown := byID.ID(r)
	list := resource.ListingOf(r, request.Table{}) // a token is valid for every page size and every wait
	if unknown != nil {
		return cmp.Or(list.After(q.PageToken, new(int)), unknown)
	}
	a, waitedFor, err := b.page(r.Context(), edge.Principal(r), id, list, &q)
	if err != nil {
		return err
	}
	if !a.Batch.Status.Terminal() && !waitedFor {
		w.Header().Set("Retry-After", strconv.Itoa(batchPoll))
	}
	return edge.RespondJSON(w, http.StatusOK, a)
}

// page returns a page of a batch, and reports whether it has waited for the end of the
// batch.
func (b *Batches) page(ctx context.Context, p account.Principal, id string, list resource.Listing, q *batchQuery) (_ *BatchPage, waitedFor bool, err error) {
	after := 0
	if err := list.After(q.PageToken, &after); err != nil {
		return nil, false, err
	}
	if waitedFor, err = b.waitForBatch(ctx, p, id, q.wait); err != nil {
		return nil, false, err
	}
	page, err := b.Pipeline.Batches.Page(ctx, p.Account, id, after, q.MaxResults)
	if err != nil {
		return nil, false, err
	}
	a := &BatchPage{Batch: *page.Batch, Items: page.Items}
	if page.Next > 0 {
		a.NextPageToken = list.Token(page.Next)
	}
	return a, waitedFor, nil
}

// waitForBatch returns when a batch has ended or the time has passed, and reports whether
// it has waited. The wait counts as an event stream. If the account has no stream left, or
// the service stops, waitForBatch does not wait.
func (b *Batches) waitForBatch(ctx context.Context, p account.Principal, id string, wait time.Duration) (waitedFor bool, err error) {
	if wait == 0 {
		return false, nil
	}
	closed, ok := b.Streams.Take(ctx, p)
	if !ok {
		return false, nil
	}
	defer closed()
	serving, stop := b.Lifetime.Until(ctx)
	defer stop()
	waiting, cancel := b.Timeout(serving, wait)
	defer cancel()
	defer edge.Waiting(ctx)()
	_, err = b.Pipeline.Batches.Wait(waiting, p.Account, id)
	return serving.Err() == nil, err
}

// AcceptedBatch is the body of a 202 about a batch.
type AcceptedBatch struct {
	Batch batch.Summary `json:"batch"` // the current state of the batch
}

// batchReply is the answer about a batch that was made or changed.
func (b *Batches) batchReply(job *batch.Job) (edge.Reply, error) {
	return edge.ReplyJSON(http.StatusAccepted, b.batchHeader(job.ID), accepted(job))
}

func accepted(job *batch.Job) AcceptedBatch { return AcceptedBatch{view.SummaryOf(job)} }

func (b *Batches) batchHeader(id string) map[string]string {
	return map[string]string{"Location": b.BasePath + "/v1/batch/" + id, "Retry-After": strconv.Itoa(batchPoll)}
}

// cancelBatch is POST /v1/batch/{batchId}/cancel.
func (b *Batches) cancelBatch(w http.ResponseWriter, r *http.Request) error {
	return resource.Post[*batch.Job]{
		Body: resource.NoBody,
		Do:   b.Pipeline.Batches.Cancel,
		Again: func(ctx context.Context, owner string, a db.Answer) (*batch.Job, error) {
			return b.Pipeline.Batches.Get(ctx, owner, a.ID)
		},
		Reply: func(job *batch.Job) (edge.Reply, error) {
			header := b.batchHeader(job.ID)
			delete(header, "Retry-After") // there is nothing to wait for
			return edge.ReplyJSON(http.StatusAccepted, header, accepted(job))
		},
	}.Answer(b.Edge, byID, w, r)
}
