package resource

import (
	"mime"
	"net/http"
	"path/filepath"

	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// FileNameField describes the header with the name of the file in a body.
func FileNameField() *request.Field {
	return request.New("Content-Disposition", new(string), request.Text(0, 0)).About("The name of the file, as inline; filename*=UTF-8''NAME.")
}

// FileName returns the name of the file in Content-Disposition, or empty if there is
// none.
func FileName(r *http.Request) (string, error) {
	disposition := r.Header.Get("Content-Disposition")
	if disposition == "" {
		return "", nil
	}
	_, params, err := mime.ParseMediaType(disposition)
	if err != nil {
		return "", request.Invalid(http.StatusBadRequest, transcript.Issue{Path: "Content-Disposition", Message: `cannot be read: write inline; filename*=UTF-8''NAME`})
	}
	if params["filename"] == "" {
		return "", nil
	}
	return filepath.Base(params["filename"]), nil
}
