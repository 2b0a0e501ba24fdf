package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/transcriptkit/transcriptkit/server/internal/api/jobs"
	"github.com/transcriptkit/transcriptkit/server/internal/api/submitting"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/server/internal/work"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The kinds of results.
const (
	taskMade = "task"     // replaces the result of a tool
	complete = "complete" // every other result
)

// The states of tasks. No task fails: a failed job has a result that says why.
const (
	taskWorking   = "working"
	taskCompleted = "completed"
	taskCancelled = "cancelled"
)

// task is a job in the form of the extension Tasks. The id of the task is the id of the job.
type task struct {
	sdk.ResultBase
	ResultType     string              `json:"resultType"`
	TaskID         string              `json:"taskId"`
	Status         string              `json:"status"`
	StatusMessage  string              `json:"statusMessage,omitempty"`
	CreatedAt      transcript.Time     `json:"createdAt"`
	LastUpdatedAt  transcript.Time     `json:"lastUpdatedAt"`
	TTLMs          *int64              `json:"ttlMs"` // from the creation on; null: until after the end of the job
	PollIntervalMs int                 `json:"pollIntervalMs,omitempty"`
	Result         *sdk.CallToolResult `json:"result,omitempty"`
}

// newTask is a job that has not ended.
func newTask(kind string, job *transcript.Job) *task {
	return &task{
		ResultType: kind, TaskID: job.JobID, Status: taskWorking, StatusMessage: stageWords(job),
		CreatedAt: job.CreatedAt, LastUpdatedAt: job.UpdatedAt, PollIntervalMs: 1000 * jobs.PollAfter(job.Stage),
	}
}

// taskOf is a job as tasks/get shows it. The result is that of get_transcript.
func (f *Face) taskOf(ctx context.Context, c *call, job *view.Job) (_ *task, err error) {
	t := newTask(complete, &job.Job)
	if !job.Status.Terminal() {
		return t, nil
	}
	kept := job.UpdatedAt.Sub(job.CreatedAt.Time) + work.DefaultRetention().Jobs
	ttl := kept.Milliseconds()
	t.TTLMs, t.PollIntervalMs = &ttl, 0
	if job.Status == transcript.JobCancelled {
		t.Status = taskCancelled
		return t, nil
	}
	t.Status = taskCompleted
	res, failed := jobs.Outcome(job)
	if failed != nil {
		t.Result = f.failure(ctx, failed)
		return t, nil
	}
	t.Result, err = f.page(c, res, submitting.FirstPage(job))
	return t, err
}

// acknowledgment is the answer to tasks/update and tasks/cancel.
type acknowledgment struct {
	sdk.ResultBase
	ResultType string `json:"resultType"`
}

// taskParams are the parameters of the methods of tasks.
type taskParams struct {
	sdk.ParamsBase
	TaskID string `json:"taskId"`
}
