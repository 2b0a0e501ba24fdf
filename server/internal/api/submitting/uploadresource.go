package submitting

import (
	"context"
	"errors"
	"net/http"

	"github.com/transcriptkit/transcriptkit/internal/resumable"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/openapi"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/server/internal/uploads"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The path of an upload is below the path at which it begins. A program that mounts POST
// /v1/transcript with the paths below it therefore mounts uploads too.
const (
	uploadsPath     = "/v1/transcript/uploads/"
	uploadPattern   = uploadsPath + "{uploadId}"
	uploadsFormerly = "/v1/uploads/{uploadId}" // of uploads that began with an earlier version
)

// uploadRoutes are the routes of files that arrive in several requests.
func (t *Intake) uploadRoutes() []edge.Route {
	path := uploadByID.Path(new(string))
	return []edge.Route{
		t.uploadTextRoute(),
		{
			Method: http.MethodOptions, Pattern: "/v1/transcript",
			Operation: "getUploadLimits", Tag: "uploads",
			Summary: "Read the limits of uploads that can be resumed.",
			Scope:   account.Transcripts, Polls: true, Handle: t.getUploadLimits,
			Answers: []edge.Answer{{Status: http.StatusNoContent, Headers: []edge.Header{edge.HeaderUploadLimit}}},
		},
		{
			Method: http.MethodHead, Pattern: uploadPattern, Formerly: uploadsFormerly,
			Operation: "getUpload", Tag: "uploads",
			Summary: "Read how much of an upload has arrived, to continue it.",
			Scope:   account.Transcripts, Polls: true, Handle: t.getUpload, Path: path,
			Answers: []edge.Answer{{
				Status: http.StatusNoContent, Headers: []edge.Header{edge.HeaderUploadComplete, edge.HeaderUploadOffset, edge.HeaderUploadLength, edge.HeaderUploadLimit},
			}},
			Codes: []transcript.Code{transcript.InvalidRequest, transcript.NotFound},
		},
		{
			Method: http.MethodPatch, Pattern: uploadPattern, Formerly: uploadsFormerly,
			Operation: "continueUpload", Tag: "uploads",
			Summary: "Send the next bytes of a file. The last bytes get the answer of POST /v1/transcript.",
			Scope:   account.Transcripts, Polls: true, Handle: t.continueUpload, Path: path,
			Header: uploadTable(resumable.Offset, resumable.Complete, resumable.Length, "Repr-Digest", resumable.Interop),
			Files:  map[string]string{resumable.Partial: "The next bytes of the file."},
			Answers: []edge.Answer{
				{Status: http.StatusNoContent, Headers: []edge.Header{edge.HeaderUploadComplete, edge.HeaderUploadOffset}},
				{Status: http.StatusOK, Body: openapi.TranscriptResult{}, Headers: []edge.Header{edge.HeaderUploadComplete}},
				{Status: http.StatusAccepted, Body: AcceptedJob{}, Headers: []edge.Header{edge.HeaderUploadComplete, edge.HeaderLocation, edge.HeaderRetryAfter}},
			},
			Codes: fileCodes,
		},
		{
			Method: http.MethodDelete, Pattern: uploadPattern, Formerly: uploadsFormerly,
			Operation: "deleteUpload", Tag: "uploads",
			Summary: "Delete an upload.",
			Scope:   account.Transcripts, Polls: true, Handle: uploadByID.Delete(t.Pipeline.Resumable.Cancel), Path: path,
			Answers: []edge.Answer{{Status: http.StatusNoContent}},
			Codes:   []transcript.Code{transcript.NotFound},
		},
	}
}

// fileCodes are the error codes of a complete file.
var fileCodes = []transcript.Code{
	transcript.InvalidRequest, transcript.UploadInvalid, transcript.NotFound, transcript.StateConflict,
	transcript.TranscriptQuotaExceeded, transcript.InsufficientCredits, transcript.VideoTooLong, transcript.ASRQuotaExceeded,
	transcript.MediaTooLarge, transcript.NoTranscript, transcript.ASRConcurrencyLimit, transcript.ConfigError, transcript.NotImplemented,
}

// uploadByID names uploads in paths.
var uploadByID = resource.One{Param: "uploadId", About: "The uploadId, from the Location.", None: "There is no such upload, or it has ended."}

// takeUpload reserves the upload in the path for the request.
func (t *Intake) takeUpload(r *http.Request) (*uploads.Upload, error) {
	id, err := uploadByID.ID(r)
	if err != nil {
		return nil, err
	}
	return t.Pipeline.Resumable.Take(r.Context(), edge.Principal(r).Account, id)
}

// getUploadLimits is OPTIONS /v1/transcript.
func (t *Intake) getUploadLimits(w http.ResponseWriter, r *http.Request) error {
	edge.RespondEmpty(w, map[string]string{
		resumable.Limit: uploadLimits(edge.Principal(r).Plan), "Accept-Patch": resumable.Partial, "Allow": "OPTIONS, POST",
	})
	return nil
}

// getUpload is HEAD /v1/transcript/uploads/{uploadId}. It ends requests that append to the upload,
// so that the returned offset stays correct.
func (t *Intake) getUpload(w http.ResponseWriter, r *http.Request) error {
	h, err := readUploadHeaders(r)
	if err != nil {
		return err
	}
	if h.resumable || h.offset >= 0 {
		return request.Invalid(http.StatusBadRequest, transcript.Issue{Path: resumable.Offset, Message: "and Upload-Complete belong to requests that bring bytes"})
	}
	u, err := t.takeUpload(r)
	if err != nil {
		return err
	}
	header := map[string]string{
		resumable.Complete: resumable.Bool(u.Parts.Complete), resumable.Offset: resumable.Integer(u.Parts.Received),
		resumable.Limit: uploadLimits(edge.Principal(r).Plan), "Cache-Control": "no-store",
	}
	if u.Parts.Length != nil {
		header[resumable.Length] = resumable.Integer(*u.Parts.Length)
	}
	edge.RespondEmpty(w, header)
	return nil
}

// continueUpload is PATCH /v1/transcript/uploads/{uploadId}.
func (t *Intake) continueUpload(w http.ResponseWriter, r *http.Request) error {
	p := edge.Principal(r)
	if err := MayUpload(p.Plan); err != nil {
		return err
	}
	media, present, err := edge.BodyType(r)
	if err != nil {
		return err
	}
	if edge.ContentType(r) != resumable.Partial && (present || r.Header["Content-Type"] != nil) || media != resumable.Partial && present {
		return edge.Unsupported("Send the body as " + resumable.Partial + ", and say so in Content-Type.")
	}
	h, err := readUploadHeaders(r)
	if err != nil {
		return err
	}
	if !h.resumable || h.offset < 0 {
		return request.Invalid(http.StatusBadRequest, transcript.Issue{Path: resumable.Offset, Message: "and " + resumable.Complete + " are needed: ask for them by HEAD"})
	}
	u, err := t.takeUpload(r)
	if err != nil {
		return err
	}
	if u.Parts.Complete {
		return t.answerAgain(w, r, p, h, u)
	}
	w.Header().Set(resumable.Complete, resumable.Bool(false))
	if err := h.checkAnnounced(p.Plan, u.Parts); err != nil {
		return err
	}
	if h.offset != u.Parts.Received {
		return t.wrongOffset(w, h, u.Parts)
	}
	if err := h.settleLength(r, u.Parts.Received, u.Parts.Length); err != nil {
		return err
	}
	if h.length != nil { // which the length of the body may give
		if err := uploads.CheckSize(*h.length, p.Plan.MaxUploadBytes); err != nil {
			return err
		}
	}
	return t.appendAndAnswer(w, r, p, h, u)
}

// wrongOffset refuses bytes that do not follow the bytes that have arrived.
func (t *Intake) wrongOffset(w http.ResponseWriter, h uploadHeaders, u *db.Upload) error {
	w.Header().Set(resumable.Offset, resumable.Integer(u.Received))
	return transcript.Errorf(transcript.StateConflict, "The upload has come to byte %d: continue there.", u.Received).
		With("type", problemOffset).With("expectedOffset", u.Received).With("providedOffset", h.offset)
}

// appendAndAnswer appends the body, and answers as POST /v1/transcript if the file is
// complete.
func (t *Intake) appendAndAnswer(w http.ResponseWriter, r *http.Request, p account.Principal, h uploadHeaders, u *uploads.Upload) error {
	unhurried := context.WithoutCancel(r.Context())
	wished, err := readFileRequest(u.Parts.Wishes)
	if err != nil {
		return err
	}
	err = t.receiveNext(informed{w, r, h}, p, u, wished.wishes)
	if errors.Is(err, uploads.ErrTooLong) {
		u.Abort(unhurried)
		return inconsistent("is less than the bytes that have come: the upload is removed")
	}
	if err == nil && h.complete {
		err = u.Finish(unhurried)
	}
	if err != nil {
		u.Leave(r.Context())
		return takenOver(brokenFile(err))
	}
	if !h.complete {
		edge.RespondEmpty(w, map[string]string{resumable.Offset: resumable.Integer(u.Parts.Received)})
		return nil
	}
	return t.answerWhole(w, r, p, &receivedFile{fileRequest: wished, Upload: u})
}

// receiveNext appends the body of a request.
func (t *Intake) receiveNext(sender informed, p account.Principal, u *uploads.Upload, wish wishes) error {
	ctx := sender.r.Context()
	if err := t.Pipeline.Disks.Room(sender.r.ContentLength); err != nil {
		return err
	}
	arrived, err := edge.HoldUpload(ctx)
	if err != nil {
		return err
	}
	defer arrived()
	if err := u.Announce(ctx, sender.h.length, sender.h.digest); err != nil {
		return err
	}
	return t.appendBody(sender, p, u, wish)
}

// answerWhole answers a request that completes a file.
func (t *Intake) answerWhole(w http.ResponseWriter, r *http.Request, p account.Principal, f *receivedFile) error {
	w.Header().Set(resumable.Complete, resumable.Bool(true))
	re, err := t.submitArrived(r, p, f, nil)
	if err != nil {
		return takenOver(err)
	}
	return re.Send(w, r)
}

// answerAgain answers a request for a complete upload: a sender that has lost the last answer
// asks for it with an empty body.
func (t *Intake) answerAgain(w http.ResponseWriter, r *http.Request, p account.Principal, h uploadHeaders, u *uploads.Upload) error {
	w.Header().Set(resumable.Complete, resumable.Bool(true))
	w.Header().Set(resumable.Offset, resumable.Integer(u.Parts.Received))
	switch {
	case r.ContentLength != 0:
		return inconsistent("is reached: the upload is whole")
	case h.offset != u.Parts.Received:
		return t.wrongOffset(w, h, u.Parts)
	case !h.complete:
		return request.Invalid(http.StatusBadRequest, transcript.Issue{Path: resumable.Complete, Message: "must be ?1: the upload is whole"}).With("type", problemDone)
	}
	wished, err := readFileRequest(u.Parts.Wishes)
	if err != nil {
		return err
	}
	if u.Parts.Answer == (db.Answer{}) { // the process died, or the pipeline refused the file
		return t.answerWhole(w, r, p, &receivedFile{fileRequest: wished, Upload: u})
	}
	re, err := t.createdBefore(r, u.Parts.Answer, wished.View)
	if err != nil {
		return err
	}
	return re.Send(w, r)
}

// takenOver is the answer to a request whose upload another request has taken over.
func takenOver(err error) error {
	if errors.Is(err, db.ErrTakenOver) {
		return edge.ErrStopped
	}
	return err
}
