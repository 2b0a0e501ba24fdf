package page

import (
	"net/http"

	"github.com/transcriptkit/transcriptkit/docs"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
)

// showDocs shows a document of the service in the layout of the website.
func showDocs(r *web.Request) error {
	page, ok := docs.Find("/docs", r.PathValue("page"))
	if !ok {
		return web.Nothing(r)
	}
	return r.Show(http.StatusOK, "docs", page)
}
