// Package jobs has the routes of an account's jobs, and the functions with which other interfaces
// of the service wait for jobs. Package pipeline works.
package jobs

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/openapi"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Jobs shows, follows and cancels the jobs of an account.
type Jobs struct{ *resource.Shared }

// byID names jobs in paths.
var byID = resource.One{Param: "id", About: "The jobId.", None: "There is no such job."}

// Routes are the routes of jobs.
func (j *Jobs) Routes() []edge.Route {
	return []edge.Route{
		{
			Method: http.MethodGet, Pattern: "/v1/transcript/job/{id}",
			Operation: "getTranscriptJob", Tag: "jobs",
			Summary: "Read a job, and its transcript when it has succeeded. A failed job is a 200 with an error.",
			Scope:   account.Transcripts, Polls: true, Handle: j.getTranscriptJob,
			Path: byID.Path(new(string)), Query: jobQuery(new(view.View)),
			Answers: resource.Tagged(edge.Answer{Status: http.StatusOK, Body: openapi.Job{}, Headers: []edge.Header{edge.HeaderMayRetryAfter}}),
			Codes:   []transcript.Code{transcript.InvalidRequest, transcript.NotFound},
		},
		{
			Method: http.MethodPost, Pattern: "/v1/transcript/job/{id}/cancel",
			Operation: "cancelTranscriptJob", Tag: "jobs",
			Summary: "Cancel a job that has not ended.",
			Scope:   account.Transcripts, Handle: j.cancelTranscriptJob,
			Path:    byID.Path(new(string)),
			Answers: []edge.Answer{{Status: http.StatusAccepted, Body: openapi.Job{}, Headers: []edge.Header{edge.HeaderLocation, edge.HeaderReplayed}}},
			Codes:   resource.PostCodes(),
		},
		j.streamRoute(),
	}
}

// jobQuery is the query of GET /v1/transcript/job/{id}: the form of the result. If the
// query leaves out a field, the value from the POST applies.
func jobQuery(v *view.View) request.Table {
	return request.Table{Fields: request.WithoutDefaults(ViewFields(v))}
}

// getTranscriptJob is GET /v1/transcript/job/{id}.
func (j *Jobs) getTranscriptJob(w http.ResponseWriter, r *http.Request) error {
	// A bad query is refused before the job is looked up, although the meaning of a good
	// query depends on the job.
	if err := jobQuery(new(view.View)).ReadQuery(r.URL.RawQuery); err != nil {
		return err
	}
	id, err := byID.ID(r)
	if err != nil {
		return err
	}
	account := edge.Principal(r).Account
	job, err := j.Pipeline.Jobs.Job(r.Context(), account, id, nil)
	if err != nil {
		return err
	}
	if v, err := asked(r, job); err != nil {
		return err
	} else if v != nil {
		if job, err = j.Pipeline.Jobs.Job(r.Context(), account, id, v); err != nil {
			return err
		}
	}
	etag := fmt.Sprintf(`W/"%d-%d"`, job.Sequence, job.UpdatedAt.UnixMilli())
	if edge.Unchanged(w, r, etag) {
		return nil
	}
	if !job.Status.Terminal() {
		w.Header().Set("Retry-After", strconv.Itoa(PollAfter(job.Stage)))
	}
	body, err := jobBody(job)
	if err != nil {
		return err
	}
	return edge.RespondPacked(w, r, "application/json", http.StatusOK, body)
}

// asked is the view that the query requests; nil means the view of the POST.
func asked(r *http.Request, job *view.Job) (*view.View, error) {
	v := job.Asked
	if err := jobQuery(&v).ReadQuery(r.URL.RawQuery); err != nil || v == job.Asked {
		return nil, err
	}
	return &v, nil
}

// PollAfter is how many seconds a client should wait before it reads a job in the stage
// again.
func PollAfter(stage transcript.Stage) int {
	switch stage {
	case transcript.StageDurationCheck:
		return 2
	case transcript.StageASRQueued, transcript.StageASRRunning:
		return 5
	}
	return 1
}

// jobBody is a job as JSON.
func jobBody(job *view.Job) (*packed.Body, error) {
	return resource.Around(job.SegmentsJSON, func(dst, segments []byte) ([]byte, error) { return wire.AppendJob(dst, &job.Job, segments) })
}

// cancelTranscriptJob is POST /v1/transcript/job/{id}/cancel.
func (j *Jobs) cancelTranscriptJob(w http.ResponseWriter, r *http.Request) error {
	return resource.Post[*view.Job]{
		Body: resource.NoBody,
		Do:   j.Pipeline.Cancel,
		Again: func(ctx context.Context, owner string, a db.Answer) (*view.Job, error) {
			return j.Pipeline.Jobs.Job(ctx, owner, a.ID, nil)
		},
		Reply: j.cancelReply,
	}.Answer(j.Edge, byID, w, r)
}

func (j *Jobs) cancelReply(job *view.Job) (edge.Reply, error) {
	body, err := jobBody(job)
	if err != nil {
		return edge.Reply{}, err
	}
	header := map[string]string{"Location": Path(j.BasePath, job.JobID)}
	return edge.Reply{Response: edge.Response{Status: http.StatusAccepted, Header: header, Body: body}}, nil
}

// Outcome is the result of a job that has ended, or the reason why there is none.
func Outcome(job *view.Job) (*view.Result, *transcript.Error) {
	switch {
	case job.Status == transcript.JobCancelled:
		return nil, transcript.Errorf(transcript.StateConflict, "The job was cancelled.").With("status", job.Status)
	case job.Error != nil:
		return nil, job.Error
	case job.Result == nil:
		return nil, transcript.Errorf(transcript.NoTranscript, "The transcript has been deleted.")
	}
	return &view.Result{Result: *job.Result, SegmentsJSON: job.SegmentsJSON, TextID: job.TextID, TextChanged: job.TextChanged}, nil
}

// Path is the path of a job under the base path of the API.
func Path(basePath, id string) string { return basePath + "/v1/transcript/job/" + id }

// ViewFields are the fields that choose the form of a transcript.
func ViewFields(v *view.View) []*request.Field {
	return []*request.Field{
		request.New("format", &v.Format, request.Enum([]transcript.Format{transcript.JSON, transcript.Text}).Default(transcript.JSON)).
			About("The form of the transcript."),
		request.New("includeTimestamp", &v.OmitTimestamp, request.Not().Default(false)).About("Text begins each line with its time."),
	}
}
