package order

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Items of a page, and the most attempts that an item gets.
const (
	itemsShown   = 100
	mostAttempts = 10
)

// batchPage is a batch with a page of its items.
type batchPage struct {
	batch.Job
	Items       []batchItem
	FailedAlone bool   // whether only failed items are shown
	Page        string // the token of the page; empty: the first
	Next        string // the token of the next page; empty: none
	Reasons     []reason
	Retried     *retried     // the result of a retry that was just made; nil: none
	Passed      *web.Passed  // what was passed over in the pasted text; nil: nothing
	Trouble     *web.Trouble // why the playlist or channel could not be listed; nil: it was listed

	Export                 bool // whether the plan includes the export
	ActionLabel, ActionURL string
}

// batchItem is an item with the page of its text, and whether it may be retried.
type batchItem struct {
	batch.Item
	Link  string // to the item's content; empty: none
	Text  string // the page of its text; empty: none
	Again bool
}

// reason is a cause of failed items, and what a retry would do with them.
type reason struct {
	Code      transcript.Code
	Items     int
	Retryable int // that a retry would try again
	Exhausted int // that have no attempts left
}

// retried is the result of a retry.
type retried struct{ Again, Left int }

// Retryable returns how many items a retry of all would try again.
func (b batchPage) Retryable() (n int) {
	for _, r := range b.Reasons {
		n += r.Retryable
	}
	return n
}

// Formats returns the formats of an export.
func (batchPage) Formats() []batch.ExportFormat { return batch.ExportFormats() }

// one shows the progress of a batch, item by item.
func (p batches) one(r *web.Request) error {
	id := r.PathValue("id")
	job, err := p.API.Batches.Get(r.Context(), id)
	if err != nil {
		return err
	}
	shown := batchPage{Job: *job, FailedAlone: r.FormValue("show") == "failed", Page: r.FormValue("page"), Retried: retriedBefore(r.Request), Passed: web.PassedOver(r)}
	var failed []batch.Item
	if job.Failed > 0 {
		if failed, err = p.failedItems(r.Context(), id); err != nil {
			return err
		}
		shown.Reasons = reasonsOf(failed)
	}
	items := failed
	if !shown.FailedAlone {
		page, err := p.API.Batches.Items(r.Context(), id, client.PageParams{Size: itemsShown, Token: shown.Page})
		if err != nil {
			return err
		}
		items, shown.Next = page.Items, page.Next
	}
	for _, item := range items {
		shown.Items = append(shown.Items, itemShown(job, item))
	}
	if job.Error != nil {
		shown.Trouble = r.TroubleIn(job.Error)
	}
	who, _ := p.Accounts.Principal(r.Context(), r.Visitor().Account) // without a known plan nothing is permitted
	shown.Export, shown.ActionLabel, shown.ActionURL = who.Plan.BatchExport, who.Plan.ActionLabel, who.Plan.ActionURL
	return r.Show(http.StatusOK, "batch", shown)
}

// failedItems returns all failed items of a batch.
func (p batches) failedItems(ctx context.Context, id string) ([]batch.Item, error) {
	var failed []batch.Item
	for at := (client.PageParams{Size: web.MostItems}); ; {
		page, err := p.API.Batches.Items(ctx, id, at)
		if err != nil {
			return nil, err
		}
		for _, item := range page.Items {
			if item.Status == batch.ItemFailed {
				failed = append(failed, item)
			}
		}
		if at.Token = page.Next; at.Token == "" {
			return failed, nil
		}
	}
}

// reasonsOf counts the causes of failed items, the most frequent first.
func reasonsOf(failed []batch.Item) []reason {
	by := map[transcript.Code]reason{}
	for _, item := range failed {
		code := codeOf(item)
		r := by[code]
		r.Code = code
		r.Items++
		switch {
		case item.Attempts >= mostAttempts:
			r.Exhausted++
		case item.Retryable != nil && *item.Retryable:
			r.Retryable++
		}
		by[code] = r
	}
	return slices.SortedFunc(maps.Values(by), func(a, b reason) int {
		return cmp.Or(b.Items-a.Items, cmp.Compare(a.Code, b.Code))
	})
}

func codeOf(item batch.Item) transcript.Code {
	if item.Error == nil {
		return transcript.Internal
	}
	return *item.Error
}

func itemShown(job *batch.Job, item batch.Item) batchItem {
	shown := batchItem{Item: item}
	if item.SourceURL != nil {
		shown.Link = *item.SourceURL
	}
	switch item.Status {
	case batch.ItemSuccess:
		shown.Text = web.TextPath(item.Platform, item.ExternalID, item.Lang)
	case batch.ItemFailed:
		shown.Again = job.Status != batch.Cancelled && item.Attempts < mostAttempts
	}
	return shown
}

// retriedBefore returns the result of a retry from the page's address.
func retriedBefore(r *http.Request) *retried {
	again, err := strconv.Atoi(r.FormValue("retried"))
	if err != nil || again < 0 {
		return nil
	}
	left, _ := strconv.Atoi(r.FormValue("left")) // 0 if missing
	return &retried{again, max(left, 0)}
}

// retry retries failed items: all that may succeed, those with one cause, or one item.
func (p batches) retry(r *web.Request) error {
	var which client.RetryParams
	if item := r.PostFormValue("item"); item != "" {
		which.Items = []string{item}
	}
	if code := r.PostFormValue("code"); code != "" {
		which.Codes = []transcript.Code{transcript.Code(code)}
	}
	done, err := p.API.Batches.Retry(r.Context(), r.PathValue("id"), which)
	if err != nil {
		return err
	}
	to := url.Values{"retried": {strconv.Itoa(done.Retried)}}
	if len(done.NotRetried) > 0 && len(which.Items) == 0 {
		to.Set("left", strconv.Itoa(len(done.NotRetried)))
	}
	for _, name := range []string{"page", "show"} { // return to the page with the button
		if value := r.PostFormValue(name); value != "" {
			to.Set(name, value)
		}
	}
	return r.Redirect(pathOfBatch(r.PathValue("id")) + "?" + to.Encode())
}

// cancel cancels a batch: no further items begin.
func (p batches) cancel(r *web.Request) error {
	_, err := p.API.Batches.Cancel(r.Context(), r.PathValue("id"))
	return r.Done(err, pathOfBatch(r.PathValue("id")))
}

// remove deletes a batch. Its texts stay.
func (p batches) remove(r *web.Request) error {
	return r.Done(p.API.Batches.Delete(r.Context(), r.PathValue("id")), "/batches?deleted=1")
}
