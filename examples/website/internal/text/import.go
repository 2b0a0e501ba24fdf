package text

import (
	"cmp"
	"crypto/rand"
	"encoding/base64"
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
	Tag, Other string       // the language that the visitor chose in the list, and the one that the visitor typed
	Kept       *keptFile    // the file of a refused form; nil: none
	Field      string       // with the fault: "file" or "language"
	Fault      string       // empty: no fault
	Refusal    *web.Trouble // why the service has not taken the file; nil: it was not asked
	MaxBytes   int64
	Replaces   bool
	Extensions string // that the form offers
}

// maxKept bounds a file that a refused form keeps, in bytes. A form that the sign-in page holds has
// room for the file.
const maxKept = 512 << 10

// keptFile is a file that a refused form keeps in the page, because browsers do not keep it.
type keptFile struct {
	Name    string
	content []byte
}

// Encoded returns the content as the form holds it.
func (f *keptFile) Encoded() string { return base64.StdEncoding.EncodeToString(f.content) }

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
	shown.reading, shown.Replaces = reading{Transcript: saved.Transcript, Known: true}, true
	return shown, nil
}

// save makes the file of a form a text, and goes to its page. The history of a replaced
// text keeps the text as it was.
func (p imports) save(r *web.Request) error {
	shown, err := p.formOf(r)
	if err != nil {
		return err
	}
	sent, format, fault := readImport(r.Request)
	shown.Tag, shown.Other = r.PostFormValue("tag"), strings.TrimSpace(r.PostFormValue("lang"))
	if fault != "" {
		shown.Field, shown.Fault = "file", r.Text(fault)
		return r.Show(http.StatusUnprocessableEntity, "import", *shown)
	}
	if len(sent.content) <= maxKept {
		shown.Kept = &sent
	}
	key := library.Key{Platform: shown.Platform, ExternalID: shown.ExternalID, Language: cmp.Or(shown.Other, shown.Tag, shown.Lang)}
	if key.Language == "" {
		shown.Field, shown.Fault = "language", r.Text("import.noLanguage")
		return r.Show(http.StatusUnprocessableEntity, "import", *shown)
	}
	file := library.Import{Format: format, Content: sent.content, Name: sent.Name}
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
		if web.FirstIssue(refused.Details).Path == "language" {
			shown.Field, shown.Fault = "language", r.Text("transcript.badLanguage")
		} else {
			shown.Field, shown.Fault, shown.Kept = "file", r.Text("import.unreadable"), nil
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

// importFormats are the formats of files by the ends of their names.
var importFormats = map[string]library.DownloadFormat{
	".srt": library.SRT, ".vtt": library.VTT, ".sbv": library.SBV, ".ass": library.ASS, ".ssa": library.ASS, ".json": library.Podcast, ".txt": library.TXT,
}

// readImport reads the file of a form, or the one that the form has kept. fault is the key of the
// text that describes a fault; empty: there is none.
func readImport(r *http.Request) (sent keptFile, format library.DownloadFormat, fault string) {
	var tooLarge *http.MaxBytesError
	if err := r.ParseMultipartForm(1 << 20); errors.As(err, &tooLarge) {
		return sent, "", "import.tooLarge"
	} else if err != nil {
		return sent, "", "import.noFile"
	}
	if sent, err := chosenFile(r); err != nil || len(sent.content) == 0 {
		return sent, "", "import.noFile"
	} else if format, ok := importFormats[strings.ToLower(path.Ext(sent.Name))]; ok {
		return sent, format, ""
	}
	return sent, "", "import.otherFile"
}

// chosenFile returns the file that the visitor has chosen, or else the one that the form has kept.
func chosenFile(r *http.Request) (sent keptFile, err error) {
	file, header, err := r.FormFile("file")
	if err != nil || header.Filename == "" {
		content, err := base64.StdEncoding.DecodeString(r.PostFormValue("kept"))
		return keptFile{r.PostFormValue("keptName"), content}, err
	}
	defer file.Close()
	content, err := io.ReadAll(file)
	return keptFile{header.Filename, content}, err
}
