package server

import (
	"context"

	"github.com/transcriptkit/transcriptkit/server/internal/api/submitting"
	"github.com/transcriptkit/transcriptkit/server/internal/hooks"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
)

// hooks are JobEnded, BatchEnded and FollowFailing in the form in which the pipeline calls them.
func (c Config) hooks() hooks.Hooks {
	h := hooks.Hooks{Batch: c.BatchEnded, Follow: c.FollowFailing}
	if c.JobEnded != nil {
		h.Job = func(ctx context.Context, account string, j *view.Job) error {
			job := j.Job
			if job.Result != nil {
				whole, err := submitting.WholeResult(&view.Result{Result: *job.Result, SegmentsJSON: j.SegmentsJSON})
				if err != nil {
					return err
				}
				job.Result = whole
			}
			return c.JobEnded(ctx, account, &job)
		}
	}
	return h
}
