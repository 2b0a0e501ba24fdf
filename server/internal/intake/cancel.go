package intake

import (
	"context"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Cancel ends the account's job; the work stops when no other job is left. The error is
// STATE_CONFLICT with details.status if the job has ended, and NOT_FOUND as for Job. key
// is the idempotency key that the request holds; nil if it has none.
func (i *Intake) Cancel(ctx context.Context, account, id string, key *db.HeldKey) (*view.Job, error) {
	job, err := i.store.Jobs.Owned(ctx, account, id)
	if err != nil {
		return nil, view.JobError("canceling a job", err)
	}
	err = i.moves.Change(ctx, job.WorkID, func(ctx context.Context, tx *db.Tx, e *db.Work) error {
		job, err := tx.Jobs.Owned(ctx, account, id)
		if err != nil {
			return err
		}
		if job.State.Status.Terminal() {
			return transcript.Errorf(transcript.StateConflict, "The job has already ended.").
				With("status", job.State.Status)
		}
		if err := i.moves.settle(ctx, tx, e, []db.Job{*job}, db.End{Status: transcript.JobCancelled}); err != nil {
			return err
		}
		return tx.Idempotency.Record(ctx, key, db.Answer{Kind: db.JobAnswer, ID: id}, true)
	})
	if err != nil {
		return nil, view.JobError("canceling a job", err)
	}
	return i.jobs.Job(ctx, account, id, nil)
}
