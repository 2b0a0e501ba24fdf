// Package recordingform reads multipart forms with a recording.
package recordingform

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/internal/uploads"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Form says how to read the fields of a multipart form with a recording in its part
// "file". The fields may come before or after the file, which is stored while it arrives.
type Form struct {
	Field    func(name string, value io.Reader) error // reads a part other than the file
	Check    func() error                             // checks the previous fields when the file begins, so that the client need not send a refused file
	Begin    func() error                             // reserves what the file needs after Check; nil means nothing
	Read     func() error                             // reads the values of all fields, at the end of the form
	Expected func() intake.Submission                 // returns what the previous fields want for the file
}

// maxAroundFile limits the form without its file, in bytes.
const maxAroundFile = 256 << 10

// maxParts is the largest number of parts in a form: enough for all fields and the
// longest lists.
const maxParts = 1000

// BodyError marks a fault of the request's body. A fault of the store is not marked.
type BodyError struct{ error }

// Unwrap returns the error of the reader of the body.
func (e BodyError) Unwrap() error { return e.error }

// reader reads one form.
type reader struct {
	Form
	pipeline  *service.Service
	principal account.Principal
	announced int64           // bytes of the form, negative if they are not known
	upload    *uploads.Upload // nil until the file has arrived
}

// Check refuses a form that can never be accepted, before its body is read: because it has no
// boundary, or because its file is larger than the plan permits.
func Check(r *http.Request, plan account.Plan) error {
	_, err := boundaryOf(r, plan)
	return err
}

func boundaryOf(r *http.Request, plan account.Plan) (string, error) {
	_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	boundary := params["boundary"]
	switch {
	case err != nil, boundary == "":
		return "", request.Invalid(http.StatusBadRequest, transcript.Issue{Path: "Content-Type", Message: "has no boundary"})
	case len(boundary) > maxBoundary:
		return "", request.Invalid(http.StatusBadRequest, transcript.Issue{Path: "Content-Type", Message: fmt.Sprintf("has a boundary of more than %d characters", maxBoundary)})
	}
	return boundary, uploads.CheckSize(r.ContentLength-maxAroundFile, plan.MaxUploadBytes)
}

// Receive reads a form. The caller owns the upload. After an error there is no upload.
func Receive(r *http.Request, p account.Principal, to *service.Service, form Form) (*uploads.Upload, error) {
	boundary, err := boundaryOf(r, p.Plan)
	if err != nil {
		return nil, err
	}
	body := &partsReader{r: r.Body}
	f := &reader{Form: form, pipeline: to, principal: p, announced: r.ContentLength}
	err = f.readParts(r.Context(), &formReader{multipart.NewReader(body, boundary), body})
	if err == nil {
		err = f.Read()
	}
	if err == nil && f.upload == nil {
		err = transcript.Errorf(transcript.UploadInvalid, "There is no file in the form.").With("part", "file")
	}
	if err != nil {
		if f.upload != nil {
			f.upload.Abort(r.Context())
		}
		return nil, err
	}
	return f.upload, nil
}

func (f *reader) readParts(ctx context.Context, parts *formReader) error {
	for range maxParts {
		part, err := parts.next()
		if err == io.EOF { //nolint:errorlint // only the bare one is the form's end: a body that is cut off wraps it
			return parts.end()
		}
		if err != nil {
			return brokenBody(err)
		}
		if name := part.FormName(); name == "file" {
			err = f.readFile(ctx, part)
		} else {
			err = f.Field(name, BodyReader{part})
		}
		if body := (BodyError{}); errors.As(err, &body) {
			return brokenBody(body.error)
		}
		if err != nil {
			return err
		}
	}
	return request.Invalid(http.StatusBadRequest, transcript.Issue{Path: "body", Message: fmt.Sprintf("has %d parts or more", maxParts)})
}

func brokenBody(err error) error {
	what := "is not a multipart form"
	switch {
	case errors.Is(err, edge.ErrTooSlow), errors.Is(err, edge.ErrCut):
		return err
	case errors.Is(err, errPartHeader):
		what = fmt.Sprintf("has a part whose header is larger than %d bytes", maxPartHeader)
	case errors.As(err, new(textproto.ProtocolError)):
		what = "has a part whose header cannot be read: a control character in the name of a file is written as %1B"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		what = "ended before its closing boundary"
	}
	cause := errors.New(clip.Text(err.Error())) // the text of the error may repeat a line of the form
	return request.Invalid(http.StatusBadRequest, transcript.Issue{Path: "body", Message: what}).Because(cause)
}

// BodyReader marks the errors of a body.
type BodyReader struct{ R io.Reader }

func (b BodyReader) Read(p []byte) (int, error) {
	n, err := b.R.Read(p)
	if err != nil && err != io.EOF {
		err = BodyError{err}
	}
	return n, err
}
