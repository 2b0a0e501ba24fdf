package api

import (
	"context"
	"time"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// JobResult is the result of a job of the account that has ended, or why there is none. The segments of the result
// are packed.
func JobResult(job *view.Job) (*view.Result, *transcript.Error) { return outcome(job) }

// Job returns a job of the account, with its result when it has one.
func (a *API) Job(ctx context.Context, owner, id string) (*view.Job, error) {
	return a.jobs.pipeline.Jobs.Job(ctx, owner, id, &view.View{SendMetadata: true})
}

// PollAfter is how many seconds a job in the stage is best left alone.
func PollAfter(stage transcript.Stage) int { return pollAfter(stage) }

// FollowJob returns a job when it has ended, or as it stands after the wait. Told hears of the job's progress, nil:
// nothing does. FollowJob counts as an event stream. If the account has as many streams as it may, FollowJob
// returns at once.
func (a *API) FollowJob(ctx context.Context, p account.Principal, id string, wait time.Duration, told func(*transcript.Job)) (*view.Job, error) {
	closed, ok := a.events.streams.Take(ctx, p)
	if !ok {
		return a.Job(ctx, p.Account, id)
	}
	defer closed()
	defer edge.Waiting(ctx)()
	serving, stop := a.lifetime.Until(ctx)
	defer stop()
	waiting, cancel := a.transcripts.timeout(serving, wait)
	defer cancel()
	if told != nil {
		stopped := make(chan struct{})
		go func() { defer close(stopped); a.tellProgress(waiting, p.Account, id, told) }()
		defer func() { cancel(); <-stopped }()
	}
	return a.jobs.pipeline.Jobs.Wait(waiting, p.Account, id, &view.View{SendMetadata: true})
}

// tellProgress tells of each state of a job until ctx ends or the job has ended.
func (a *API) tellProgress(ctx context.Context, owner, id string, told func(*transcript.Job)) {
	events, err := a.jobs.pipeline.Jobs.Watch(ctx, owner, id, 0)
	if err != nil {
		return // the wait finds the same
	}
	for event, err := range events {
		if err != nil {
			return // as above
		}
		told(&event.Job)
	}
}

// CancelJob cancels a job of the account that has not ended. The errors are those of
// POST /v1/transcript/job/{id}/cancel.
func (a *API) CancelJob(ctx context.Context, p account.Principal, id string) error {
	_, err := a.jobs.pipeline.Cancel(ctx, p.Account, id, nil)
	return err
}
