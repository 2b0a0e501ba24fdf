package pipeline

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Cancel ends the account's claim (J16); the work stops when no other claim is
// left. STATE_CONFLICT with details.status when the job has ended, NOT_FOUND
// as for Job. remember may be nil.
func (p *Pipeline) Cancel(ctx context.Context, account, id string, remember Remember) (*Job, error) {
	var e *db.Extraction
	err := p.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		job, err := tx.Job(ctx, account, id)
		if err != nil {
			return err
		}
		// The extraction is locked first, as every move of the job goes by it.
		if e, err = tx.LockExtraction(ctx, job.ExtractionID); err != nil {
			return err
		}
		if job, err = tx.Job(ctx, account, id); err != nil {
			return err
		}
		if job.State.Status.Terminal() {
			return transcript.Errorf(transcript.StateConflict, "The job has already ended.").
				With("status", job.State.Status)
		}
		if err := tx.MoveJob(ctx, job, db.Change{To: cancelled}); err != nil {
			return err
		}
		if err := endIfUnclaimed(ctx, tx, e); err != nil || remember == nil {
			return err
		}
		return remember(ctx, tx, db.Answer{Status: http.StatusAccepted, JobID: id})
	})
	if err != nil {
		return nil, jobError("cancelling a job", err)
	}
	if e.State.Status.Terminal() {
		p.deleteMedia(context.WithoutCancel(ctx), e.ID, e.MediaKey)
	}
	return p.Job(ctx, account, id, nil)
}

// endIfUnclaimed stops the work that nobody waits for.
func endIfUnclaimed(ctx context.Context, tx *db.Tx, e *db.Extraction) error {
	claims, err := tx.RunningClaims(ctx, e.ID)
	if err != nil || len(claims) > 0 {
		return err
	}
	if err := tx.DeleteChunks(ctx, e.ID); err != nil {
		return err
	}
	return tx.Move(ctx, e, db.Change{To: cancelled})
}

// jobError is the error of a call that names a job.
func jobError(doing string, err error) error {
	if errors.Is(err, db.ErrNotFound) {
		return transcript.Errorf(transcript.NotFound, "There is no such job.")
	}
	return fmt.Errorf("pipeline: %s: %w", doing, err)
}
