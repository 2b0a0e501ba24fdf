package mcp

import (
	"context"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// progressEvery is the least time between two reports of progress.
const progressEvery = time.Second

// teller tells the caller about a job's progress; nil means that the caller did not ask for
// reports. The values of the reports grow by one for each report, because a job that is
// tried again starts its recording again.
func (f *Face) teller(ctx context.Context, req *sdk.CallToolRequest) func(*transcript.Job) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return nil
	}
	var told float64
	var last time.Time
	return func(job *transcript.Job) {
		if !last.IsZero() && time.Since(last) < progressEvery {
			return
		}
		last = time.Now()
		told++
		// If the client disconnects, the call ends by itself.
		_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: told, Message: stageWords(job)})
	}
}

// stageWords describes the stage of a job.
func stageWords(job *transcript.Job) string { return string(job.Stage) }
