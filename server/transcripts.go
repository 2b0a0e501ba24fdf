package server

import (
	"context"
	"net/http"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/pipeline"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// accepted is the 202 body of POST /v1/transcript.
type accepted struct {
	Status         transcript.JobStatus      `json:"status"`
	JobID          string                    `json:"jobId" format:"uuid"`
	Stage          transcript.Stage          `json:"stage"`
	MetadataStatus transcript.MetadataStatus `json:"metadataStatus,omitempty"`
}

// createTranscript is POST /v1/transcript.
func (s *Server) createTranscript(w http.ResponseWriter, r *http.Request) error {
	media, present, err := bodyType(r)
	switch {
	case err != nil:
		return err
	case !present, media == "application/json": // without a body, what is missing is told
		return s.createFromLink(w, r)
	case media == "multipart/form-data":
		return s.createFromUpload(w, r)
	}
	return unsupported("Send the body as application/json or multipart/form-data, and say so in Content-Type.")
}

func (s *Server) createFromLink(w http.ResponseWriter, r *http.Request) error {
	key, err := idempotencyKey(r)
	if err != nil {
		return err
	}
	req, err := readLinkRequest(w, r)
	if err != nil {
		return err
	}
	content, err := s.find(r.Context(), req.source)
	if err != nil {
		return err
	}
	p := principal(r)
	return s.once(w, r, key, operation{
		fingerprint: func() []byte { return fingerprint(r, req.canonical(content.Platform)) },
		do: func(remember pipeline.Remember) (reply, error) {
			return s.submit(w, r, req.wait, pipeline.Submission{
				Account:   p.Account,
				Plan:      p.Plan,
				Content:   content,
				Languages: req.languages,
				View:      req.view,
				Remember:  remember,
			})
		},
		again: func(a db.Answer) error { return s.replay(w, r, a, req.view) },
	})
}

func (s *Server) createFromUpload(w http.ResponseWriter, r *http.Request) error {
	p := principal(r)
	if !p.Plan.Upload {
		return p.Plan.UpgradeRequired("The plan does not include uploads.") // 402 goes before 400
	}
	key, err := idempotencyKey(r)
	if err != nil {
		return err
	}
	var f *uploadForm
	taken := false // by the pipeline
	defer func() {
		if f != nil && !taken {
			s.pipeline.Discard(context.WithoutCancel(r.Context()), f.upload)
		}
	}()
	return s.once(w, r, key, operation{
		read: func() (err error) {
			f, err = s.readForm(r, p.Plan.MaxUploadBytes)
			return err
		},
		fingerprint: func() []byte { return fingerprint(r, f.canonical()) },
		do: func(remember pipeline.Remember) (reply, error) {
			taken = true
			return s.submit(w, r, f.wait, pipeline.Submission{
				Account:   p.Account,
				Plan:      p.Plan,
				Upload:    f.upload,
				Languages: f.languages,
				View:      f.view,
				Remember:  remember,
			})
		},
		again: func(a db.Answer) error { return s.replay(w, r, a, f.view) },
	})
}

// submit hands a request to the pipeline and answers with what becomes of it
// while its sender waits. From here on the request is finished also when the
// sender disconnects, which only ends the wait.
func (s *Server) submit(w http.ResponseWriter, r *http.Request, wait time.Duration, sub pipeline.Submission) (reply, error) {
	ctx := context.WithoutCancel(r.Context())
	out, err := s.pipeline.Submit(ctx, sub)
	if err != nil {
		return reply{}, err
	}
	if out.Result != nil {
		return reply{send: func() error { return s.respondResult(w, out.Result) }}, nil
	}
	job := out.Job
	if wait > 0 { // else it is the job as it was taken, even where it has ended meanwhile
		serving, stop := s.untilStop(r.Context())
		defer stop()
		waiting, cancel := s.cfg.timeout(serving, wait)
		defer cancel()
		if job, err = s.pipeline.Wait(waiting, sub.Account, job.JobID, &sub.View); err != nil {
			return reply{}, err
		}
	}
	if wait == 0 || !job.Status.Terminal() {
		return reply{send: func() error { s.respondAccepted(ctx, w, job.Job); return nil }}, nil
	}
	return s.outcome(w, job), nil
}

// outcome answers with what became of a job while its sender waited. Of failures
// only a 404 is remembered.
func (s *Server) outcome(w http.ResponseWriter, job *pipeline.Job) reply {
	if job.Status == transcript.JobCancelled {
		cancelled := transcript.Errorf(transcript.StateConflict, "The job was cancelled.").With("status", job.Status)
		return reply{forget: true, send: func() error { return cancelled }}
	}
	if job.Status == transcript.JobSuccess && job.Result != nil {
		res := &pipeline.Result{Result: *job.Result, SegmentsJSON: job.SegmentsJSON}
		return reply{keep: &db.Answer{Status: http.StatusOK, JobID: job.JobID}, send: func() error { return s.respondResult(w, res) }}
	}
	err := failure(job)
	said := reply{send: func() error { return err }}
	if said.forget = err.HTTPStatus() != http.StatusNotFound; !said.forget {
		said.keep = &db.Answer{Status: http.StatusNotFound, JobID: job.JobID}
	}
	return said
}

// failure is why a job that has ended has no result.
func failure(job *pipeline.Job) *transcript.Error {
	if job.Error != nil {
		return job.Error
	}
	return transcript.Errorf(transcript.NoTranscript, "The transcript has been deleted.")
}

func (s *Server) respondResult(w http.ResponseWriter, res *pipeline.Result) error {
	before, after, err := wire.SplitResult(&res.Result)
	if err != nil {
		return err
	}
	if after == nil { // a text, which has no segments
		respond(w, http.StatusOK, before)
		return nil
	}
	respond(w, http.StatusOK, before, res.SegmentsJSON, after)
	return nil
}

// respondAccepted hands out a job.
func (s *Server) respondAccepted(ctx context.Context, w http.ResponseWriter, job transcript.Job) {
	w.Header().Set("Location", s.jobPath(job.JobID))
	w.Header().Set("Retry-After", "2")
	s.respondJSON(ctx, w, http.StatusAccepted, accepted{job.Status, job.JobID, job.Stage, job.MetadataStatus})
}

func (s *Server) jobPath(id string) string { return s.cfg.BasePath + "/v1/transcript/job/" + id }
