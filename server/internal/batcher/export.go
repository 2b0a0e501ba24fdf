package batcher

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/batch/export"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/labels"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Export is a batch with its items, at one moment. Texts are read one by one. Reading
// fails if a text has changed since that moment.
type Export struct {
	Batch *batch.Job // without the mark of its last export
	Items []batch.Item
	// TextsAt is when the text of each item was made; nil if the item has no text.
	TextsAt []*transcript.Time
	Labels  []labels.Label // what the account calls the content of each item

	texts []*string // the ids of the texts
	store *db.Store
}

// ErrTextChanged says that a text of an export was replaced or deleted before it was
// read. The written part is invalid; make a new export.
var ErrTextChanged = errors.New("a text has changed since the export began")

// Export returns the account's batch for an export. The error is NOT_FOUND if the account
// has no such batch, STATE_CONFLICT with details.status if the batch has not ended and
// the export may not be partial, and NO_TRANSCRIPT if no item has a text.
func (bs *Batches) Export(ctx context.Context, account, id string, partial bool) (*Export, error) {
	var b *db.BatchState
	var found []db.ExportItem
	err := bs.store.Snapshot(ctx, func(ctx context.Context, r db.Reader) (err error) {
		if b, err = r.Batches.Owned(ctx, account, id); err == nil {
			found, err = r.Items.ForExport(ctx, account, id)
		}
		return err
	})
	if err != nil {
		return nil, batchError("reading a batch", err)
	}
	if !b.Shown.Terminal() && !partial {
		return nil, transcript.Errorf(transcript.StateConflict, "The batch has not ended. Wait for its end, or export what there is so far.").With("status", b.Shown)
	}
	e := newExport(b, found)
	if e.Texts() == 0 {
		return nil, transcript.Errorf(transcript.NoTranscript, "No item of the batch has a transcript.")
	}
	e.store = bs.store
	return e, nil
}

// newExport makes the export of a batch with all its items.
func newExport(b *db.BatchState, items []db.ExportItem) *Export {
	b.ExportRef, b.ExportMime, b.LastError, b.ItemError = nil, nil, nil, nil
	e := &Export{Batch: view.BatchOf(b)}
	for i := range items {
		e.Items = append(e.Items, view.ItemOf(&b.Batch, &items[i].ItemState))
		e.TextsAt, e.texts = append(e.TextsAt, momentOf(items[i].TextAt)), append(e.texts, items[i].TextID)
		e.Labels = append(e.Labels, items[i].Label)
	}
	return e
}

func momentOf(t *time.Time) *transcript.Time {
	if t == nil {
		return nil
	}
	at := transcript.At(*t)
	return &at
}

// Texts is the number of items with a text.
func (e *Export) Texts() (n int) {
	for _, at := range e.TextsAt {
		if at != nil {
			n++
		}
	}
	return n
}

// Entries reads the items with their texts, one after another. It ends with
// ErrTextChanged if a text has changed since the moment of the export.
func (e *Export) Entries(ctx context.Context) iter.Seq2[export.Entry, error] {
	return func(yield func(export.Entry, error) bool) {
		for i, item := range e.Items {
			entry := export.Entry{Item: item}
			if e.TextsAt[i] != nil {
				var err error
				if entry.Transcript, err = e.text(ctx, i); err != nil {
					yield(export.Entry{}, err)
					return
				}
			}
			if !yield(entry, nil) {
				return
			}
		}
	}
}

// text reads the text of the item with that index.
func (e *Export) text(ctx context.Context, i int) (*transcript.Transcript, error) {
	t, err := e.store.Transcripts.ByID(ctx, *e.texts[i])
	switch {
	case errors.Is(err, db.ErrNotFound):
		return nil, ErrTextChanged
	case err != nil:
		return nil, fmt.Errorf("batches: reading a text: %w", err)
	case !t.UpdatedAt.Equal(e.TextsAt[i].Time):
		return nil, ErrTextChanged
	}
	view.Entitle(t, e.Labels[i])
	return t.Whole()
}

// Exported stores the mark and the media type of an export that was sent completely.
func (bs *Batches) Exported(ctx context.Context, account, id, ref, mediaType string) error {
	err := bs.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		return tx.Batches.SetExport(ctx, account, id, ref, mediaType)
	})
	if err != nil {
		return batchError("noting an export", err)
	}
	return nil
}
