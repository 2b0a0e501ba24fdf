package server

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/internal/pipeline"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// uploadForm is the multipart body of POST /v1/transcript.
type uploadForm struct {
	upload *pipeline.Upload
	wishes
	table request.Table
}

func newUploadForm() *uploadForm {
	f := new(uploadForm)
	f.table = request.Table{
		Name:   "FormDataCreateTranscript",
		Fields: append(f.wishes.fields(), languageField(&f.languages), request.File("file")),
	}
	return f
}

// errBody marks a fault of the request's body, apart from one of the store.
type errBody struct{ error }

func (e errBody) Unwrap() error { return e.error }

// readForm reads a multipart body: the fields may stand before or after the
// file, which goes straight to the store. The caller owns the upload of a form
// that comes without an error; after an error nothing is left.
func (s *Server) readForm(r *http.Request, limit int64) (*uploadForm, error) {
	_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || params["boundary"] == "" {
		return nil, request.Invalid(http.StatusBadRequest, transcript.Issue{Path: "Content-Type", Message: "has no boundary"})
	}
	if len(params["boundary"]) > maxBoundary {
		return nil, request.Invalid(http.StatusBadRequest, transcript.Issue{Path: "Content-Type", Message: fmt.Sprintf("has a boundary of more than %d characters", maxBoundary)})
	}
	if err := s.pipeline.Room(r.ContentLength); err != nil {
		return nil, err
	}
	f := newUploadForm()
	fields := f.table.NewForm()
	body := &partsReader{r: r.Body}
	err = s.readParts(r.Context(), &formReader{multipart.NewReader(body, params["boundary"]), body}, f, fields, limit)
	if err == nil {
		err = fields.Read()
	}
	if err == nil && f.upload == nil {
		err = transcript.Errorf(transcript.UploadInvalid, `The form has no part "file".`)
	}
	if err != nil {
		if f.upload != nil {
			s.pipeline.Discard(r.Context(), f.upload)
		}
		return nil, err
	}
	return f, nil
}

func (s *Server) readParts(ctx context.Context, parts *formReader, f *uploadForm, fields *request.Form, limit int64) error {
	for {
		part, err := parts.next()
		if err == io.EOF { //nolint:errorlint // only the bare one is the form's end: a body that is cut off wraps it
			return parts.end()
		}
		if err != nil {
			return brokenBody(err)
		}
		if name := part.FormName(); name == "file" {
			err = s.readFile(ctx, part, f, limit)
		} else {
			err = fields.Add(name, bodyReader{part})
		}
		if body := (errBody{}); errors.As(err, &body) {
			return brokenBody(body.error)
		}
		if err != nil {
			return err
		}
	}
}

func (s *Server) readFile(ctx context.Context, part *multipart.Part, f *uploadForm, limit int64) error {
	if f.upload != nil {
		return transcript.Errorf(transcript.UploadInvalid, `The form has more than one part "file".`)
	}
	if err := checkDeclared(part.Header.Get("Content-Type")); err != nil {
		return err
	}
	digest, err := declaredDigest(part.Header.Values("Content-Digest"))
	if err != nil {
		return err
	}
	u, err := s.pipeline.Receive(ctx, bodyReader{part}, limit)
	if err != nil {
		return err
	}
	u.Name = part.FileName()
	f.upload = u // from here on readForm discards it
	if digest != nil && subtle.ConstantTimeCompare(digest, u.SHA256[:]) != 1 {
		return transcript.Errorf(transcript.UploadInvalid, "The file does not have the SHA-256 that Content-Digest says.")
	}
	return nil
}

// checkDeclared refuses a declared type that no media has. What the file really
// is, its content decides.
func checkDeclared(contentType string) error {
	if contentType == "" {
		return nil
	}
	t, _, err := mime.ParseMediaType(contentType)
	kind, sub, _ := strings.Cut(t, "/")
	if err == nil && sub != "" && (kind == "audio" || kind == "video" || t == "application/ogg" || t == "application/octet-stream") {
		return nil
	}
	return transcript.Errorf(transcript.UploadInvalid, "The file is declared as %q; audio, video and application/octet-stream are taken.", clip.Text(contentType))
}

// declaredDigest is the SHA-256 of a Content-Digest header (RFC 9530), nil when
// there is none.
func declaredDigest(values []string) ([]byte, error) {
	for _, entry := range strings.Split(strings.Join(values, ","), ",") {
		algorithm, value, _ := strings.Cut(strings.TrimSpace(entry), "=")
		if !strings.EqualFold(algorithm, "sha-256") {
			continue
		}
		inner, ok := strings.CutPrefix(value, ":")
		if ok {
			inner, ok = strings.CutSuffix(inner, ":")
		}
		digest, err := base64.StdEncoding.DecodeString(inner)
		if !ok || err != nil || len(digest) != sha256.Size {
			return nil, transcript.Errorf(transcript.UploadInvalid, "Content-Digest is not of the form sha-256=:BASE64:.")
		}
		return digest, nil
	}
	return nil, nil
}

// canonical is what the form asks for, whatever the order of its parts.
func (f *uploadForm) canonical() map[string]any {
	c := canonical(f.table, transcript.Upload)
	c["file"] = hex.EncodeToString(f.upload.SHA256[:])
	return c
}

func brokenBody(err error) error {
	what := "is not a multipart form"
	switch {
	case errors.Is(err, errTooSlow):
		return err
	case errors.Is(err, errPartHeader):
		what = fmt.Sprintf("has a part whose header is larger than %d bytes", maxPartHeader)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		what = "ended before its closing boundary"
	}
	cause := errors.New(clip.Text(err.Error())) // it may repeat a line of the form
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
