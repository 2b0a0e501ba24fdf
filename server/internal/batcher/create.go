// Package batcher makes batches, submits their items, and ends them.
//
// A batch is processed in steps. If its items are not known yet, they are listed first
// (expand). Then the items are submitted like requests, several at a time (feed): each
// item is answered from the cache, or gets a job of the batch's account. When jobs end,
// settle ends the items that wait for them. Then it ends the batch or submits more items.
package batcher

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/limits"
	"github.com/transcriptkit/transcriptkit/server/internal/shortlink"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// Config is what Batches works with. All members are required, except Lists.
type Config struct {
	Store      *db.Store
	Cluster    *cluster.Cluster
	Lists      engine.ListSource // reads playlists and channels; nil means that this process cannot
	Sites      *site.Table
	ShortLinks *shortlink.Follower
	// DirectMedia permits links of no platform.
	DirectMedia bool
	Pauses      attempt.Pauses
	Log         *slog.Logger
	// Trace returns the trace of a request, which is stored with the batch.
	Trace func(context.Context) string
	// TakeUp prepares the submission of an item. The result submits it in a transaction.
	TakeUp func(context.Context, *db.Batch, *db.BatchItem) func(context.Context, *db.Tx) (Taken, error)
	// CancelJobs cancels the jobs of work that which returns in the transaction.
	CancelJobs func(ctx context.Context, work string, which func(context.Context, *db.Tx) ([]db.Job, error)) error
	// Ended is called in the transaction that ends a batch.
	Ended func(context.Context, *db.Tx, *db.Batch) error
}

// Taken is the answer to the submission of an item: a stored transcript, or a job.
type Taken struct {
	TranscriptID string
	Job          *db.Job
	Sound        bool // the item needs recognition
}

// Batches makes batches and works on them. A Batches is safe for concurrent use.
type Batches struct {
	cfg     Config
	store   *db.Store
	cluster *cluster.Cluster
	log     *slog.Logger
}

// New returns Batches for the configuration.
func New(c Config) *Batches {
	return &Batches{cfg: c, store: c.Store, cluster: c.Cluster, log: c.Log}
}

// The queues of the steps of batches.
const (
	ItemsQueue = "batches"
	ListsQueue = "lists"
)

// The limits of a batch under every plan.
const (
	MaxItems   = 500
	MaxEntries = 10 * MaxItems // including repeated ones
)

// maxExternalID is the largest number of characters of an entry's id that are stored.
const maxExternalID = 512

// Request is a valid request for a batch, of entries or of a list.
type Request struct {
	Account string
	Plan    account.Plan
	Mode    batch.Mode
	Entries []Entry
	List    *engine.List // nil means that the batch is made from the entries
	// Languages is the caller's list; nil if the request has none.
	Languages transcript.LanguageList
	MaxItems  int // 0 means all items
	// Admit is called once before the batch is made, outside of a transaction; its error is
	// the answer. nil admits every batch.
	Admit func(context.Context) error
	Key   *db.HeldKey // as of a Submission
}

// Create makes a batch, and its processing begins. Its errors have codes:
// BATCH_LIMIT_EXCEEDED if there are more entries than the plan or the service permits,
// the code of the first entry if no entry names a content, and NOT_IMPLEMENTED if no
// living process reads such lists.
func (bs *Batches) Create(ctx context.Context, r Request) (*batch.Job, error) {
	if l := r.List; l != nil && !bs.cluster.Team(ctx).Lists(l.Platform) {
		return nil, transcript.Errorf(transcript.NotImplemented, "This service cannot list the playlists and channels of %s.", l.Platform.Words())
	}
	b, err := bs.newBatch(ctx, r)
	if err != nil {
		return nil, err
	}
	items, err := itemsOf(b, r.Entries, nil)
	if err != nil {
		return nil, err
	}
	waits := func(i db.BatchItem) bool { return i.Status == batch.ItemPending }
	if len(items) > 0 && !slices.ContainsFunc(items, waits) {
		return nil, r.Entries[0].Err
	}
	if r.Admit != nil {
		if err := attempt.Guard(func() error { return r.Admit(ctx) }); err != nil {
			return nil, err
		}
	}
	err = bs.store.InTx(db.Sized(ctx, len(items)*itemBytes), func(ctx context.Context, tx *db.Tx) error {
		if err := tx.Batches.Insert(ctx, b); err != nil {
			return err
		}
		if err := tx.Items.Insert(ctx, items); err != nil {
			return err
		}
		if err := tx.Library.ShowBatch(ctx, b, platformOf(b, items)); err != nil {
			return err
		}
		if !b.Listed {
			if err := tx.Queue.Enqueue(ctx, expandArgs{Batch: b.ID}); err != nil {
				return err
			}
		}
		if b.Feeding {
			if err := tx.Queue.Enqueue(ctx, feedArgs{Batch: b.ID}); err != nil {
				return err
			}
		}
		return tx.Idempotency.Record(ctx, r.Key, db.Answer{Kind: db.BatchAnswer, ID: b.ID}, true)
	})
	if err != nil {
		return nil, fmt.Errorf("batches: making a batch: %w", err)
	}
	return view.BatchOf(&db.BatchState{Batch: *b, Shown: b.Status, Counts: countsOf(items)}), nil
}

