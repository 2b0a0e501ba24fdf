package server

import (
	"fmt"
	"net/http"

	"github.com/transcriptkit/transcriptkit/server/internal/edge"
)

func (s *Server) docsRoutes() []edge.Route {
	return []edge.Route{{
		Method: http.MethodGet, Pattern: "/docs/openapi.json", Open: true,
		Operation: "getOpenAPI", Tag: "service", Summary: "This document.",
		Handle: s.getOpenAPI,
		Answers: []edge.Answer{
			{Status: http.StatusOK, Body: map[string]any{}, Headers: []edge.Header{edge.HeaderETag}},
			{Status: http.StatusNotModified, Headers: []edge.Header{edge.HeaderETag}},
		},
	}, {
		Method: http.MethodGet, Pattern: "/docs", Open: true,
		Operation: "getDocs", Tag: "service", Summary: "This document as a page.",
		Handle: s.getDocs,
		Answers: []edge.Answer{
			{Status: http.StatusOK, ContentType: "text/html", Body: "", Headers: []edge.Header{edge.HeaderETag}},
			{Status: http.StatusNotModified, Headers: []edge.Header{edge.HeaderETag}},
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
	if named := edge.Matches(r.Header.Values("If-None-Match"), d.etag); named != "" {
		h.Set("ETag", named)
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	edge.Respond(w, edge.JsonType, http.StatusOK, d.body)
	return nil
}
