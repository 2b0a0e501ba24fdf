package page

import (
	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// star adds or removes the star of a row in the library, and returns to the page with the form.
func (p *pages) star(r *web.Request) error {
	key := library.Key{
		Platform: transcript.Platform(r.PathValue("platform")), ExternalID: r.PathValue("externalId"), Language: r.URL.Query().Get("language"),
	}
	set := p.API.Library.Unstar
	if r.PostFormValue("starred") == "true" {
		set = p.API.Library.Star
	}
	if err := set(r.Context(), key); err != nil {
		return err
	}
	return r.Redirect(web.LocalPath(r.PostFormValue("next")))
}
