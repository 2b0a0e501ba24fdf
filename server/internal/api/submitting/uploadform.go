package submitting

import (
	"encoding/hex"
	"net/http"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/recordingform"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/server/internal/uploads"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// uploadForm is the multipart body of POST /v1/transcript.
type uploadForm struct {
	upload *uploads.Upload // the file; nil until it has arrived
	wishes
	table  request.Table
	fields *request.Form
}

func newUploadForm() *uploadForm {
	f := new(uploadForm)
	f.table = request.Table{
		Name:   "FormDataCreateTranscript",
		Fields: append(f.fileOptions(), request.File("file").About("The recording: any audio or video that the service can decode.")),
	}
	f.fields = f.table.NewForm()
	return f
}

// readForm reads a multipart body. The caller owns the upload of the form.
func (t *Intake) readForm(r *http.Request, p account.Principal) (_ *uploadForm, err error) {
	f := newUploadForm()
	f.upload, err = recordingform.Receive(r, p, t.Pipeline, recordingform.Form{
		Field: f.fields.Add,
		Check: func() error {
			if err := f.fields.Check(); err != nil {
				return err
			}
			return f.check(p.Plan, http.StatusUnprocessableEntity)
		},
		Read: func() error {
			if err := f.fields.Read(); err != nil {
				return err
			}
			return f.check(p.Plan, http.StatusUnprocessableEntity)
		},
		Expected: func() intake.Submission { return t.uploadSubmission(p, new(uploads.Upload), f.wishes) },
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// canonical is the canonical form of the fields, in any order of their parts.
func (f *uploadForm) canonical() map[string]any {
	c := canonical(f.table, transcript.Upload)
	c["file"] = hex.EncodeToString(f.upload.SHA256[:])
	return c
}
