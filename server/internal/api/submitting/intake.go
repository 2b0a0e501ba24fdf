// Package submitting has the routes that take links and files for transcripts: POST /v1/transcript,
// and the uploads that arrive in several requests. Other interfaces of the service use it too.
package submitting

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/resumable"
	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/jobs"
	"github.com/transcriptkit/transcriptkit/server/internal/api/recordingform"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/limits"
	"github.com/transcriptkit/transcriptkit/server/internal/openapi"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/internal/uploads"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

const (
	createTranscript = "createTranscript"
	recordingBody    = "A recording, or the first bytes of it. The query has the fields of the form."
)

// Intake turns links and uploaded files into transcripts.
type Intake struct {
	*resource.Shared
	Pages *Pages
	links linkRequests
}

// Routes are the routes of POST /v1/transcript and of uploads.
func (t *Intake) Routes() []edge.Route {
	return append([]edge.Route{
		{
			Method: http.MethodPost, Pattern: "/v1/transcript",
			Operation: createTranscript, Tag: "transcripts",
			Summary: "Turn a link or an uploaded file into a timestamped transcript.",
			Scope:   account.Transcripts, Handle: t.createTranscript,
			Body: newLinkRequest().table, Form: newUploadForm().table,
			Answers: []edge.Answer{
				{Status: http.StatusOK, Body: openapi.TranscriptResult{}, Headers: []edge.Header{edge.HeaderUploadComplete, edge.HeaderReplayed}},
				{Status: http.StatusAccepted, Body: AcceptedJob{}, Headers: []edge.Header{edge.HeaderLocation, edge.HeaderRetryAfter, edge.HeaderUploadComplete, edge.HeaderReplayed}},
				{Status: http.StatusCreated, Body: BegunUpload{}, Headers: []edge.Header{edge.HeaderLocation, edge.HeaderUploadComplete, edge.HeaderUploadLimit, edge.HeaderReplayed}},
			},
			Query:  newFileRequest().table,
			Header: uploadTable(resumable.Complete, resumable.Length, "Repr-Digest", "Content-Disposition", resumable.Interop),
			Files: map[string]string{
				"audio/*": recordingBody, "video/*": recordingBody, "application/ogg": recordingBody, "application/octet-stream": recordingBody,
			},
			Codes: []transcript.Code{
				transcript.InvalidRequest, transcript.InvalidVideo, transcript.UnsupportedPlatform, transcript.UploadInvalid,
				transcript.TranscriptQuotaExceeded, transcript.InsufficientCredits, transcript.VideoTooLong, transcript.ASRQuotaExceeded,
				transcript.MediaTooLarge, transcript.NoTranscript, transcript.LanguageNotAvailable, transcript.Unavailable,
				transcript.IdempotencyConflict, transcript.IdempotencyInProgress, transcript.StateConflict, transcript.ASRConcurrencyLimit,
				transcript.UpstreamFailed, transcript.IPBlocked, transcript.POTokenRequired, transcript.LoginRequired,
				transcript.ConfigError, transcript.NotImplemented,
			},
		},
	}, t.uploadRoutes()...)
}

// AcceptedJob is the 202 body of POST /v1/transcript.
type AcceptedJob struct {
	Status         transcript.JobStatus      `json:"status"`                   // what to branch on
	JobID          string                    `json:"jobId" format:"uuid"`      // the id, for the routes of the job
	Stage          transcript.Stage          `json:"stage"`                    // the stage of the job
	MetadataStatus transcript.MetadataStatus `json:"metadataStatus,omitempty"` // how much is already known about the content
}

// createTranscript is POST /v1/transcript.
func (t *Intake) createTranscript(w http.ResponseWriter, r *http.Request) error {
	media, present, err := edge.BodyType(r)
	switch {
	case err != nil:
		return err
	case isFile(edge.ContentType(r)): // even without a body, because the bytes of an upload may come later
		return t.createFromFile(w, r)
	case !present && edge.ContentType(r) == "multipart/form-data":
		return edge.InvalidBody(`is missing: send a form with a part "file"`)
	case !present, media == "application/json": // without a body, the answer names the missing fields
		return t.createFromLink(w, r)
	case media == "multipart/form-data":
		return t.createFromUpload(w, r)
	}
	return edge.Unsupported("Send the body as application/json, multipart/form-data, or a recording as audio/*, video/* or application/octet-stream, and say so in Content-Type.")
}

