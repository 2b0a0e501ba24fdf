package batcher

import (
	"context"
	"errors"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// expanded gives a batch the items of its list. The transaction has locked the batch. A
// batch that no longer waits for its list stays as it is. A batch with too many items
// fails.
func (bs *Batches) expanded(ctx context.Context, tx *db.Tx, b *db.Batch, entries []Entry) error {
	if b.Listed || b.Status.Terminal() {
		return nil
	}
	items, err := itemsOf(b, entries, nil)
	var tooMany *transcript.Error
	if errors.As(err, &tooMany) {
		return bs.failBatch(ctx, tx, b, tooMany)
	}
	if err := tx.Items.Insert(ctx, items); err != nil {
		return err
	}
	b.Listed, b.LastError = true, nil
	return bs.resume(ctx, tx, b)
}

// failBatch ends a batch whose list cannot be read. The transaction has locked the batch.
func (bs *Batches) failBatch(ctx context.Context, tx *db.Tx, b *db.Batch, why *transcript.Error) error {
	if b.Listed || b.Status.Terminal() {
		return nil
	}
	b.Status, b.Error, b.Listed = batch.Failed, attempt.OfJob(why), true
	if err := tx.Batches.Save(ctx, b); err != nil {
		return err
	}
	return bs.cfg.Ended(ctx, tx, b)
}

// followed stores the targets of short links of a batch, by the ids of their items. The
// transaction has locked the batch. If a link cannot be resolved now, its item fails with
// the short link; a retry resolves the link again.
func (bs *Batches) followed(ctx context.Context, tx *db.Tx, b *db.Batch, ends map[string]Entry) error {
	if b.Listed || b.Status.Terminal() {
		return nil
	}
	items, err := tx.Items.All(ctx, b.ID)
	if err != nil {
		return err
	}
	seen := map[engine.Content]bool{}
	for _, item := range items {
		if _, led := ends[item.ID]; !led {
			seen[named(item)] = true
		}
	}
	b.Listed, b.LastError = true, nil
	for i := range items {
		item := &items[i]
		if item.Status != batch.ItemPending || !item.Short {
			continue
		}
		end, led := ends[item.ID]
		if !led {
			b.Listed = false
			continue
		}
		arrive(item, end, seen)
		seen[named(*item)] = true
		if err := tx.Items.SetContent(ctx, item); err != nil {
			return err
		}
	}
	return bs.resume(ctx, tx, b)
}

// leadNowhere ends the items of a batch whose short links cannot be resolved. It does not
// change the other items.
func (bs *Batches) leadNowhere(ctx context.Context, tx *db.Tx, b *db.Batch, why *transcript.Error) error {
	short, err := tx.Items.ShortLinks(ctx, b.ID)
	if err != nil {
		return err
	}
	ends := map[string]Entry{}
	for _, item := range short {
		ends[item.ID] = Entry{Err: why}
	}
	return bs.followed(ctx, tx, b, ends)
}

// arrive stores the target of the short link of an item.
func arrive(item *db.BatchItem, end Entry, seen map[engine.Content]bool) {
	if end.Err != nil {
		item.Status, item.ItemEnd = batch.ItemFailed, failedItem(end.Err)
		if item.Retryable {
			item.Attempts++
			return
		}
	} else if c := end.Content; seen[engine.Content{Platform: c.Platform, ExternalID: c.ExternalID}] {
		item.Status = batch.ItemSkipped
	}
	item.Short = false
	if end.Content.ExternalID != "" {
		item.Platform, item.ExternalID, item.SourceURL = end.Content.Platform, end.Content.ExternalID, end.Content.URL
	}
}
