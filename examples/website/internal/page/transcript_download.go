package page

import (
	"io"
	"net/http"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/library"
)

// downloadText sends a saved text as a file in the format of a button. Checkboxes select times
// and speakers: a browser sends only the checked ones.
func (p *pages) downloadText(r *web.Request) error {
	var told client.Response
	file, err := p.API.Library.Download(r.Context(), keyOf(r), client.DownloadParams{
		Format: library.DownloadFormat(r.FormValue("format")), OmitTimestamps: r.FormValue("times") == "", Speakers: r.FormValue("speakers") != "",
	}, client.WithResponse(&told))
	if err != nil {
		return err
	}
	defer file.Close()
	for _, name := range []string{"Content-Type", "Content-Disposition"} {
		r.W.Header().Set(name, told.Header.Get(name))
	}
	r.W.Header().Set("Cache-Control", "no-store")
	if _, err := io.Copy(r.W, file); err != nil {
		panic(http.ErrAbortHandler) // a truncated file must not look complete
	}
	return nil
}
