package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/fault"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// feedArgs is the step that takes up items of a batch.
type feedArgs struct {
	Batch string `json:"batch"`
}

func (feedArgs) Kind() string  { return "feed" }
func (feedArgs) Queue() string { return queueBatches }

const (
	// feedWindow is how many items of a batch are under way at once: enough for the
	// workers of several processes. Items to be recognized do not count, because the
	// places of their accounts bound them.
	feedWindow = 64
	// feedBelow is how few are under way when others are taken up.
	feedBelow = feedWindow / 2
)

// feed takes up items of a batch, as many as the window has room for. It may run
// twice, also at the same time: an item gets one claim.
func (p *Pipeline) feed(ctx context.Context, _ db.Work, step feedArgs) error {
	ctx = db.Unhurried(ctx)
	b, err := p.store.Batches.ByID(ctx, step.Batch)
	switch {
	case errors.Is(err, db.ErrNotFound): // it was deleted
		return nil
	case err != nil:
		return err
	case b.Status == batch.Cancelled:
		return p.abandon(ctx, b)
	}
	open, err := p.store.Items.Open(ctx, b.ID, feedWindow)
	if err != nil {
		return err
	}
	var items []db.BatchItem
	if room := feedWindow - open.UnderWay; room > 0 {
		if items, err = p.store.Items.Unclaimed(ctx, b.ID, room); err != nil {
			return err
		}
	}
	for i := range items {
		if errors.Is(ctx.Err(), context.Canceled) {
			return fmt.Errorf("pipeline: the service stops: %w", context.Canceled) // gives the step back (db.Runner)
		}
		if err := p.takeUpItem(ctx, b, &items[i]); err != nil {
			return err // it passes: the step is run again
		}
	}
	return p.onBatch(ctx, b.ID, func(ctx context.Context, tx *db.Tx, b *db.Batch) error {
		b.Feeding = false
		return p.resume(ctx, tx, b)
	})
}

// takeUpItem submits an item of a batch. Its errors are those that pass: any other is
// the end of the item, and of nothing else.
func (p *Pipeline) takeUpItem(ctx context.Context, b *db.Batch, item *db.BatchItem) error {
	s := p.submissionOf(ctx, b, item)
	err := p.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		found, job, _, err := p.accept(ctx, tx, s)
		switch {
		case err != nil:
			return err
		case found != nil:
			return p.endItem(ctx, tx, item, batch.ItemSuccess, db.ItemEnd{TranscriptID: found.ID})
		case job.State.Status.Terminal(): // it has been judged
			return p.endItem(ctx, tx, item, batch.ItemFailed, failedItem(job.Error))
		}
		sound := !s.captionsFirst(s.subject()) || beyondCaptions(job.State)
		return tx.Items.SetJob(ctx, item.ID, job, sound)
	})
	switch coded := (*transcript.Error)(nil); {
	case err == nil, errors.Is(err, db.ErrNotFound): // it was canceled, or another run has it
		return nil
	case fault.Own(err), errors.Is(err, transcript.ServiceUnavailable), ctx.Err() != nil:
		return fmt.Errorf("pipeline: taking up an item: %w", err)
	case !errors.As(err, &coded):
		p.log.ErrorContext(ctx, "an item of a batch could not be taken up", "batch", b.ID, "item", item.ID, "err", err)
	}
	err = p.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		return p.endItem(ctx, tx, item, batch.ItemFailed, failedItem(fault.OfJob(err)))
	})
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	return err
}

// submissionOf is an item as a submission.
func (p *Pipeline) submissionOf(ctx context.Context, b *db.Batch, item *db.BatchItem) Submission {
	s := Submission{
		Account: b.Account,
		Content: engine.Content{Platform: item.Platform, ExternalID: item.ExternalID, URL: item.SourceURL},
		terms:   terms{limits: b.Limits, ttl: b.CacheTTL, trace: b.Trace},
		team:    p.cluster.Team(ctx),
		item:    item,
	}
	if b.Languages != "" {
		// Only canonical lists are stored, which always can be read.
		s.Languages, _ = transcript.ParseLanguageList(b.Languages)
	}
	s.Languages = s.narrow()
	return s
}

// endItem ends an item that has no claim. ErrNotFound: it waits no more.
func (p *Pipeline) endItem(ctx context.Context, tx *db.Tx, item *db.BatchItem, status batch.ItemStatus, end db.ItemEnd) error {
	b, err := tx.Batches.Lock(ctx, item.BatchID)
	if err != nil {
		return err
	}
	if err := tx.Items.End(ctx, item.ID, status, end); err != nil {
		return err
	}
	return p.goOn(ctx, tx, b)
}

