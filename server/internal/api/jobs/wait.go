package jobs

import (
	"context"
	"time"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Job returns a job of the account, with its result if the job has one.
func (j *Jobs) Job(ctx context.Context, owner, id string) (*view.Job, error) {
	return j.Pipeline.Jobs.Job(ctx, owner, id, &view.View{SendMetadata: true})
}

// Follow returns a job when it has ended, or its state after the wait. Told is called with the
// progress of the job; it may be nil. Follow counts as an event stream. If the account has no
// stream left, Follow returns at once.
func (j *Jobs) Follow(ctx context.Context, p account.Principal, id string, wait time.Duration, told func(*transcript.Job)) (*view.Job, error) {
	closed, ok := j.Streams.Take(ctx, p)
	if !ok {
		return j.Job(ctx, p.Account, id)
	}
	defer closed()
	defer edge.Waiting(ctx)()
	serving, stop := j.Lifetime.Until(ctx)
	defer stop()
	waiting, cancel := j.Timeout(serving, wait)
	defer cancel()
	if told != nil {
		stopped := make(chan struct{})
		go func() { defer close(stopped); j.tellProgress(waiting, p.Account, id, told) }()
		defer func() { cancel(); <-stopped }()
	}
	return j.Pipeline.Jobs.Wait(waiting, p.Account, id, &view.View{SendMetadata: true})
}

// tellProgress reports each state of a job until ctx ends or the job has ended.
func (j *Jobs) tellProgress(ctx context.Context, owner, id string, told func(*transcript.Job)) {
	events, err := j.Pipeline.Jobs.Watch(ctx, owner, id, 0)
	if err != nil {
		return // the wait finds the same error
	}
	for event, err := range events {
		if err != nil {
			return // as above
		}
		told(&event.Job)
	}
}

// Cancel cancels a job of the account that has not ended. The errors are those of
// POST /v1/transcript/job/{id}/cancel.
func (j *Jobs) Cancel(ctx context.Context, p account.Principal, id string) error {
	_, err := j.Pipeline.Cancel(ctx, p.Account, id, nil)
	return err
}