// itemBytes is an upper bound for the size of an item in the database, including its
// entries in indexes.
const itemBytes = 2 << 10

// platformOf returns the platform that the library shows for a batch: the platform of its
// list, or of its first item.
func platformOf(b *db.Batch, items []db.BatchItem) transcript.Platform {
	if len(items) > 0 {
		return items[0].Platform
	}
	return cmp.Or(b.List.Platform, transcript.VideoSite)
}

// newBatch makes the batch of a request, without its items.
func (bs *Batches) newBatch(ctx context.Context, r Request) (*db.Batch, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("batches: making a batch: %w", err)
	}
	now := time.Now()
	b := &db.Batch{
		ID: id.String(), CreatedAt: now, UpdatedAt: now, Account: r.Account, Mode: r.Mode, Languages: r.Languages.String(),
		MaxItems: r.MaxItems, ItemLimit: MaxItems,
		Trace: bs.cfg.Trace(ctx), Status: batch.Pending, Listed: r.List == nil,
	}
	if r.Plan.BatchItems != account.Unlimited {
		b.ItemLimit = min(r.Plan.BatchItems, MaxItems)
	}
	b.Limits, b.CacheTTL = limits.OfItems(r.Plan, now), r.Plan.CacheTTL
	if r.List != nil {
		b.List = db.BatchList{Platform: r.List.Platform, Kind: string(r.List.Kind), ID: r.List.ID, URL: r.List.URL}
	}
	for _, entry := range r.Entries {
		if entry.Err == nil {
			b.Listed = b.Listed && !entry.Short
			b.Feeding = b.Feeding || !entry.Short
		}
	}
	return b, nil
}

// itemsOf returns the items of a batch for entries that are added to its current items.
// Repeated contents become skipped items. Entries beyond the caller's limit are left out.
func itemsOf(b *db.Batch, entries []Entry, have []db.BatchItem) ([]db.BatchItem, error) {
	if len(entries) > MaxEntries {
		return nil, tooMany(b, len(entries), MaxEntries)
	}
	seen := map[engine.Content]bool{} // without links
	for _, item := range have {
		seen[named(item)] = true
	}
	var items []db.BatchItem
	for _, entry := range entries {
		item := itemOf(b, entry)
		switch {
		case seen[named(item)]:
			item.Status, item.ItemEnd = batch.ItemSkipped, db.ItemEnd{}
		case b.MaxItems > 0 && len(seen) == b.MaxItems:
			continue
		}
		seen[named(item)] = true
		item.Position = len(have) + len(items) + 1
		items = append(items, item)
	}
	if len(seen) > min(b.ItemLimit, MaxItems) {
		return nil, tooMany(b, len(seen), b.ItemLimit)
	}
	return items, nil
}

// named is the content of an item. It identifies the item.
func named(i db.BatchItem) engine.Content {
	return engine.Content{Platform: i.Platform, ExternalID: i.ExternalID}
}

// itemOf makes the item of an entry.
func itemOf(b *db.Batch, entry Entry) db.BatchItem {
	item := db.BatchItem{
		BatchID:    b.ID,
		Platform:   cmp.Or(entry.Content.Platform, transcript.VideoSite),
		ExternalID: entry.Content.ExternalID,
		SourceURL:  entry.Content.URL,
		Short:      entry.Short,
		Status:     batch.ItemPending,
		UpdatedAt:  b.UpdatedAt,
	}
	if item.Short && item.ExternalID == "" {
		item.ExternalID = path.Base(item.SourceURL)
	}
	if long := []rune(item.ExternalID); len(long) > maxExternalID {
		item.ExternalID = string(long[:maxExternalID])
	}
	if entry.Err != nil {
		item.Short, item.Status, item.ItemEnd = false, batch.ItemFailed, failedItem(entry.Err)
	}
	return item
}

