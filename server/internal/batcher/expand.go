package batcher

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/server/internal/shortlink"
	"github.com/transcriptkit/transcriptkit/server/internal/throttle"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	// ExpandTimeout is long enough for 500 short links that do not answer.
	ExpandTimeout = 15 * time.Minute
	// FeedTimeout is long enough for the items that a step submits.
	FeedTimeout = 5 * time.Minute
	// followers is how many short links of a batch are resolved at the same time, and
	// followed is how many are resolved before their targets are stored.
	followers    = 8
	followedOnce = 64
	// expandSettleTimeout limits how long the fault of an expansion waits for the database.
	expandSettleTimeout = time.Minute
)

// expandArgs is the step that lists the items of a batch, and resolves their short links.
type expandArgs struct {
	Batch string `json:"batch"`
	// Failed is the number of failed attempts. WaitingSince is when the step began to wait for a
	// platform that blocks, or for a part of the service, by the database's clock. A batch can
	// fail only because of its list, so its step counts attempts by itself.
	Failed       int        `json:"failed,omitempty"`
	WaitingSince *time.Time `json:"waitingSince,omitempty"`
}

func (expandArgs) Kind() string  { return "expand" }
func (expandArgs) Queue() string { return ListsQueue }

// Expand finds the items of a batch. It may run twice, even at the same time, because the
// batch accepts its items once.
func (bs *Batches) Expand(ctx context.Context, w queue.Row, step expandArgs) error {
	ctx = db.Unhurried(ctx)
	b, err := bs.store.Batches.ByID(ctx, step.Batch)
	switch {
	case errors.Is(err, db.ErrNotFound): // it was deleted
		return nil
	case err != nil:
		return err // the queue runs the step again
	case unwanted(b):
		return nil
	case b.List.URL != "" && bs.cluster.OnlyOthers(ctx, func(t cluster.Team) bool { return t.Lists(b.List.Platform) }):
		return bs.expandAgain(ctx, w, step, nil, cluster.ElsewherePause)
	}
	err = bs.whileOpen(throttle.InLine(ctx, b.ID, cmp.Or(b.Limits.Turn, b.Account)), b.ID, func(ctx context.Context) error {
		return attempt.Guard(func() error {
			if b.List.URL == "" {
				return bs.followLinks(ctx, b)
			}
			return bs.listBatch(ctx, b)
		})
	})
	switch {
	case err == nil, errors.Is(err, attempt.ErrUnwanted):
		return nil
	case errors.Is(ctx.Err(), context.Canceled):
		return fmt.Errorf("batches: the service stops: %w", context.Canceled) // puts the step back into the queue (queue.Runner)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = fmt.Errorf("batches: the step took too long: %v", err) //nolint:errorlint // it is not to be found
	}
	return bs.expandFault(context.WithoutCancel(ctx), w, step, err)
}

// unwanted reports that a batch no longer needs its list.
func unwanted(b *db.Batch) bool { return b.Listed || b.Status.Terminal() }

// whileOpen is whileWanted for a batch.
func (bs *Batches) whileOpen(ctx context.Context, batch string, fn func(context.Context) error) error {
	return attempt.WhileWanted(ctx, bs.store, batch, func(ctx context.Context) bool {
		b, err := bs.store.Batches.ByID(ctx, batch)
		return err == nil && unwanted(b) || errors.Is(err, db.ErrNotFound)
	}, fn)
}

// listBatch reads the playlist or channel of a batch and stores its items.
func (bs *Batches) listBatch(ctx context.Context, b *db.Batch) error {
	if bs.cfg.Lists == nil || !bs.cfg.Lists.Lists(b.List.Platform) {
		return transcript.Errorf(transcript.NotImplemented, "This service cannot read playlists and channels.")
	}
	want := b.ItemLimit + 1
	if b.MaxItems > 0 {
		want = min(want, b.MaxItems)
	}
	list, err := bs.readList(ctx, b.List, want)
	if err != nil {
		return err
	}
	var entries []Entry
	for _, e := range list.Entries {
		entries = append(entries, bs.listed(b.List.Platform, e))
	}
	return bs.onBatch(ctx, b.ID, func(ctx context.Context, tx *db.Tx, b *db.Batch) error {
		if unwanted(b) {
			return nil
		}
		b.Title = list.Title
		if err := tx.Library.RetitleBatch(ctx, b); err != nil {
			return err
		}
		if b.MaxItems == 0 && !list.Last && len(entries) > b.ItemLimit {
			return bs.failBatch(ctx, tx, b, tooMany(b, len(entries), b.ItemLimit))
		}
		return bs.expanded(ctx, tx, b, entries)
	})
}

// readList reads at most the first n entries of a list.
func (bs *Batches) readList(ctx context.Context, list db.BatchList, n int) (engine.ListPage, error) {
	l := engine.List{Platform: list.Platform, Kind: engine.ListKind(list.Kind), ID: list.ID, URL: list.URL}
	var all engine.ListPage
	for len(all.Entries) < n && !all.Last {
		page, err := bs.cfg.Lists.List(ctx, l, len(all.Entries), n-len(all.Entries))
		if err != nil {
			return all, err
		}
		if len(page.Entries) == 0 && !page.Last {
			return all, transcript.Errorf(transcript.UpstreamFailed, "The platform does not say how the list goes on.")
		}
		if all.Title == "" {
			all.Title = page.Title
		}
		if more := n - len(all.Entries); len(page.Entries) > more { // so many were not requested
			page.Entries, page.Last = page.Entries[:more], false
		}
		all.Entries, all.Last = append(all.Entries, page.Entries...), page.Last
	}
	return all, nil
}

