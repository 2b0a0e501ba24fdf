package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// BatchService transcribes many links, a playlist or a channel as one batch. Its calls
// need a key with the scope "batches".
type BatchService struct{ client *Client }

// Create makes a batch and returns its first state. [BatchService.Wait] waits for its
// end. A link that names no content becomes a failed item. If the list has more items
// than the plan or the service allows, the error is an [*Error] with the code
// BATCH_LIMIT_EXCEEDED. If no link names any content, the error has the code of the
// first link's failure. If ctx ends before the answer arrives, Create takes up to 2 s
// more to ask for the batch. If it finds the batch, the error is a [*BatchWaitError].
func (s *BatchService) Create(ctx context.Context, p BatchParams, opts ...RequestOption) (*batch.Summary, error) {
	path, body, err := p.payload()
	if err != nil {
		return nil, err
	}
	answer, err := s.client.start(ctx, path, body, opts)
	if err != nil {
		return nil, err
	}
	made, err := decodeSummary(answer)
	if err == nil && answer.late != nil {
		last := batch.Job{ID: made.ID, Mode: made.Mode, Status: made.Status, Counts: made.Counts, CreatedAt: made.CreatedAt}
		return nil, &BatchWaitError{Batch: last, Err: answer.late}
	}
	return made, err
}

// Get returns the current state of the batch. Get returns no error for a failed batch:
// look at its Status.
func (s *BatchService) Get(ctx context.Context, id string, opts ...RequestOption) (*batch.Job, error) {
	page, _, err := s.read(ctx, id, held(0), opts)
	if err != nil {
		return nil, err
	}
	return &page.Batch, nil
}

// Items returns a page of the items of a batch, in their order. A page has p.Size
// items: 50 by default, 500 at most.
func (s *BatchService) Items(ctx context.Context, id string, p PageParams, opts ...RequestOption) (*Page[batch.Item], error) {
	page, _, err := s.read(ctx, id, p.query(), opts)
	if err != nil {
		return nil, err
	}
	return &Page[batch.Item]{Items: page.Items, Next: page.Next}, nil
}

// AllItems yields every item of a batch, in their order. It requests a page when the
// loop reaches it. An error is the last value of the sequence. Each range starts with
// the first item.
func (s *BatchService) AllItems(ctx context.Context, id string, opts ...RequestOption) iter.Seq2[batch.Item, error] {
	opts = slices.Clone(opts)
	return all(PageParams{Size: largestPage}, func(p PageParams) (*Page[batch.Item], error) { return s.Items(ctx, id, p, opts...) })
}

// largestPage is the largest page of items.
const largestPage = 500

// batchPage is a batch with a page of its items.
type batchPage struct {
	Batch batch.Job    `json:"batch"`
	Items []batch.Item `json:"items"`
	Next  string       `json:"nextPageToken"`
}

// read also returns how long the service asks to wait before the next question.
func (s *BatchService) read(ctx context.Context, id string, query url.Values, opts []RequestOption) (*batchPage, time.Duration, error) {
	path, err := batchPath(id)
	if err != nil {
		return nil, 0, err
	}
	answer, err := s.client.send(ctx, http.MethodGet, path+"?"+query.Encode(), payload{}, opts)
	if err != nil {
		return nil, 0, err
	}
	var page batchPage
	if err := answer.decode(&page); err != nil {
		return nil, 0, err
	}
	if page.Batch.ID == "" || page.Batch.Status == "" {
		return nil, 0, answer.malformed(errors.New("it has no batch with an id and a status"))
	}
	if page.Items == nil || slices.ContainsFunc(page.Items, func(i batch.Item) bool { return i.ID == "" || i.Status == "" }) {
		return nil, 0, answer.malformed(errors.New("it has no items, or an item has no id or no status"))
	}
	hint, _ := retryAfter(answer.Header) // 0 if the header is absent: the client's own pauses apply
	return &page, hint, nil
}

// BatchListParams select a page of the account's batches.
type BatchListParams struct {
	Status batch.Status // empty: every status
	PageParams
}

// List returns a page of the account's batches, newest first. A page has p.Size
// batches: 20 by default, 100 at most.
func (s *BatchService) List(ctx context.Context, p BatchListParams, opts ...RequestOption) (*Page[batch.Job], error) {
	query := p.query()
	if p.Status != "" {
		query.Set("status", string(p.Status))
	}
	answer, err := s.client.send(ctx, http.MethodGet, "/v1/batch?"+query.Encode(), payload{}, opts)
	if err != nil {
		return nil, err
	}
	var page struct {
		Batches *[]batch.Job `json:"batches"`
		Next    string       `json:"nextPageToken"`
	}
	if err := answer.decode(&page); err != nil {
		return nil, err
	}
	if page.Batches == nil || slices.ContainsFunc(*page.Batches, func(j batch.Job) bool { return j.ID == "" || j.Status == "" }) {
		return nil, answer.malformed(errors.New("it has no batches, or one without an id or a status"))
	}
	return &Page[batch.Job]{Items: *page.Batches, Next: page.Next}, nil
}

// All yields the account's batches, newest first, starting with the page that p names.
// It pages as [BatchService.AllItems] does.
func (s *BatchService) All(ctx context.Context, p BatchListParams, opts ...RequestOption) iter.Seq2[batch.Job, error] {
	opts = slices.Clone(opts)
	return all(p.PageParams, func(at PageParams) (*Page[batch.Job], error) {
		return s.List(ctx, BatchListParams{p.Status, at}, opts...)
	})
}

