package intake

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/recordings"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
)

// freshness returns the terms; a transcript of an upload does not expire.
func (o order) freshness() subject.Fresh {
	if o.file != nil {
		return subject.AnyAge
	}
	return subject.Within(o.ttl)
}

// hit is a text from the cache.
type hit struct {
	*db.Transcript
	saved bool // it is in the account's library
}

// cached returns the text that answers the request, or nil.
func cached(ctx context.Context, r db.Reader, o order) (*hit, error) {
	sub := o.sub
	shelf, err := sub.Shelf(ctx, r, o.Account, o.freshness())
	if err != nil {
		return nil, err
	}
	shelf.Texts = slices.DeleteFunc(shelf.Texts, func(t db.ShelfText) bool { return !o.heardAlike(t) })
	text := sub.Answer(shelf)
	if text == nil {
		return nil, nil
	}
	t, err := r.Transcripts.ChangedAt(ctx, text.ID, text.UpdatedAt)
	if errors.Is(err, db.ErrNotFound) {
		return nil, nil // its owner has just removed it
	}
	if err != nil {
		return nil, fmt.Errorf("intake: reading a cached text: %w", err)
	}
	return &hit{t, text.Saved}, nil
}

func (i *Intake) fromCache(ctx context.Context, h *hit, o order) (_ *Outcome, err error) {
	if h.Media, err = recordings.Of(ctx, i.store.Reader, o.Account, h.Platform, h.ExternalID); err != nil {
		return nil, err
	}
	r, err := view.ResultOf(h.Transcript, o.View, true)
	if err != nil {
		return nil, err
	}
	return &Outcome{Result: r}, nil
}
