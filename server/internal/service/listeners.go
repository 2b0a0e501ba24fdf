package service

import (
	"context"

	"github.com/transcriptkit/transcriptkit/server/internal/batcher"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/recordings"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// listeners is the order in which features are told about jobs that end: a promised recording is
// kept, a follow may open its item again, a batch names the jobs whose results it does not use, the
// accounts pay, and then the calls of hooks and the deliveries to webhooks are queued. The
// listeners in first come before the features.
func (s *Service) listeners(first []intake.Listener) intake.Listeners {
	ended := []intake.Listener{
		func(ctx context.Context, tx *db.Tx, told *intake.Ended) error {
			if !told.Over || told.Status != transcript.JobSuccess {
				return nil
			}
			return recordings.KeepPromised(ctx, tx, told.Work, told.TranscriptID)
		},
		func(ctx context.Context, tx *db.Tx, told *intake.Ended) error {
			return s.Follows.Reopen(ctx, tx, told.IDs(), told.Error)
		},
		func(ctx context.Context, tx *db.Tx, told *intake.Ended) (err error) {
			told.ForNobody, err = s.Batches.EndItems(ctx, tx, told.Jobs, told.End)
			return err
		},
		intake.PayUp,
		func(ctx context.Context, tx *db.Tx, told *intake.Ended) error {
			return s.hooks.JobsEnded(ctx, tx, told.Jobs)
		},
		func(ctx context.Context, tx *db.Tx, told *intake.Ended) error {
			return s.Webhooks.JobsEnded(ctx, tx, told.Work, told.Jobs, told.End)
		},
	}
	return intake.Listeners{
		Ended: append(first, ended...),
		Ending: func(ctx context.Context, tx *db.Tx, jobs []db.Job) error {
			_, err := batcher.Lock(ctx, tx, jobs)
			return err
		},
	}
}
