package pipeline

import (
	"context"
	"errors"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// fetchCaptions is the first step of a link that may have captions (J2, J4, J5,
// J17).
func (p *Pipeline) fetchCaptions(ctx context.Context, t task, _ captionsArgs) error {
	e, err := p.takeForCaptions(ctx, t)
	if err != nil || e == nil {
		return err
	}
	sub := subjectOfExtraction(e)
	found, err := p.ask(ctx, sub, func(finding, error) {})
	if err != nil {
		return p.orServeStale(ctx, t, e, err)
	}
	if found.Track == nil {
		return p.goOnWithSound(ctx, t, found)
	}
	text, err := found.text(sub)
	if err != nil {
		return err
	}
	return p.ownIn(ctx, t, captionFetch, func(ctx context.Context, tx *db.Tx, e *db.Extraction) error {
		if err := learn(ctx, tx, sub, found); err != nil {
			return err
		}
		if err := tx.SetMetadata(ctx, e.ID, found.Metadata); err != nil {
			return err
		}
		id, err := tx.PutTranscript(ctx, text)
		if err != nil {
			return err
		}
		return serve(ctx, tx, e, db.Change{TranscriptID: id})
	})
}

// takeForCaptions moves a queued extraction to caption_fetch. It returns nil
// when there is nothing to do: the extraction has ended or gone on, or another
// one has made the text since this one was asked for (J17).
func (p *Pipeline) takeForCaptions(ctx context.Context, t task) (e *db.Extraction, err error) {
	err = p.own(ctx, t, func(ctx context.Context, tx *db.Tx, locked *db.Extraction) error {
		e = locked
		switch e.State {
		case captionFetch: // an earlier run of this step ended without a word
			return nil
		case pendingQueued:
			sub := subjectOfExtraction(e)
			shelf, err := sub.shelf(ctx, tx.Reader, "", since(e.CreatedAt))
			if err != nil {
				return err
			}
			text := sub.answer(shelf)
			if text == nil {
				return tx.Move(ctx, e, db.Change{To: captionFetch})
			}
			err = serve(ctx, tx, e, db.Change{TranscriptID: text.ID, Cached: true})
			e = nil
			return err
		}
		e = nil
		return nil
	})
	return e, err
}

// serve publishes a stored text to everybody who waits (J4 or J17, J13).
func serve(ctx context.Context, tx *db.Tx, e *db.Extraction, c db.Change) error {
	if err := tx.Move(ctx, e, db.Change{To: publishing}); err != nil {
		return err
	}
	if err := tx.SaveForClaims(ctx, c.TranscriptID, e.ID); err != nil {
		return err
	}
	c.To = done
	return tx.Move(ctx, e, c)
}

// orServeStale settles the fault of a step that has asked a platform: where that
// blocks, a text that has expired is published instead, if there is one (J7b,
// contract 11). Old text is better than none. Otherwise it returns the fault.
func (p *Pipeline) orServeStale(ctx context.Context, t task, e *db.Extraction, fault error) error {
	if !errors.Is(fault, transcript.IPBlocked) {
		return fault
	}
	return p.ownIn(ctx, t, e.State, func(ctx context.Context, tx *db.Tx, e *db.Extraction) error {
		sub := subjectOfExtraction(e)
		shelf, err := sub.shelf(ctx, tx.Reader, "", however)
		if err != nil {
			return err
		}
		text := sub.answer(shelf)
		if text == nil {
			return fault
		}
		if e.State == durationCheck { // which does not lead to a text: taken anew, it is (J9b, J17)
			if err := tx.Move(ctx, e, db.Change{To: pendingQueued}); err != nil {
				return err
			}
		}
		return serve(ctx, tx, e, db.Change{TranscriptID: text.ID, Cached: true, Stale: true})
	})
}

// goOnWithSound leaves the captions, of which none answers, for recognition
// (J5). Those who may not have it end here (J6).
func (p *Pipeline) goOnWithSound(ctx context.Context, t task, found finding) error {
	return p.ownIn(ctx, t, captionFetch, func(ctx context.Context, tx *db.Tx, e *db.Extraction) error {
		if err := learn(ctx, tx, subjectOfExtraction(e), found); err != nil {
			return err
		}
		if err := tx.SetMetadata(ctx, e.ID, found.Metadata); err != nil {
			return err
		}
		if err := tx.SetTried(ctx, e.ID, found.allTried()); err != nil {
			return err
		}
		left, err := dismiss(ctx, tx, e)
		if err != nil || !left {
			return err
		}
		if err := tx.Move(ctx, e, db.Change{To: durationCheck}); err != nil {
			return err
		}
		return tx.Enqueue(ctx, prepareArgs{Extraction: e.ID, Link: true})
	})
}

// dismiss ends the claims whose plan does not permit recognition, and with the
// last one the extraction. left tells that somebody still waits.
func dismiss(ctx context.Context, tx *db.Tx, e *db.Extraction) (left bool, err error) {
	claims, err := tx.LockClaims(ctx, e.ID)
	if err != nil {
		return false, err
	}
	var reason *transcript.Error
	for i := range claims {
		if claims[i].ASR {
			left = true
			continue
		}
		if reason == nil {
			none, err := noRecognition(ctx, tx, subjectOfExtraction(e))
			if err != nil {
				return false, err
			}
			reason = codedError(none)
		}
		if err := tx.MoveJob(ctx, &claims[i], db.Change{To: failed, Error: reason}); err != nil {
			return false, err
		}
	}
	if left || len(claims) == 0 {
		return left, nil
	}
	return false, tx.Move(ctx, e, db.Change{To: failed})
}

// noRecognition is the end of a request that only recognition could answer, for
// an account that may not have it (J6).
func noRecognition(ctx context.Context, tx *db.Tx, sub subject) (*transcript.Error, error) {
	c, err := tx.Content(ctx, sub.Platform, sub.ExternalID)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return nil, err
	}
	if err != nil || len(c.Tracks) == 0 {
		return transcript.Errorf(transcript.NoTranscript, "The content has no captions, and the plan does not include speech recognition."), nil
	}
	e := transcript.Errorf(transcript.LanguageNotAvailable, "There are no captions in %s, and the plan does not include speech recognition.", clip.Text(sub.languages.String()))
	e.AvailableLanguages = languagesOf(c.Tracks)
	return e, nil
}
