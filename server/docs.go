package server

import (
	"fmt"
	"net/http"
)

func (s *Server) docsRoutes() []route {
	return []route{{
		method: http.MethodGet, pattern: "/docs/openapi.json", open: true,
		operation: "getOpenAPI", tag: "service", summary: "This document.",
		handle: s.getOpenAPI,
		answers: []answer{
			{status: http.StatusOK, body: map[string]any{}, headers: []header{headerETag}},
			{status: http.StatusNotModified, headers: []header{headerETag}},
		},
	}, {
		method: http.MethodGet, pattern: "/docs", open: true,
		operation: "getDocs", tag: "service", summary: "This document as a page.",
		handle: s.getDocs,
		answers: []answer{
			{status: http.StatusOK, contentType: "text/html", body: "", headers: []header{headerETag}},
			{status: http.StatusNotModified, headers: []header{headerETag}},
		},
	}}
}

// getOpenAPI is GET /docs/openapi.json.
func (s *Server) getOpenAPI(w http.ResponseWriter, r *http.Request) error {
	d, err := s.document()
	if err != nil {
		return fmt.Errorf("server: describing the API: %w", err)
	}
	h := w.Header()
	h.Set("ETag", d.etag)
	h.Set("Cache-Control", "public, max-age=300")
	if named := matches(r.Header.Values("If-None-Match"), d.etag); named != "" {
		h.Set("ETag", named)
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	respond(w, http.StatusOK, d.body)
	return nil
}
