package server

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/internal/pipeline"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func (s *Server) jobRoutes() []route {
	return []route{
		{
			method: http.MethodGet, pattern: "/v1/transcript/job/{id}",
			operation: "getTranscriptJob", tag: "jobs",
			summary: "Read a job, and its transcript when it has succeeded. A failed job is a 200 with an error.",
			scope:   account.Transcripts, polls: true, handle: s.getTranscriptJob,
			path: idPath(new(string)), query: jobQuery(new(pipeline.View)),
			answers: []answer{
				{status: http.StatusOK, body: jobAnswer{}, headers: []header{headerETag, headerMayRetryAfter}},
				{status: http.StatusNotModified, headers: []header{headerETag}},
			},
			codes: []transcript.Code{transcript.InvalidRequest, transcript.NotFound},
		},
		{
			method: http.MethodPost, pattern: "/v1/transcript/job/{id}/cancel",
			operation: "cancelTranscriptJob", tag: "jobs",
			summary: "Cancel a job that has not ended.",
			scope:   account.Transcripts, handle: s.cancelTranscriptJob,
			path:    idPath(new(string)),
			answers: []answer{{status: http.StatusAccepted, body: jobAnswer{}, headers: []header{headerLocation, headerReplayed}}},
			codes: []transcript.Code{
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

// jobQuery is the query of GET /v1/transcript/job/{id}: how to see the result.
// What it leaves out stays as the POST asked.
func jobQuery(v *pipeline.View) request.Table {
	return request.Table{Fields: request.WithoutDefaults(viewFields(v))}
}

// getTranscriptJob is GET /v1/transcript/job/{id}.
func (s *Server) getTranscriptJob(w http.ResponseWriter, r *http.Request) error {
	// A bad query is told before the job is looked for; what a good one wants depends
	// on the job.
	if err := jobQuery(new(pipeline.View)).ReadQuery(r.URL.RawQuery); err != nil {
		return err
	}
	id, err := jobID(r)
	if err != nil {
		return err
	}
	account := principal(r).Account
	job, err := s.pipeline.Job(r.Context(), account, id, nil)
	if err != nil {
		return err
	}
	if v, err := asked(r, job); err != nil {
		return err
	} else if v != nil {
		if job, err = s.pipeline.Job(r.Context(), account, id, v); err != nil {
			return err
		}
	}
	etag := fmt.Sprintf(`W/"%d-%d"`, job.Sequence, job.UpdatedAt.UnixMilli())
	if unchanged(w, r, etag) {
		return nil
	}
	if !job.Status.Terminal() {
		w.Header().Set("Retry-After", strconv.Itoa(pollAfter(job.Stage)))
	}
	body, err := jobBody(job)
	if err != nil {
		return err
	}
	return respondPacked(w, r, "application/json", http.StatusOK, body)
}

// asked is the view that the query wants, nil where that is the one of the POST.
func asked(r *http.Request, job *pipeline.Job) (*pipeline.View, error) {
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
func jobBody(job *pipeline.Job) (*packed.Body, error) {
	return around(job.SegmentsJSON, func(dst, segments []byte) ([]byte, error) { return wire.AppendJob(dst, &job.Job, segments) })
}

// cancelTranscriptJob is POST /v1/transcript/job/{id}/cancel.
func (s *Server) cancelTranscriptJob(w http.ResponseWriter, r *http.Request) error {
	if err := checkOptionalType(r); err != nil {
		return err
	}
	account := principal(r).Account
	var id string
	return s.once(w, r, operation{
		read: func() (_ map[string]any, err error) {
			if err := readEmpty(w, r); err != nil {
				return nil, err
			}
			id, err = jobID(r)
			return nil, err
		},
		do: func(key *db.HeldKey) (reply, error) {
			job, err := s.pipeline.Cancel(context.WithoutCancel(r.Context()), account, id, key)
			if err != nil {
				return reply{}, err
			}
			return s.cancelReply(job)
		},
		again: func(a db.Answer) (reply, error) {
			job, err := s.pipeline.Job(r.Context(), account, a.ID, nil)
			if err != nil {
				return reply{}, err
			}
			return s.cancelReply(job)
		},
	})
}

func (s *Server) cancelReply(job *pipeline.Job) (reply, error) {
	body, err := jobBody(job)
	if err != nil {
		return reply{}, err
	}
	header := map[string]string{"Location": s.jobPath(job.JobID)}
	return reply{response: response{http.StatusAccepted, header, body}}, nil
}

// readEmpty reads the body of a POST that takes no members: none, or an empty
// object.
func readEmpty(w http.ResponseWriter, r *http.Request) error {
	return readOptional(w, r, request.Table{})
}

// jobID is the id in the path. What is not a UUID names no job.
func jobID(r *http.Request) (id string, err error) {
	if !idPath(&id).ReadPath(r.PathValue) {
		return "", transcript.Errorf(transcript.NotFound, "There is no such job.")
	}
	return id, nil
}