// endItems ends the items that wait for ended claims. The transaction has written the
// whole end except its cost. endItems returns the claims whose end no item or request
// waits for: their items were skipped when their batch was canceled.
func (p *Pipeline) endItems(ctx context.Context, tx *db.Tx, claims []db.Job, end db.End) (forNobody []string, err error) {
	batches, err := lockBatches(ctx, tx, claims)
	if err != nil {
		return nil, err
	}
	ids := batched(claims)
	status, how := itemEnd(end)
	var waited []string
	for i := range batches {
		b := &batches[i]
		ended, err := tx.Items.EndClaimed(ctx, b.ID, ids, status, how)
		if err != nil {
			return nil, err
		}
		waited = append(waited, ended...)
		if err := p.goOn(ctx, tx, b); err != nil {
			return nil, err
		}
	}
	for _, c := range claims {
		if c.Batched && !c.Asked && !slices.Contains(waited, c.ID) {
			forNobody = append(forNobody, c.ID)
		}
	}
	return forNobody, nil
}

// itemEnd is what the end of a claim means for an item that waits for it.
func itemEnd(end db.End) (batch.ItemStatus, db.ItemEnd) {
	switch {
	case end.Status == transcript.JobSuccess:
		return batch.ItemSuccess, db.ItemEnd{TranscriptID: end.TranscriptID}
	case end.Error != nil:
		return batch.ItemFailed, failedItem(end.Error)
	}
	return batch.ItemFailed, failedItem(transcript.Errorf(transcript.StateConflict, "The job was cancelled."))
}

// lockBatches locks the batches whose items wait for claims.
func lockBatches(ctx context.Context, tx *db.Tx, claims []db.Job) ([]db.Batch, error) {
	ids := batched(claims)
	if len(ids) == 0 {
		return nil, nil
	}
	return tx.Batches.LockWaiting(ctx, ids)
}

// batched are the ids of the claims that items of batches wait for.
func batched(claims []db.Job) (ids []string) {
	for _, c := range claims {
		if c.Batched {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// makeRoom lets batches take up other items, as one of theirs is to be recognized.
func makeRoom(ctx context.Context, tx *db.Tx, e *db.Extraction) error {
	batches, err := tx.Items.SetSound(ctx, e.ID)
	if err != nil {
		return err
	}
	for _, id := range batches {
		if err := tx.Enqueue(ctx, feedArgs{Batch: id}); err != nil {
			return err
		}
	}
	return nil
}

// onBatch runs fn in a transaction that has locked a batch. One that is gone is left.
func (p *Pipeline) onBatch(ctx context.Context, id string, fn func(ctx context.Context, tx *db.Tx, b *db.Batch) error) error {
	return p.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		b, err := tx.Batches.Lock(ctx, id)
		if errors.Is(err, db.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		return fn(ctx, tx, b)
	})
}

// goOn does what follows from the end of an item of a batch, which the transaction has
// locked: others are taken up, or the batch ends.
func (p *Pipeline) goOn(ctx context.Context, tx *db.Tx, b *db.Batch) error {
	if changed, err := p.follow(ctx, tx, b); err != nil || !changed {
		return err
	}
	return tx.Batches.Save(ctx, b)
}

// resume is goOn of a batch that has been changed, and is saved with that.
func (p *Pipeline) resume(ctx context.Context, tx *db.Tx, b *db.Batch) error {
	if _, err := p.follow(ctx, tx, b); err != nil {
		return err
	}
	return tx.Batches.Save(ctx, b)
}

// follow reports whether it has changed the batch.
func (p *Pipeline) follow(ctx context.Context, tx *db.Tx, b *db.Batch) (changed bool, err error) {
	if b.Status.Terminal() {
		return false, nil
	}
	open, err := tx.Items.Open(ctx, b.ID, feedBelow+1)
	switch {
	case err != nil:
		return false, err
	case open.Unclaimed && !b.Feeding && open.UnderWay <= feedBelow:
		b.Feeding = true
		return true, tx.Enqueue(ctx, feedArgs{Batch: b.ID})
	case open.Any || !b.Listed:
		return false, nil
	}
	counts, err := tx.Items.Counts(ctx, b.ID)
	if err != nil {
		return false, err
	}
	b.Status = counts.Outcome()
	return true, p.tellOfBatch(ctx, tx, b)
}
