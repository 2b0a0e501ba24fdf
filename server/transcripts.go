package server

import (
	"context"
	"net/http"
	"time"

	"github.com/transcriptkit/transcriptkit/server/pipeline"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

// accepted is the 202 body of POST /v1/transcript.
type accepted struct {
	Status         transcript.JobStatus      `json:"status"`
	JobID          string                    `json:"jobId" format:"uuid"`
	Stage          transcript.Stage          `json:"stage"`
	MetadataStatus transcript.MetadataStatus `json:"metadataStatus,omitempty"`
}

// createTranscript is POST /v1/transcript (contract 4).
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
	fingerprint := fingerprint(r, req.canonical(content.Platform))
	once, earlier, err := s.takeKey(r, key, fingerprint)
	if err != nil {
		return err
	}
	defer once.end()
	if earlier != nil {
		return s.replay(w, r, earlier, fingerprint, req.view)
	}
	p := principal(r)
	return s.submit(w, r, once, req.wait, pipeline.Submission{
		Account:   p.Account,
		Plan:      p.Plan,
		Content:   content,
		Languages: req.languages,
		View:      req.view,
		Remember:  once.remember(fingerprint),
	})
}

func (s *Server) createFromUpload(w http.ResponseWriter, r *http.Request) error {
	p := principal(r)
	if !p.Plan.Upload {
		return p.Plan.UpgradeRequired("The plan does not include uploads.") // 402 goes before 400 (contract 1)
	}
	key, err := idempotencyKey(r)
	if err != nil {
		return err
	}
	once, earlier, err := s.takeKey(r, key, nil) // the fingerprint is known when the file is
	if err != nil {
		return err
	}
	defer once.end()
	f, err := s.readForm(r, p.Plan.MaxUploadBytes)
	if err != nil {
		return err
	}
	fingerprint := fingerprint(r, f.canonical())
	if earlier != nil {
		s.pipeline.Discard(context.WithoutCancel(r.Context()), f.upload)
		return s.replay(w, r, earlier, fingerprint, f.view)
	}
	return s.submit(w, r, once, f.wait, pipeline.Submission{
		Account:   p.Account,
		Plan:      p.Plan,
		Upload:    f.upload,
		Languages: f.languages,
		View:      f.view,
		Remember:  once.remember(fingerprint),
	})
}

// submit hands a request to the pipeline and answers with what becomes of it
// while its sender waits. From here on the request is finished whether or not
// that one still is there; one who has gone only ends the wait.
func (s *Server) submit(w http.ResponseWriter, r *http.Request, once *once, wait time.Duration, sub pipeline.Submission) error {
	ctx := context.WithoutCancel(r.Context())
	out, err := s.pipeline.Submit(ctx, sub)
	if err != nil {
		return err
	}
	if out.Result != nil {
		return s.respondResult(w, out.Result)
	}
	if wait == 0 { // the job as it was taken, even where it has ended meanwhile (contract 4)
		s.respondAccepted(ctx, w, out.Job.Job)
		return nil
	}
	waiting, stop := s.untilStop(r.Context())
	defer stop()
	job, err := s.pipeline.Wait(waiting, sub.Account, out.Job.JobID, &sub.View, wait)
	if err != nil {
		return err
	}
	return s.respondOutcome(ctx, w, once, job)
}

// respondOutcome answers with what became of a job while its sender waited.
func (s *Server) respondOutcome(ctx context.Context, w http.ResponseWriter, once *once, job *pipeline.Job) error {
	switch {
	case job.Status == transcript.JobSuccess && job.Result != nil:
		once.amend(ctx, job.JobID, &store.Answer{Status: http.StatusOK, JobID: job.JobID})
		return s.respondResult(w, &pipeline.Result{Result: *job.Result, SegmentsJSON: job.SegmentsJSON})
	case job.Status == transcript.JobSuccess, job.Status == transcript.JobFailed:
		err := failure(job)
		once.amend(ctx, job.JobID, rememberedFailure(job.JobID, err))
		return err
	case job.Status == transcript.JobCancelled:
		once.amend(ctx, job.JobID, nil)
		return transcript.Errorf(transcript.StateConflict, "The job was cancelled.").With("status", job.Status)
	}
	s.respondAccepted(ctx, w, job.Job)
	return nil
}

// failure is why a job that has ended has no result.
func failure(job *pipeline.Job) *transcript.Error {
	if job.Error != nil {
		return job.Error
	}
	return transcript.Errorf(transcript.NoTranscript, "The transcript has been deleted.")
}

func (s *Server) respondResult(w http.ResponseWriter, res *pipeline.Result) error {
	before, after, err := format.SplitResult(&res.Result)
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
