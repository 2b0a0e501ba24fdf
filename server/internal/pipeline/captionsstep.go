package pipeline

import (
	"context"
	"errors"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/limits"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// readCaptions is the first step of a link that may have captions.
func (p *Pipeline) readCaptions(ctx context.Context, t task, _ captionsArgs) error {
	e, err := p.enterCaptionFetch(ctx, t)
	if err != nil || e.State != captionFetch {
		return err
	}
	sub := subject.OfExtraction(e)
	found, err := p.ask(ctx, sub, func(finding, error) {})
	if err != nil {
		return p.orServeStale(ctx, t, err)
	}
	if found.Track == nil {
		return p.goOnWithSound(ctx, t, found)
	}
	text := found.text(sub)
	return p.own(db.Sized(ctx, text.Size()), t, func(ctx context.Context, tx *db.Tx, e *db.Extraction) error {
		if err := putContent(ctx, tx, sub, found); err != nil {
			return err
		}
		if err := tx.Extractions.SetMetadata(ctx, e.ID, found.Metadata); err != nil {
			return err
		}
		id, err := tx.Transcripts.Put(ctx, text)
		if err != nil {
			return err
		}
		return p.serve(ctx, tx, e, db.End{TranscriptID: id})
	})
}

// enterCaptionFetch moves a queued extraction to caption_fetch, unless another one
// has made the text since this one was asked for: then it ends with that.
func (p *Pipeline) enterCaptionFetch(ctx context.Context, t task) (e *db.Extraction, err error) {
	err = p.own(ctx, t, func(ctx context.Context, tx *db.Tx, locked *db.Extraction) error {
		e = locked
		if answered, err := p.answered(ctx, tx, e); err != nil || answered {
			return err
		}
		return p.enter(ctx, tx, e, t)
	})
	return e, err
}

// answered ends a queued extraction with the text that answers it, if that has been made
// or put in since it was asked for.
func (p *Pipeline) answered(ctx context.Context, tx *db.Tx, e *db.Extraction) (bool, error) {
	if e.State != pendingQueued {
		return false, nil
	}
	sub := subject.OfExtraction(e)
	shelf, err := sub.Shelf(ctx, tx.Reader, "", subject.Since(e.CreatedAt))
	if err != nil {
		return false, err
	}
	text := sub.Answer(shelf)
	if text == nil {
		return false, nil
	}
	return true, p.serve(ctx, tx, e, db.End{TranscriptID: text.ID, Cached: true})
}

// orServeStale returns the fault of a step that has asked a platform, unless the
// platform blocks and there is a text that has expired: then the extraction ends
// with that. Old text is better than none.
func (p *Pipeline) orServeStale(ctx context.Context, t task, fault error) error {
	if !errors.Is(fault, transcript.IPBlocked) {
		return fault
	}
	return p.own(ctx, t, func(ctx context.Context, tx *db.Tx, e *db.Extraction) error {
		sub := subject.OfExtraction(e)
		shelf, err := sub.Shelf(ctx, tx.Reader, "", subject.AnyAge)
		if err != nil {
			return err
		}
		text := sub.Answer(shelf)
		if text == nil {
			return fault
		}
		if e.State == durationCheck { // from where no move leads to a text
			if err := p.goBack(ctx, tx, e, interrupted); err != nil {
				return err
			}
		}
		return p.serve(ctx, tx, e, db.End{TranscriptID: text.ID, Cached: true, Stale: true})
	})
}

// goOnWithSound goes from captions without an answer to recognition. A claim whose plan
// has no recognition ends at caption_fetch. A claim whose plan does not permit the
// length that the platform says ends at duration_check.
func (p *Pipeline) goOnWithSound(ctx context.Context, t task, found finding) error {
	over := false
	err := p.own(ctx, t, func(ctx context.Context, tx *db.Tx, e *db.Extraction) error {
		if err := putContent(ctx, tx, subject.OfExtraction(e), found); err != nil {
			return err
		}
		if err := tx.Extractions.SetMetadata(ctx, e.ID, found.Metadata); err != nil {
			return err
		}
		if err := tx.Library.DescribeJobs(ctx, e, found.Metadata); err != nil {
			return err
		}
		if err := tx.Extractions.SetTried(ctx, e.ID, found.allTried()); err != nil {
			return err
		}
		err := p.dismiss(ctx, tx, e)
		over = e.State.Status.Terminal()
		return err
	})
	if err != nil || over {
		return err
	}
	// A second transaction, because the first may have changed what accounts have used,
	// and every transaction does that last.
	return p.own(ctx, t, func(ctx context.Context, tx *db.Tx, e *db.Extraction) error {
		if err := p.advance(ctx, tx, e, durationCheck); err != nil {
			return err
		}
		if err := p.judge(ctx, tx, e, limits.Claimed(found.Metadata.Duration)); err != nil || e.State.Status.Terminal() {
			return err
		}
		if err := makeRoom(ctx, tx, e); err != nil {
			return err
		}
		return tx.Enqueue(ctx, prepareArgs{Extraction: e.ID, Link: true})
	})
}
