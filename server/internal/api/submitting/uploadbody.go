package submitting

import (
	"context"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/resumable"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/recordingform"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/server/internal/uploads"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// fileRequest is the query of POST /v1/transcript with a file as its body.
type fileRequest struct {
	wishes
	table request.Table
}

func newFileRequest() *fileRequest {
	f := new(fileRequest)
	f.table = request.Table{Fields: f.fileOptions()}
	return f
}

func readFileRequest(query string) (*fileRequest, error) {
	f := newFileRequest()
	return f, f.table.ReadQuery(query)
}

// kept returns a query without parameters that are not fields.
func (f *fileRequest) kept(query string) string {
	values, _ := url.ParseQuery(query) // as far as it could be read
	fields := f.table.Canonical()
	for name := range values {
		if _, field := fields[name]; !field {
			delete(values, name)
		}
	}
	return values.Encode()
}

// isFile reports whether a body of the media type is a recording.
func isFile(media string) bool { return recordingform.IsMedia(media) }

// receivedFile is the result of reading a POST /v1/transcript with a file as its body.
type receivedFile struct {
	*fileRequest
	*uploads.Upload
	sum string // of the received bytes
}

// createFromFile is POST /v1/transcript with a file as its body.
func (t *Intake) createFromFile(w http.ResponseWriter, r *http.Request) error {
	p := edge.Principal(r)
	if err := MayUpload(p.Plan); err != nil { // as in createFromUpload
		return err
	}
	announced, err := readAnnounced(r, p.Plan)
	if err != nil {
		return err
	}
	h := announced.headers
	var f *receivedFile
	taken := false // by the pipeline, or by the client
	defer func() {
		if f != nil && !taken {
			f.Abort(r.Context())
		}
	}()
	return t.Edge.Once(w, r, edge.Post{
		Read: func() (_ map[string]any, err error) {
			if f, err = t.receiveFile(w, r, p, announced); err != nil {
				return nil, err
			}
			c := canonical(f.table, transcript.Upload)
			c["file"] = f.sum
			return c, nil
		},
		Large: true,
		Do: func(key *db.HeldKey) (edge.Reply, error) {
			taken = true
			if h.resumable && !h.complete {
				if err := f.Hand(context.WithoutCancel(r.Context()), key); err != nil {
					return edge.Reply{}, err
				}
				return t.begunReply(p, f.Parts.ID)
			}
			markWhole(w, h)
			return t.submitArrived(r, p, f, key)
		},
		Again: func(a db.Answer) (edge.Reply, error) {
			if a.Kind == db.UploadAnswer {
				return t.begunReply(p, a.ID)
			}
			markWhole(w, h)
			return t.createdBefore(r, a, f.View)
		},
	})
}

// markWhole tells a sender that supports uploads that the answer is about the whole file.
func markWhole(w http.ResponseWriter, h uploadHeaders) {
	if h.resumable {
		w.Header().Set(resumable.Complete, resumable.Bool(true))
	}
}

// announcedFile is what the headers of a request say about its file.
type announcedFile struct {
	*fileRequest
	headers uploadHeaders
	name    string // may be empty
}

// readAnnounced reads the headers of a request, without its body. It refuses requests that
// can never succeed before it checks conditions that may pass: a request with the same key,
// the disks, the memory.
func readAnnounced(r *http.Request, plan account.Plan) (a announcedFile, err error) {
	if a.headers, err = readUploadHeaders(r); err != nil {
		return a, err
	}
	if a.fileRequest, err = readFileRequest(r.URL.RawQuery); err != nil {
		return a, err
	}
	if err = a.check(plan, http.StatusBadRequest); err != nil {
		return a, err
	}
	if a.name, err = resource.FileName(r); err != nil {
		return a, err
	}
	h := &a.headers
	if !h.resumable || h.complete { // the content is the whole file
		content, err := recordingform.DeclaredDigest(r.Header.Values("Content-Digest"))
		if err != nil {
			return a, err
		}
		if h.digest == nil {
			h.digest = content
		}
	}
	if h.offset > 0 {
		return a, request.Invalid(http.StatusBadRequest, transcript.Issue{Path: resumable.Offset, Message: "must be 0, or left out: the upload begins"})
	}
	size := r.ContentLength
	if h.resumable {
		if err := h.settleLength(r, 0, nil); err != nil {
			return a, err
		}
		if h.length != nil {
			size = *h.length
		}
	}
	return a, uploads.CheckSize(size, plan.MaxUploadBytes)
}

// receiveFile reads a body that is a file, or a part of a file.
func (t *Intake) receiveFile(w http.ResponseWriter, r *http.Request, p account.Principal, a announcedFile) (*receivedFile, error) {
	arrived, err := edge.HoldUpload(r.Context())
	if err != nil {
		return nil, err
	}
	defer arrived()
	if !a.headers.resumable {
		return t.receiveWhole(r, p, a)
	}
	return t.receiveFirst(w, r, p, a)
}

// receiveWhole reads a file whose sender sends the whole file in one request.
func (t *Intake) receiveWhole(r *http.Request, p account.Principal, a announcedFile) (*receivedFile, error) {
	if err := t.Pipeline.Disks.Room(r.ContentLength); err != nil {
		return nil, err
	}
	u, err := t.Pipeline.ReceiveFor(r.Context(), t.uploadSubmission(p, new(uploads.Upload), a.wishes), recordingform.BodyReader{R: r.Body}, p.Plan.MaxUploadBytes)
	if err != nil {
		return nil, brokenFile(err)
	}
	u.Name = a.name
	if err := u.CheckSum(a.headers.digest); err != nil {
		u.Abort(r.Context())
		return nil, err
	}
	return &receivedFile{a.fileRequest, u, hex.EncodeToString(u.SHA256[:])}, nil
}

// receiveFirst begins an upload with the first bytes of a file, or with the whole file.
func (t *Intake) receiveFirst(w http.ResponseWriter, r *http.Request, p account.Principal, a announcedFile) (*receivedFile, error) {
	h := a.headers
	u, err := t.Pipeline.Resumable.Begin(r.Context(), &db.Upload{
		Account: p.Account, Length: h.length, Digest: h.digest, Wishes: a.kept(r.URL.RawQuery), Name: a.name,
	}, p.Plan.MaxUploadBytes)
	if err != nil {
		return nil, err
	}
	sender := informed{w, r, h}
	sender.tell(map[string]string{"Location": uploadPath(t.BasePath, u.Parts.ID), resumable.Limit: uploadLimits(p.Plan)})
	if err = t.appendBody(sender, p, u, a.wishes); err == nil && h.complete {
		err = u.Finish(context.WithoutCancel(r.Context()))
	}
	switch {
	case err == nil:
		return &receivedFile{a.fileRequest, u, hex.EncodeToString(u.Parts.Sum)}, nil
	case h.interim:
		u.Leave(r.Context())
	default: // the client does not know the address of the upload, so no request can continue it
		u.Abort(r.Context())
	}
	return nil, brokenFile(err)
}

// progressEvery is the interval of interim answers about the progress of an upload.
const progressEvery = 5 * time.Second

// appendBody appends the body of a request to an upload.
func (t *Intake) appendBody(sender informed, p account.Principal, u *uploads.Upload, wish wishes) error {
	r := sender.r
	in := uploads.Incoming{Body: recordingform.BodyReader{R: r.Body}, Stop: edge.StopBody(r.Context()), Limit: p.Plan.MaxUploadBytes}
	if sender.h.complete {
		in.Whole = new(t.uploadSubmission(p, new(uploads.Upload), wish))
	}
	told := time.Now()
	in.Kept = func(received int64) {
		if time.Since(told) >= progressEvery {
			told = time.Now()
			sender.tell(map[string]string{resumable.Offset: resumable.Integer(received)})
		}
	}
	return takenOver(u.Append(r.Context(), in))
}

// brokenFile is the answer to a body that ended early.
func brokenFile(err error) error {
	body := recordingform.BodyError{}
	switch {
	case !errors.As(err, &body), errors.Is(err, edge.ErrTooSlow), errors.Is(err, edge.ErrCut), errors.Is(err, edge.ErrStopped):
		return err
	}
	return edge.InvalidBody("ended before it was complete")
}

// submitArrived submits a whole file.
func (t *Intake) submitArrived(r *http.Request, p account.Principal, f *receivedFile, key *db.HeldKey) (edge.Reply, error) {
	if f.Parts != nil {
		err := f.check(p.Plan, http.StatusBadRequest) // the plan may have changed since the upload began
		if err == nil {
			err = f.Join(context.WithoutCancel(r.Context()))
		}
		if err != nil {
			f.Leave(r.Context())
			return edge.Reply{}, err
		}
	}
	return t.submitFile(r, f.Upload, f.wishes, key)
}

// BegunUpload is the 201 body of POST /v1/transcript: a part of a file has arrived.
type BegunUpload struct {
	UploadID string `json:"uploadId" format:"uuid"` // the id, for the routes of the upload
}

// begunReply is the 201 with an upload.
func (t *Intake) begunReply(p account.Principal, id string) (edge.Reply, error) {
	header := map[string]string{
		"Location": uploadPath(t.BasePath, id), resumable.Complete: resumable.Bool(false), resumable.Limit: uploadLimits(p.Plan),
	}
	return edge.ReplyJSON(http.StatusCreated, header, BegunUpload{id})
}

// uploadPath is the path of an upload under the base path of the API.
func uploadPath(basePath, id string) string { return basePath + uploadsPath + strings.ToLower(id) }
