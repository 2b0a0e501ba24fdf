package api

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
	"github.com/transcriptkit/transcriptkit/server/internal/pipeline"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// jobs shows and cancels the jobs of an account.
type jobs struct {
	edge     *edge.Edge
	pipeline *pipeline.Pipeline
	basePath string
}

func (j *jobs) Routes() []edge.Route {
	return []edge.Route{
		{
			Method: http.MethodGet, Pattern: "/v1/transcript/job/{id}",
			Operation: "getTranscriptJob", Tag: "jobs",
			Summary: "Read a job, and its transcript when it has succeeded. A failed job is a 200 with an error.",
			Scope:   account.Transcripts, Polls: true, Handle: j.getTranscriptJob,
			Path: idPath(new(string)), Query: jobQuery(new(view.View)),
			Answers: []edge.Answer{
				{Status: http.StatusOK, Body: openapi.Job{}, Headers: []edge.Header{edge.HeaderETag, edge.HeaderMayRetryAfter}},
				{Status: http.StatusNotModified, Headers: []edge.Header{edge.HeaderETag}},
			},
			Codes: []transcript.Code{transcript.InvalidRequest, transcript.NotFound},
		},
		{
			Method: http.MethodPost, Pattern: "/v1/transcript/job/{id}/cancel",
			Operation: "cancelTranscriptJob", Tag: "jobs",
			Summary: "Cancel a job that has not ended.",
			Scope:   account.Transcripts, Handle: j.cancelTranscriptJob,
			Path:    idPath(new(string)),
			Answers: []edge.Answer{{Status: http.StatusAccepted, Body: openapi.Job{}, Headers: []edge.Header{edge.HeaderLocation, edge.HeaderReplayed}}},
			Codes: []transcript.Code{
				transcript.InvalidRequest, transcript.NotFound, transcript.StateConflict,
				transcript.IdempotencyConflict, transcript.IdempotencyInProgress,
			},
		},
	}
}

// idPath is the path of the job routes.
func idPath(id *string) request.Table {
	return request.Table{Fields: []*request.Field{request.New("id", id, request.UUID()).Required().About("The jobId.")}}
}

// jobQuery is the query of GET /v1/transcript/job/{id}: the form of the result. A field
// that the query leaves out stays as the POST asked.
func jobQuery(v *view.View) request.Table {
	return request.Table{Fields: request.WithoutDefaults(viewFields(v))}
}

// getTranscriptJob is GET /v1/transcript/job/{id}.
func (j *jobs) getTranscriptJob(w http.ResponseWriter, r *http.Request) error {
	// A bad query is told before the job is looked for; what a good one wants depends
	// on the job.
	if err := jobQuery(new(view.View)).ReadQuery(r.URL.RawQuery); err != nil {
		return err
	}
	id, err := jobID(r)
	if err != nil {
		return err
	}
	account := edge.Principal(r).Account
	job, err := j.pipeline.Jobs.Job(r.Context(), account, id, nil)
	if err != nil {
		return err
	}
	if v, err := asked(r, job); err != nil {
		return err
	} else if v != nil {
		if job, err = j.pipeline.Jobs.Job(r.Context(), account, id, v); err != nil {
			return err
		}
	}
	etag := fmt.Sprintf(`W/"%d-%d"`, job.Sequence, job.UpdatedAt.UnixMilli())
	if edge.Unchanged(w, r, etag) {
		return nil
	}
	if !job.Status.Terminal() {
		w.Header().Set("Retry-After", strconv.Itoa(pollAfter(job.Stage)))
	}
	body, err := jobBody(job)
	if err != nil {
		return err
	}
	return edge.RespondPacked(w, r, "application/json", http.StatusOK, body)
}

// asked is the view that the query wants, nil where that is the one of the POST.
func asked(r *http.Request, job *view.Job) (*view.View, error) {
	v := job.Asked
	if err := jobQuery(&v).ReadQuery(r.URL.RawQuery); err != nil || v == job.Asked {
		return nil, err
	}
	return &v, nil
}

// pollAfter is how many seconds a job in the stage is best left alone.
func pollAfter(stage transcript.Stage) int {
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
func (j *jobs) cancelTranscriptJob(w http.ResponseWriter, r *http.Request) error {
	if err := edge.CheckOptionalType(r); err != nil {
		return err
	}
	account := edge.Principal(r).Account
	var id string
	return j.edge.Once(w, r, edge.Post{
		Read: func() (_ map[string]any, err error) {
			if err := edge.ReadEmpty(w, r); err != nil {
				return nil, err
			}
			id, err = jobID(r)
			return nil, err
		},
		Do: func(key *db.HeldKey) (edge.Reply, error) {
			job, err := j.pipeline.Cancel(context.WithoutCancel(r.Context()), account, id, key)
			if err != nil {
				return edge.Reply{}, err
			}
			return j.cancelReply(job)
		},
		Again: func(a db.Answer) (edge.Reply, error) {
			job, err := j.pipeline.Jobs.Job(r.Context(), account, a.ID, nil)
			if err != nil {
				return edge.Reply{}, err
			}
			return j.cancelReply(job)
		},
	})
}

func (j *jobs) cancelReply(job *view.Job) (edge.Reply, error) {
	body, err := jobBody(job)
	if err != nil {
		return edge.Reply{}, err
	}
	header := map[string]string{"Location": jobPath(j.basePath, job.JobID)}
	return edge.Reply{Response: edge.Response{Status: http.StatusAccepted, Header: header, Body: body}}, nil
}

// jobID is the id in the path. An id that is no UUID names no job.
func jobID(r *http.Request) (id string, err error) {
	if !idPath(&id).ReadPath(r.PathValue) {
		return "", transcript.Errorf(transcript.NotFound, "There is no such job.")
	}
	return id, nil
}
