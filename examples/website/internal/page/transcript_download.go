package page

import (
	"io"
	"net/http"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/library"
)

// downloadText sends a saved text as a file, in a form that a button of the page names.
// Its boxes say whether times and names are in it: a browser sends those that are checked.
func (p *pages) downloadText(w http.ResponseWriter, r *http.Request) error {
	var told client.Response
	file, err := p.api.Library.Download(r.Context(), keyOf(r), client.DownloadParams{
		Format: library.DownloadFormat(r.FormValue("format")), OmitTimestamps: r.FormValue("times") == "", Speakers: r.FormValue("speakers") != "",
	}, client.WithResponse(&told))
	if err != nil {
		return err
	}
	defer file.Close()
	for _, name := range []string{"Content-Type", "Content-Disposition"} {
		w.Header().Set(name, told.Header.Get(name))
	}
	w.Header().Set("Cache-Control", "no-store")
	if _, err := io.Copy(w, file); err != nil {
		panic(http.ErrAbortHandler) // a file that is cut off must not look whole
	}
	return nil
}
