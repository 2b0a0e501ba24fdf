package api

import (
	"context"
	"encoding/hex"
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
	"github.com/transcriptkit/transcriptkit/server/internal/pipeline"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// uploadForm is the multipart body of POST /v1/transcript.
type uploadForm struct {
	upload *pipeline.Upload // the file; nil until it has come
	wishes
	table  request.Table
	fields *request.Form
}

func newUploadForm() *uploadForm {
	f := new(uploadForm)
	f.table = request.Table{
		Name:   "FormDataCreateTranscript",
		Fields: append(f.wishes.fields(), languageField(&f.languages), request.File("file").About("The recording: any audio or video that the service can decode.")),
	}
	f.fields = f.table.NewForm()
	return f
}

// maxAroundFile is a bound for the whole form without its file, in bytes.
const maxAroundFile = 256 << 10

// errBody marks a fault of the request's body. A fault of the store has no such mark.
type errBody struct{ error }

func (e errBody) Unwrap() error { return e.error }

// readForm reads a multipart body. The fields may stand before or after the file, which goes
// straight to the store. readForm checks the fields before the file when the file begins. The
// caller owns the upload of the form. After an error no upload is left.
func (t *transcripts) readForm(r *http.Request, p account.Principal) (*uploadForm, error) {
	_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || params["boundary"] == "" {
		return nil, request.Invalid(http.StatusBadRequest, transcript.Issue{Path: "Content-Type", Message: "has no boundary"})
	}
	if len(params["boundary"]) > maxBoundary {
		return nil, request.Invalid(http.StatusBadRequest, transcript.Issue{Path: "Content-Type", Message: fmt.Sprintf("has a boundary of more than %d characters", maxBoundary)})
	}
	if err := pipeline.CheckSize(r.ContentLength-maxAroundFile, p.Plan.MaxUploadBytes); err != nil { // the client need not send it
		return nil, err
	}
	if err := t.pipeline.Disks.Room(r.ContentLength); err != nil {
		return nil, err
	}
	if err := edge.HoldUpload(r.Context()); err != nil {
		return nil, err
	}
	f := newUploadForm()
	body := &partsReader{r: r.Body}
	err = t.readParts(r.Context(), p, &formReader{multipart.NewReader(body, params["boundary"]), body}, f)
	if err == nil {
		err = f.fields.Read()
	}
	if err == nil && f.upload == nil {
		err = transcript.Errorf(transcript.UploadInvalid, "There is no file in the form.").With("part", "file")
	}
	if err != nil {
		if f.upload != nil {
			t.pipeline.Discard(r.Context(), f.upload)
		}
		return nil, err
	}
	return f, nil
}

func (t *transcripts) readParts(ctx context.Context, p account.Principal, parts *formReader, f *uploadForm) error {
	for {
		part, err := parts.next()
		if err == io.EOF { //nolint:errorlint // only the bare one is the form's end: a body that is cut off wraps it
			return parts.end()
		}
		if err != nil {
			return brokenBody(err)
		}
		if name := part.FormName(); name == "file" {
			err = t.readFile(ctx, p, part, f)
		} else {
			err = f.fields.Add(name, bodyReader{part})
		}
		if body := (errBody{}); errors.As(err, &body) {
			return brokenBody(body.error)
		}
		if err != nil {
			return err
		}
	}
}

// canonical is the meaning of the form, in any order of its parts.
func (f *uploadForm) canonical() map[string]any {
	c := canonical(f.table, transcript.Upload)
	c["file"] = hex.EncodeToString(f.upload.SHA256[:])
	return c
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
	cause := errors.New(clip.Text(err.Error())) // the text may repeat a line of the form
	return request.Invalid(http.StatusBadRequest, transcript.Issue{Path: "body", Message: what}).Because(cause)
}

// bodyReader marks the errors of a body.
type bodyReader struct{ r io.Reader }

func (b bodyReader) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if err != nil && err != io.EOF {
		err = errBody{err}
	}
	return n, err
}
