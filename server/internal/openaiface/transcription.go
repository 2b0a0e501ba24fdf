package openaiface

import (
	"context"
	"net/http"
	"time"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/jobs"
	"github.com/transcriptkit/transcriptkit/server/internal/api/recordingform"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/api/submitting"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/uploads"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// recheck is the time between two checks of the key of a request that waits.
const recheck = 10 * time.Second

// createTranscription is POST /v1/audio/transcriptions. The answer begins when the result of the
// job is known. Only a stream begins when the job is accepted.
func (f *Face) createTranscription(w http.ResponseWriter, r *http.Request) error {
	p := edge.Principal(r)
	media, present, err := edge.BodyType(r)
	if err != nil {
		return err
	}
	if !present || media != "multipart/form-data" {
		return edge.Unsupported("Send the recording and the other fields as multipart/form-data.")
	}
	if err := submitting.MayUpload(p.Plan); err != nil { // check the plan before the request
		return err
	}
	if err := recordingform.Check(r, p.Plan); err != nil {
		return err
	}
	closed := func() {}
	defer func() { closed() }()
	asked, upload, err := f.read(r, p, func() error {
		opened, err := f.API.Jobs.OpenStream(r.Context(), p)
		if err == nil {
			closed = opened
		}
		return err
	})
	if err != nil {
		return err
	}
	// The end of the connection ends the wait, but not the job.
	out, err := upload.Commit(context.WithoutCancel(r.Context()), f.submission(p, asked, upload))
	if err != nil {
		return err
	}
	if asked.stream {
		return f.stream(w, r, asked, out)
	}
	return f.answer(w, r, asked, out)
}

// submission converts a request for the pipeline.
func (f *Face) submission(p account.Principal, asked *form, upload *uploads.Upload) intake.Submission {
	return intake.Submission{
		Account: p.Account, Plan: p.Plan, Wish: intake.Wish{Languages: asked.spoken(), Prompt: asked.guide(), View: view.View{Format: transcript.JSON}},
		Admit: f.Admit.Of(p, resource.Operation{
			ID: createTranscription, Platform: transcript.Upload, ExternalID: upload.ExternalID(), UploadBytes: upload.Size,
		}),
	}
}

// answer waits for the end of a job, and answers with the text.
func (f *Face) answer(w http.ResponseWriter, r *http.Request, asked *form, out *intake.Outcome) error {
	res := out.Result
	if res == nil {
		job, err := f.wait(r, out.Job.JobID)
		if err != nil {
			return err
		}
		if res, err = f.result(r.Context(), edge.Principal(r).Account, job); err != nil {
			return err
		}
	}
	body, err := f.API.Intake.Rendered(res, answerWriter, asked.options(), func() ([]byte, error) {
		said, err := f.heard(r.Context(), edge.Principal(r).Account, asked, res)
		if err != nil {
			return nil, err
		}
		return said.render(asked)
	})
	if err != nil {
		return err
	}
	return edge.RespondPacked(w, r, asked.format.mediaType(), http.StatusOK, body)
}

// answerWriter is the version of the written form of an answer.
const answerWriter = "openai1"

// wait returns a job when it has ended. The request may wait as long as the recording needs, while
// its client is connected and its key is valid.
func (f *Face) wait(r *http.Request, id string) (*view.Job, error) {
	ctx := r.Context()
	defer edge.Waiting(ctx)()
	serving, stop := f.Lifetime.Until(ctx)
	defer stop()
	for {
		waiting, cancel := context.WithTimeout(serving, recheck)
		job, err := f.Pipeline.Jobs.Wait(waiting, edge.Principal(r).Account, id, nil)
		cancel()
		switch {
		case err != nil || job.Status.Terminal():
			return job, err
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case serving.Err() != nil:
			return nil, edge.Unavailable()
		case !edge.MayStay(ctx, account.Transcripts):
			return nil, edge.ErrInvalidCredential
		}
	}
}

// result is the text of a job that has ended, or the reason why there is none.
func (f *Face) result(ctx context.Context, owner string, job *view.Job) (*view.Result, error) {
	if _, failure := jobs.Outcome(job); failure != nil {
		return nil, failure
	}
	return f.Pipeline.Jobs.Transcript(ctx, owner, job.TranscriptRef, view.View{})
}