func (t *Intake) createFromLink(w http.ResponseWriter, r *http.Request) error {
	p := edge.Principal(r)
	req := t.links.next()
	defer t.links.done(req)
	var match site.Match
	return t.Edge.Once(w, r, edge.Post{
		Read: func() (_ map[string]any, err error) {
			if err := req.read(w, r); err != nil {
				return nil, err
			}
			if match, err = t.MatchRecording(req.Source); err != nil {
				return nil, err
			}
			if match.Short || match.Platform == transcript.Upload { // the default language depends on the content of the link
				return req.table.Canonical(), nil
			}
			return canonical(req.table, match.Platform), nil
		},
		Cached: func() (*edge.Reply, error) {
			if match.Short { // the request follows the link while it holds its key
				return nil, nil
			}
			return t.fromCache(r, match, req)
		},
		Do: func(key *db.HeldKey) (edge.Reply, error) {
			sub, err := t.linkSubmission(r, match, req)
			if err != nil {
				return edge.Reply{}, err
			}
			content := sub.Content
			sub.Admit = t.Admit.Of(p, resource.Operation{ID: createTranscript, Platform: content.Platform, ExternalID: content.ExternalID})
			sub.Key = key
			return t.submit(r, req.wait, sub, t.Pipeline.Submit)
		},
		Again: func(a db.Answer) (edge.Reply, error) { return t.createdBefore(r, a, req.View) },
	})
}

// linkSubmission is a request for a link as a submission. A short link is resolved.
func (t *Intake) linkSubmission(r *http.Request, match site.Match, req *linkRequest) (intake.Submission, error) {
	p := edge.Principal(r)
	content, err := t.ContentOf(r.Context(), match)
	return intake.Submission{Account: p.Account, Plan: p.Plan, Content: content, Wish: req.Wish}, err
}

// fromCache returns the reply to a request for a link if the cache can answer without a
// write. Otherwise it returns nil, and the pipeline decides.
func (t *Intake) fromCache(r *http.Request, match site.Match, req *linkRequest) (*edge.Reply, error) {
	sub, err := t.linkSubmission(r, match, req)
	if err != nil {
		return nil, err
	}
	res, err := t.Pipeline.Cached(r.Context(), sub)
	if err != nil || res == nil {
		return nil, err
	}
	re, err := t.cachedReply(res, sub.View)
	re.About = db.Answer{Kind: db.TranscriptAnswer, ID: res.TextID}
	return &re, err
}

func (t *Intake) createFromUpload(w http.ResponseWriter, r *http.Request) error {
	p := edge.Principal(r)
	if err := MayUpload(p.Plan); err != nil { // check the plan before the request
		return err
	}
	if err := recordingform.Check(r, p.Plan); err != nil {
		return err
	}
	var f *uploadForm
	taken := false // by the pipeline
	defer func() {
		if f != nil && !taken {
			f.upload.Abort(context.WithoutCancel(r.Context()))
		}
	}()
	return t.Edge.Once(w, r, edge.Post{
		Read: func() (_ map[string]any, err error) {
			if f, err = t.readForm(r, p); err != nil {
				return nil, err
			}
			return f.canonical(), nil
		},
		Large: true,
		Do: func(key *db.HeldKey) (edge.Reply, error) {
			taken = true
			return t.submitFile(r, f.upload, f.wishes, key)
		},
		Again: func(a db.Answer) (edge.Reply, error) { return t.createdBefore(r, a, f.View) },
	})
}

// MayUpload refuses an upload that the plan does not permit.
func MayUpload(plan account.Plan) error {
	switch {
	case !plan.Upload:
		return plan.UpgradeRequired("The plan does not include uploads.")
	case !limits.Recognizes(plan):
		return plan.UpgradeRequired("The plan does not include speech recognition, without which an upload has no text.")
	}
	return nil
}

// uploadSubmission converts a received file into a submission.
func (t *Intake) uploadSubmission(p account.Principal, upload *uploads.Upload, wish wishes) intake.Submission {
	return intake.Submission{
		Account: p.Account, Plan: p.Plan, Wish: wish.Wish,
		Admit: t.Admit.Of(p, resource.Operation{
			ID: createTranscript, Platform: transcript.Upload, ExternalID: upload.ExternalID(), UploadBytes: upload.Size,
		}),
	}
}

// submitFile is submit for a received file.
func (t *Intake) submitFile(r *http.Request, file *uploads.Upload, wish wishes, key *db.HeldKey) (edge.Reply, error) {
	sub := t.uploadSubmission(edge.Principal(r), file, wish)
	sub.Key = key
	return t.submit(r, wish.wait, sub, file.Commit)
}

// take is the function that accepts a submission of a link or of a file.
type take func(context.Context, intake.Submission) (*intake.Outcome, error)

