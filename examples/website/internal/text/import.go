package text

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"path"
	"strings"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// maxImportBytes bounds a file that becomes a text. It is the API's bound, too.
const maxImportBytes = 8 << 20

// importPage is a form that makes a file the text of a content.
type importPage struct {
	reading                 // the text that the file replaces; zero: the file becomes a text of its own
	Asked      string       // the language as the visitor wrote it
	Field      string       // with the fault: "file" or "language"
	Fault      string       // empty: no fault
	Refusal    *web.Trouble // why the service has not taken the file; nil: it was not asked
	MaxBytes   int64
	Replaces   bool
	Extensions string // that the form offers
}

// imports are the forms that make a file a text.
type imports struct{ *web.Site }

// show shows the form. Without a content in its path the file becomes a new text.
func (p imports) show(r *web.Request) error {
	shown, err := p.formOf(r)
	if err != nil {
		return err
	}
	return r.Show(http.StatusOK, "import", *shown)
}

// formOf returns the form for the content in the path of a request.
func (p imports) formOf(r *web.Request) (*importPage, error) {
	shown := &importPage{MaxBytes: maxImportBytes, Extensions: ".srt,.vtt,.sbv,.ass,.ssa,.json,.txt"}
	key := library.Key{ // its language stands in the address, so that the form is read later
		Platform: transcript.Platform(r.PathValue("platform")), ExternalID: r.PathValue("externalId"), Language: r.URL.Query().Get("language"),
	}
	if key.ExternalID == "" {
		return shown, nil
	}
	saved, err := p.API.Library.Get(r.Context(), key)
	if err != nil {
		return nil, err
	}
	shown.reading, shown.Replaces, shown.Asked = reading{Transcript: saved.Transcript, Known: true}, true, saved.Transcript.Lang
	return shown, nil
}

// save makes the file of a form a text, and goes to its page. The history of a replaced
// text keeps the text as it was.
func (p imports) save(r *web.Request) error {
	shown, err := p.formOf(r)
	if err != nil {
		return err
	}
	file, fault := readImport(r.Request)
	shown.Asked = cmp.Or(strings.TrimSpace(r.PostFormValue("lang")), shown.Asked)
	if fault == "" && shown.Asked == "" {
		shown.Field, shown.Fault = "language", r.Text("import.noLanguage")
	}
	if fault != "" {
		shown.Field, shown.Fault = "file", r.Text(fault)
	}
	if shown.Fault != "" {
		return r.Show(http.StatusUnprocessableEntity, "import", *shown)
	}
	key := library.Key{Platform: shown.Platform, ExternalID: shown.ExternalID, Language: shown.Asked}
	if shown.Replaces {
		key.Language = shown.Lang
		saved, err := p.API.Library.Get(r.Context(), key)
		if err != nil {
			return err
		}
		file.Revision = saved.Revision
	} else {
		key.Platform, key.ExternalID = transcript.Upload, newUploadID()
	}
	saved, err := p.API.Library.Import(r.Context(), key, file)
	var refused *client.Error
	if errors.As(err, &refused) && refused.Code == transcript.InvalidRequest {
		shown.Field, shown.Fault = "file", r.Text("import.unreadable")
		if web.FirstIssue(refused.Details).Path == "language" {
			shown.Field, shown.Fault = "language", r.Text("transcript.badLanguage")
		}
		return r.Show(http.StatusUnprocessableEntity, "import", *shown)
	}
	if err != nil {
		shown.Refusal = r.Trouble(err)
		return r.Show(shown.Refusal.Status, "import", *shown)
	}
	return r.Redirect(web.TextPath(saved.Transcript.Platform, saved.Transcript.ExternalID, saved.Transcript.Lang))
}

// newUploadID returns the id of a content that no platform has.
func newUploadID() string {
	id := make([]byte, 16)
	_, _ = rand.Read(id) // it never fails
	return hex.EncodeToString(id)
}

// readImport reads the file of a form. fault is the key of the text that describes a fault;
// empty: there is none.
func readImport(r *http.Request) (read library.Import, fault string) {
	var tooLarge *http.MaxBytesError
	if err := r.ParseMultipartForm(1 << 20); errors.As(err, &tooLarge) {
		return read, "import.tooLarge"
	} else if err != nil {
		return read, "import.noFile"
	}
	file, header, err := r.FormFile("file")
	if err != nil {
		return read, "import.noFile"
	}
	defer file.Close()
	if read.Content, err = io.ReadAll(file); err != nil || len(read.Content) == 0 {
		return read, "import.noFile"
	}
	formats := map[string]library.DownloadFormat{
		".srt": library.SRT, ".vtt": library.VTT, ".sbv": library.SBV, ".ass": library.ASS, ".ssa": library.ASS, ".json": library.Podcast, ".txt": library.TXT,
	}
	var ok bool
	if read.Format, ok = formats[strings.ToLower(path.Ext(header.Filename))]; !ok {
		return read, "import.otherFile"
	}
	read.Name = header.Filename
	return read, ""
}