// listed is an entry of a list. If an entry names no content, it becomes a failed item.
func (bs *Batches) listed(platform transcript.Platform, e engine.ListEntry) Entry {
	if match, err := bs.cfg.Sites.Content(platform, e.ID); err == nil {
		return Entry{Content: engine.Content{Platform: match.Platform, ExternalID: match.ExternalID, URL: match.URL}}
	}
	if e.URL == "" {
		e.URL = e.ID
	}
	return bs.EntryOf(e.URL)
}

// followLinks resolves the short links of a batch that have not been resolved.
func (bs *Batches) followLinks(ctx context.Context, b *db.Batch) error {
	for {
		short, err := bs.store.Items.ShortLinks(ctx, b.ID)
		if err != nil {
			return err
		}
		ends := bs.followAll(ctx, short[:min(len(short), followedOnce)])
		if ctx.Err() != nil {
			return context.Cause(ctx) // nothing is known about links that were not resolved because of this
		}
		var done bool
		err = bs.onBatch(ctx, b.ID, func(ctx context.Context, tx *db.Tx, b *db.Batch) error {
			err := bs.followed(ctx, tx, b, ends)
			done = unwanted(b)
			return err
		})
		if err != nil || done {
			return err
		}
	}
}

// followAll resolves short links, and returns their targets by the ids of the items.
func (bs *Batches) followAll(ctx context.Context, items []db.BatchItem) map[string]Entry {
	ends := map[string]Entry{}
	var mu sync.Mutex
	var all sync.WaitGroup
	places := make(chan struct{}, followers)
	for _, item := range items {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			end := bs.followOne(ctx, item)
			mu.Lock()
			defer mu.Unlock()
			ends[item.ID] = end
		})
	}
	all.Wait()
	return ends
}

func (bs *Batches) followOne(ctx context.Context, item db.BatchItem) (end Entry) {
	ctx, cancel := context.WithTimeout(ctx, shortlink.Patience)
	defer cancel()
	match, err := bs.cfg.ShortLinks.Follow(ctx, item.SourceURL)
	if err != nil {
		return Entry{Err: attempt.Coded(err)}
	}
	return Entry{Content: engine.Content{Platform: match.Platform, ExternalID: match.ExternalID, URL: match.URL}}
}

// expandFault decides what an error of an expansion causes, as fault does for other
// steps. A permanent error ends the batch, or the items with short links.
func (bs *Batches) expandFault(ctx context.Context, w queue.Row, step expandArgs, cause error) error {
	ctx, cancel := context.WithTimeout(ctx, expandSettleTimeout)
	defer cancel()
	coded := attempt.OfJob(cause)
	bs.log.WarnContext(ctx, "a batch could not be listed", "batch", step.Batch, "attempt", step.Failed+1, "err", cause)
	now, err := bs.store.Now(ctx)
	if err != nil {
		return err // the queue runs the step again
	}
	why := attempt.Last(coded, step.Failed+1, now)
	waits := coded.Code == transcript.IPBlocked || coded.Code == transcript.ServiceUnavailable
	switch {
	case waits && bs.cfg.Pauses.MayWait(step.WaitingSince, now):
		pause := bs.cfg.Pauses.UntilNextLook(step.WaitingSince, coded, now)
		if step.WaitingSince == nil {
			step.WaitingSince = &now
		}
		return bs.expandAgain(ctx, w, step, why, pause)
	case attempt.Transient(coded.Code) && step.Failed+1 < attempt.MaxAttempts:
		step.Failed, step.WaitingSince = step.Failed+1, nil
		return bs.expandAgain(ctx, w, step, why, bs.cfg.Pauses.UntilNextAttempt(step.Failed, coded))
	}
	return bs.onBatch(ctx, step.Batch, func(ctx context.Context, tx *db.Tx, b *db.Batch) error {
		if b.List.URL == "" {
			return bs.leadNowhere(ctx, tx, b, coded)
		}
		b.LastError = why
		return bs.failBatch(ctx, tx, b, coded)
	})
}

// expandAgain queues an expansion again after a pause, and finishes the current run. why is the
// reason that the owner of the batch sees meanwhile; nil means that nothing has failed.
func (bs *Batches) expandAgain(ctx context.Context, w queue.Row, again expandArgs, why *transcript.LastError, pause time.Duration) error {
	return bs.onBatch(ctx, again.Batch, func(ctx context.Context, tx *db.Tx, b *db.Batch) error {
		if unwanted(b) {
			return nil
		}
		if why != nil {
			b.LastError = why
			if err := tx.Batches.Save(ctx, b); err != nil {
				return err
			}
		}
		_, err := tx.Queue.RunAgain(ctx, w, again, pause)
		return err
	})
}