// submit submits a request, waits as long as the client asks, and replies with the result or the
// job.
func (t *Intake) submit(r *http.Request, wait time.Duration, sub intake.Submission, take take) (edge.Reply, error) {
	out, err := t.submitted(r.Context(), wait, sub, take)
	switch {
	case err != nil:
		return edge.Reply{}, err
	case out.Result != nil:
		return t.cachedReply(out.Result, sub.View)
	case !out.Job.Status.Terminal():
		re, err := t.acceptedReply(out.Job.Job)
		re.About = db.Answer{Kind: db.JobAnswer, ID: out.Job.JobID}
		return re, err
	}
	re, err := outcomeReply(out.Job)
	re.About = db.Answer{Kind: db.OutcomeAnswer, ID: out.Job.JobID}
	return re, err
}

// submitted submits a request, waits as long as the client asks, and returns the outcome. The end
// of the connection ends the wait, but not the job. If the account has no wait left, submitted
// returns the job at once.
func (t *Intake) submitted(ctx context.Context, wait time.Duration, sub intake.Submission, take take) (*intake.Outcome, error) {
	out, err := take(context.WithoutCancel(ctx), sub)
	if err != nil || out.Result != nil || wait == 0 { // without a wait, return the job at once
		return out, err
	}
	release, ok := edge.TakeWait(ctx)
	if !ok {
		return out, nil
	}
	defer release()
	serving, stop := t.Lifetime.Until(ctx)
	defer stop()
	waiting, cancel := t.Timeout(serving, wait)
	defer cancel()
	defer edge.Waiting(ctx)()
	job, err := t.Pipeline.Jobs.Wait(waiting, sub.Account, out.Job.JobID, &sub.View)
	return &intake.Outcome{Job: job}, err
}

// createdBefore repeats the answer of an earlier request.
func (t *Intake) createdBefore(r *http.Request, a db.Answer, v view.View) (edge.Reply, error) {
	account := edge.Principal(r).Account
	switch a.Kind {
	case db.JobAnswer: // the first state of the job, whatever its current state
		return t.acceptedReply(transcript.Job{JobID: a.ID, Status: transcript.JobPending, Stage: transcript.StageQueued})
	case db.OutcomeAnswer:
		job, err := t.Pipeline.Jobs.Job(r.Context(), account, a.ID, &v)
		if err != nil {
			return edge.Reply{}, err
		}
		return outcomeReply(job)
	case db.RefusedAnswer:
		return edge.Reply{}, transcript.Errorf(transcript.UploadInvalid, "%s", a.Note)
	case db.TranscriptAnswer:
		res, err := t.Pipeline.Jobs.Transcript(r.Context(), account, a.ID, v)
		if err != nil {
			return edge.Reply{}, err
		}
		return resultReply(res)
	}
	return edge.Reply{}, fmt.Errorf("server: the answer of an earlier request is of kind %q, which this version does not know", a.Kind)
}

// acceptedReply is the 202 with a job.
func (t *Intake) acceptedReply(job transcript.Job) (edge.Reply, error) {
	header := map[string]string{"Location": jobs.Path(t.BasePath, job.JobID), "Retry-After": "2"}
	return edge.ReplyJSON(http.StatusAccepted, header, AcceptedJob{job.Status, job.JobID, job.Stage, job.MetadataStatus})
}

// outcomeReply is the reply about a job that has ended.
func outcomeReply(job *view.Job) (edge.Reply, error) {
	res, failure := jobs.Outcome(job)
	if failure != nil {
		return edge.Reply{Failure: failure}, nil //nolint:nilerr // the reply carries the failure
	}
	return resultReply(res)
}

func resultReply(res *view.Result) (edge.Reply, error) {
	body, err := resultBody(res)
	return edge.Reply{Response: edge.Response{Status: http.StatusOK, Body: body}}, err
}

// resultWriter is the version of the written form of a result.
const resultWriter = "result3"

// cachedReply is resultReply for a result from the cache, which clients often request again.
// The same view of the same text gives the same answer.
func (t *Intake) cachedReply(res *view.Result, v view.View) (edge.Reply, error) {
	var media *transcript.Recording
	if res.Transcript != nil {
		media = res.Transcript.Media
	}
	tag := resource.MadeOf(res.TextID, res.TextChanged, resultWriter,
		string(v.Format), strconv.FormatBool(v.OmitTimestamp), strconv.FormatBool(v.SendMetadata), resource.MediaMark(media))
	body, err := t.Recent.Remembered(tag, func() (*packed.Body, error) { return resultBody(res) })
	return edge.Reply{Response: edge.Response{Status: http.StatusOK, Body: body}}, err
}

func resultBody(res *view.Result) (*packed.Body, error) {
	return resource.Around(res.SegmentsJSON, func(dst, segments []byte) ([]byte, error) {
		return wire.AppendResult(dst, &res.Result, segments)
	})
}
