package recognize

import (
	"context"
	"fmt"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
	"github.com/transcriptkit/transcriptkit/server/internal/step"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Publish is the last step: it stitches the chunks and stores the transcript.
func (p *Steps) Publish(ctx context.Context, t step.Held, _ step.Publish) error {
	e, chunks, sound, err := p.enterPublishing(ctx, t)
	if err != nil {
		return err
	}
	text, err := transcriptOf(e, chunks, sound)
	if err != nil {
		return err
	}
	if err := text.Prepare(); err != nil {
		return err
	}
	return p.Moves.Own(db.Sized(ctx, text.Size()), t, func(ctx context.Context, tx *db.Tx, e *db.Work) error {
		if _, err := intake.LockPlaces(ctx, tx, e); err != nil { // texts are locked after them
			return err
		}
		id, err := tx.Transcripts.Put(ctx, text)
		if err != nil {
			return err
		}
		return p.Moves.SettleAll(ctx, tx, e, db.End{Status: transcript.JobSuccess, TranscriptID: id})
	})
}

// enterPublishing moves the work to publishing and returns what its chunks
// hold, and what is known of its sound.
func (p *Steps) enterPublishing(ctx context.Context, t step.Held) (e *db.Work, chunks []db.Chunk, sound recognition.Sound, err error) {
	err = p.Moves.Own(ctx, t, func(ctx context.Context, tx *db.Tx, locked *db.Work) (err error) {
		e = locked
		if chunks, err = tx.Chunks.All(ctx, e.ID); err != nil {
			return err
		}
		if sound, err = view.SoundOfWork(ctx, tx.Reader, e.ID); err != nil {
			return err
		}
		return p.Moves.Enter(ctx, tx, e, t)
	})
	return e, chunks, sound, err
}

// transcriptOf stitches the results of the chunks and renders them once and for
// all.
func transcriptOf(e *db.Work, chunks []db.Chunk, sound recognition.Sound) (*db.Transcript, error) {
	plan := planOf(chunks)
	sound.Hush(plan) // a chunk may have been recognized before the whole recording was heard
	results, err := view.Results(chunks)
	if err != nil {
		return nil, err
	}
	heard := recognizersOf(chunks, results)
	text, err := recognition.Stitch(plan, results)
	if err != nil {
		return nil, fmt.Errorf("recognize: stitching: %w", err)
	}
	told := sound.Tell(&text)
	now := transcript.At(time.Now())
	t := &db.Transcript{
		Transcript: transcript.Transcript{
			Platform:   e.Platform,
			ExternalID: e.ExternalID,
			Lang:       languageOf(text, e, heard),
			Metadata:   provenance(text, e, heard),
			Sound:      *told,
			Source:     transcript.OriginASR,
			Status:     transcript.Ready,
			CreatedAt:  now,
			UpdatedAt:  now,
		},
		Owner:     e.Owner,
		PromptSum: subject.HeardSum(e.Prompt, e.Listening),
		Duration:  plan.Duration().Seconds(),
	}
	view.SetSegments(t, text.Segments)
	if e.SourceURL != "" {
		t.SourceURL = &e.SourceURL
	}
	view.Describe(t, e.Metadata)
	return t, nil
}
