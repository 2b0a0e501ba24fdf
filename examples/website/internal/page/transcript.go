package page

import (
	"net/http"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// transcript shows a saved text.
func (p *pages) transcript(w http.ResponseWriter, r *http.Request) error {
	saved, err := p.api.Library.Get(r.Context(), library.Key{
		Platform: transcript.Platform(r.PathValue("platform")), ExternalID: r.PathValue("externalId"), Language: r.FormValue("language"),
	})
	if err != nil {
		return err
	}
	return p.show(w, r, http.StatusOK, "transcript", saved)
}