// Wait returns the batch when all its items have ended, even if some items have failed.
// It polls with requests that the service holds for some seconds, or until the batch
// ends. If the service does not hold them, Wait pauses between requests as
// [JobService.Wait] does, and it tolerates failed requests in the same way.
//
// If the batch failed as a whole or was cancelled, the error is a [*BatchError]. If the
// wait ends early, the error is a [*BatchWaitError] with the batch's last known state.
func (s *BatchService) Wait(ctx context.Context, id string, opts ...RequestOption) (*batch.Job, error) {
	if _, err := batchPath(id); err != nil {
		return nil, err
	}
	set, err := s.client.settings(opts)
	if err != nil {
		return nil, err
	}
	// An attempt must have time left for the answer.
	hold := min(longestHold, cmp.Or(set.attemptTimeout, s.client.http.Timeout, attemptTimeout)/2)
	last, err := poll[batch.Job]{
		ask: func() (batch.Job, time.Duration, error) {
			asked := time.Now()
			page, hint, err := s.read(ctx, id, held(hold), opts)
			if hold > 0 && ctx.Err() == nil && cutOff(err) {
				hold = 0 // a proxy in between does not allow held answers
				page, hint, err = s.read(ctx, id, held(hold), opts)
			}
			switch {
			case err != nil:
				return batch.Job{}, 0, err
			case hint == 0 && hold > 0 && time.Since(asked) >= hold/2:
				hint = atOnce
			}
			return page.Batch, hint, nil
		},
		ended: func(b batch.Job) bool { return b.Status.Terminal() },
		moved: func(before, now batch.Job) bool {
			return before.Counts != now.Counts || before.Status != now.Status
		},
	}.wait(ctx, batch.Job{ID: id}, false)
	switch {
	case err != nil:
		return nil, &BatchWaitError{Batch: last, Err: err}
	case last.Status != batch.Completed:
		return nil, &BatchError{Batch: last}
	}
	return &last, nil
}

// longestHold is how long the service holds an answer at most.
const longestHold = 10 * time.Second

// cutOff reports whether a question failed because its answer was held: an immediate
// answer might have arrived.
func cutOff(err error) bool {
	var refused *Error
	if errors.As(err, &refused) {
		return refused.Response.StatusCode == http.StatusGatewayTimeout
	}
	return err != nil
}

// held is the query for a batch without its items, whose answer may be held.
func held(wait time.Duration) url.Values {
	query := PageParams{Size: 1}.query()
	if wait > 0 {
		query.Set("waitMs", strconv.FormatInt(wait.Milliseconds(), 10))
	}
	return query
}

// RetryParams select the failed items that [BatchService.Retry] starts again. The zero
// value selects all items that are Retryable.
type RetryParams struct {
	// Items are the ids of items, at most 500. Retry starts only these items, even if
	// they are not Retryable.
	Items []string
	// Codes limits the retry to items that failed with one of these codes. The items
	// must also be Retryable or in Items.
	Codes []transcript.Code
}

// Retry starts failed items again, and reports which items it skipped. If the batch was
// cancelled, the error is an [*Error] with the code STATE_CONFLICT.
func (s *BatchService) Retry(ctx context.Context, id string, p RetryParams, opts ...RequestOption) (*batch.Retried, error) {
	data, err := json.Marshal(struct {
		Items []string          `json:"itemIds,omitempty"`
		Codes []transcript.Code `json:"codes,omitempty"`
	}{p.Items, p.Codes})
	if err != nil {
		return nil, fmt.Errorf("client: request body: %w", err)
	}
	answer, err := s.change(ctx, id, "/retry", jsonPayload(data), opts)
	if err != nil {
		return nil, err
	}
	var retried batch.Retried
	if err := answer.decode(&retried); err != nil {
		return nil, err
	}
	if retried.Batch.ID == "" || retried.Batch.Status == "" {
		return nil, answer.malformed(errors.New("it has no batch with an id and a status"))
	}
	return &retried, nil
}

// Cancel cancels the batch and returns it. No further item starts, and items that have
// started run to their end. If the batch has already ended, the error is an [*Error]
// with the code STATE_CONFLICT.
func (s *BatchService) Cancel(ctx context.Context, id string, opts ...RequestOption) (*batch.Summary, error) {
	answer, err := s.change(ctx, id, "/cancel", payload{}, opts)
	if err != nil {
		return nil, err
	}
	return decodeSummary(answer)
}

// Delete removes the record of a batch that has ended. The transcripts of its items
// stay in the library. If the batch still runs, the error is an [*Error] with the code
// STATE_CONFLICT: cancel the batch first.
func (s *BatchService) Delete(ctx context.Context, id string, opts ...RequestOption) error {
	path, err := batchPath(id)
	if err != nil {
		return err
	}
	_, err = s.client.send(ctx, http.MethodDelete, path, payload{}, opts)
	return err
}

func (s *BatchService) change(ctx context.Context, id, what string, p payload, opts []RequestOption) (*answer, error) {
	path, err := batchPath(id)
	if err != nil {
		return nil, err
	}
	return s.client.send(ctx, http.MethodPost, path+what, p, opts)
}

func decodeSummary(a *answer) (*batch.Summary, error) {
	var body struct {
		Batch batch.Summary `json:"batch"`
	}
	if err := a.decode(&body); err != nil {
		return nil, err
	}
	if body.Batch.ID == "" || body.Batch.Status == "" {
		return nil, a.malformed(errors.New("it has no batch with an id and a status"))
	}
	return &body.Batch, nil
}

func batchPath(id string) (string, error) {
	escaped, err := segment("batch id", id)
	if err != nil {
		return "", err
	}
	return "/v1/batch/" + escaped, nil
}
