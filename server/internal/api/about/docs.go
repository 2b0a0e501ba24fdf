// Package about has the routes about the service itself: what an account may have, whether the service
// works, and the description of the API.
package about

import (
	"fmt"
	"net/http"

	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/openapi"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
)

// Docs shows the API's own description.
type Docs struct {
	Document func() (openapi.Document, error) // made for the first request
	Pages    *openapi.Pages
}

// Routes are the routes of the API's own description.
func (d *Docs) Routes() []edge.Route {
	return []edge.Route{{
		Method: http.MethodGet, Pattern: "/docs/openapi.json", Open: true,
		Operation: "getOpenAPI", Tag: "service", Summary: "This document.",
		Handle:  d.getOpenAPI,
		Answers: resource.Tagged(edge.Answer{Status: http.StatusOK, Body: map[string]any{}}),
	}, {
		Method: http.MethodGet, Pattern: "/docs", Open: true,
		Operation: "getDocs", Tag: "service", Summary: "This document as pages.",
		Handle:  d.getDocs,
		Answers: resource.Tagged(edge.Answer{Status: http.StatusOK, ContentType: "text/html", Body: ""}),
	}}
}

// getOpenAPI is GET /docs/openapi.json.
func (d *Docs) getOpenAPI(w http.ResponseWriter, r *http.Request) error {
	doc, err := d.Document()
	if err != nil {
		return fmt.Errorf("server: describing the API: %w", err)
	}
	if unchanged(w, r, doc.ETag) {
		return nil
	}
	edge.Respond(w, edge.JSONType, http.StatusOK, doc.Body)
	return nil
}

// PageRoutes are the routes of the pages below /docs, which the description does not list.
func (d *Docs) PageRoutes() []edge.Route {
	return []edge.Route{{Method: http.MethodGet, Pattern: "/docs/{page...}", Open: true, Handle: d.getDocs}}
}

// getDocs is GET /docs and GET /docs/{page...}.
func (d *Docs) getDocs(w http.ResponseWriter, r *http.Request) error {
	p, ok, err := d.Pages.Find(r.PathValue("page"))
	switch {
	case err != nil:
		return fmt.Errorf("server: making the page of a document: %w", err)
	case !ok:
		return edge.ErrUnknownRoute
	case unchanged(w, r, p.ETag):
		return nil
	}
	h := w.Header()
	h.Set("Content-Security-Policy", openapi.PagePolicy())
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	return edge.RespondPacked(w, r, "text/html; charset=utf-8", http.StatusOK, packed.NewBody(p.HTML))
}

// unchanged sets the cache headers, and answers 304 if the client already has the current
// form.
func unchanged(w http.ResponseWriter, r *http.Request, etag string) bool {
	h := w.Header()
	h.Set("ETag", etag)
	h.Set("Cache-Control", "public, max-age=300")
	named := edge.Matches(r.Header.Values("If-None-Match"), etag)
	if named == "" {
		return false
	}
	h.Set("ETag", named)
	w.WriteHeader(http.StatusNotModified)
	return true
}