// failedItem ends an item with an error.
func failedItem(why *transcript.Error) db.ItemEnd {
	return db.ItemEnd{ErrorCode: why.Code, ErrorMessage: why.Message, Retryable: why.RetryableJob()}
}

// unprocessable is the status of a refusal that would be the same under every plan.
const unprocessable = 422

// tooMany refuses a batch of n entries. If the plan permits fewer entries than the
// service, the error says that another plan permits more. A playlist or channel is only
// read up to n entries, and may have more.
func tooMany(b *db.Batch, n, limit int) *transcript.Error {
	are, cure := fmt.Sprintf("these are %d", n), "Send the others in another one."
	if b.Mode != batch.Links {
		are, cure = "there are more", "Say how many to take at most: the first are taken."
	}
	e := limits.Refusal(b.Limits, transcript.BatchLimitExceeded, fmt.Sprintf("The plan permits %d items in a batch: %s. %s", limit, are, cure))
	if n > MaxItems {
		limit = max(limit, MaxItems)
		e = transcript.Errorf(transcript.BatchLimitExceeded, "A batch takes at most %d: %s. %s", limit, are, cure)
		e.Status = unprocessable
	}
	return e.With("requested", n).With("limit", limit)
}

func countsOf(items []db.BatchItem) (n batch.Counts) {
	n.Total = len(items)
	for _, item := range items {
		switch item.Status {
		case batch.ItemPending:
			n.Pending++
		case batch.ItemSuccess:
			n.Success++
		case batch.ItemFailed:
			n.Failed++
		}
	}
	return n
}

// Get returns the account's batch. The error is NOT_FOUND if the account has no such
// batch, even if another account has it.
func (bs *Batches) Get(ctx context.Context, account, id string) (*batch.Job, error) {
	b, err := bs.store.Batches.Owned(ctx, account, id)
	if err != nil {
		return nil, batchError("reading a batch", err)
	}
	return view.BatchOf(b), nil
}

// Wait returns the account's batch as soon as it has ended. If the wait ends first, it
// returns the current state of the batch. The error is NOT_FOUND as for Get.
func (bs *Batches) Wait(waiting context.Context, account, id string) (*batch.Job, error) {
	ctx := context.WithoutCancel(waiting) // the answer is read even if the caller has disconnected
	wake, stop := bs.store.Watch(id)
	defer stop()
	for {
		b, err := bs.Get(ctx, account, id)
		if err != nil || b.Status.Terminal() || waiting.Err() != nil || !attempt.Rest(waiting, wake) {
			return b, err
		}
	}
}

// Page is a batch with some of its items, all from the same moment.
type Page struct {
	Batch *batch.Job
	Items []batch.Item
	Next  int // the position at which the next page begins; 0 if there are no more items
}

// Page returns the account's batch with at most n of its items, in order: those after the
// given position, which is 0 at first. The error is NOT_FOUND as for Get.
func (bs *Batches) Page(ctx context.Context, account, id string, after, n int) (*Page, error) {
	var b *db.BatchState
	var found []db.ItemState
	err := bs.store.Snapshot(ctx, func(ctx context.Context, r db.Reader) (err error) {
		if b, err = r.Batches.Owned(ctx, account, id); err == nil {
			found, err = r.Items.Page(ctx, account, id, after, n+1)
		}
		return err
	})
	if err != nil {
		return nil, batchError("reading a batch", err)
	}
	page := &Page{Batch: view.BatchOf(b)}
	if len(found) > n {
		found = found[:n]
		page.Next = found[n-1].Position
	}
	page.Items = make([]batch.Item, len(found))
	for i := range found {
		page.Items[i] = view.ItemOf(&b.Batch, &found[i])
	}
	return page, nil
}

// List returns at most n batches of the account, newest first. If status is not
// empty, Batches returns only batches with this status. If before is not empty, Batches
// returns only batches that are older than the batch with this id.
func (bs *Batches) List(ctx context.Context, account string, status batch.Status, before string, n int) ([]batch.Job, error) {
	found, err := bs.store.Batches.Page(ctx, account, status, before, n)
	if err != nil {
		return nil, batchError("listing batches", err)
	}
	jobs := make([]batch.Job, len(found))
	for i := range found {
		jobs[i] = *view.BatchOf(&found[i])
	}
	return jobs, nil
}

// batchError converts the error of a question about a batch for its caller.
func batchError(doing string, err error) error {
	if errors.Is(err, db.ErrNotFound) {
		return transcript.Errorf(transcript.NotFound, "There is no such batch.")
	}
	return fmt.Errorf("batches: %s: %w", doing, err)
}
