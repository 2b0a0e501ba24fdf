package server

import (
	"compress/gzip"
	"crypto/sha256"
	_ "embed" // the page
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/swaggest/swgui/v5/static"

	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
)

//go:embed docs.html
var docsHTML string

//go:embed docs.js
var docsScript string

// docsPage is the API as people read it in a browser: Swagger UI, showing the document.
// It is one file that loads nothing else but that.
type docsPage struct {
	html   *packed.Bytes
	etag   string
	policy string // Content-Security-Policy
}

func makeDocsPage() (p docsPage, err error) {
	bundle, err := unpackedAsset("swagger-ui-bundle.js.gz")
	if err != nil {
		return p, err
	}
	style, err := unpackedAsset("swagger-ui.css.gz")
	if err != nil {
		return p, err
	}
	script := bundle + "\n" + docsScript
	html := []byte(strings.NewReplacer("{{style}}", style, "{{script}}", script).Replace(docsHTML))
	p.html = packed.Pack(html)
	p.etag = fmt.Sprintf(`"%x"`, sha256.Sum256(html))[:19] + `"`
	p.policy = strings.Join([]string{
		"default-src 'none'",
		"script-src " + sourceHash(script),
		"style-src 'unsafe-inline'", // Swagger UI writes styles of its own
		"img-src data:",
		"connect-src 'self'",
		"base-uri 'none'",
		"form-action 'none'",
		"frame-ancestors 'none'",
	}, "; ")
	return p, nil
}

// sourceHash permits one script by what it says, and no other.
func sourceHash(script string) string {
	sum := sha256.Sum256([]byte(script))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func unpackedAsset(name string) (string, error) {
	f, err := static.FS.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // it is in memory
	r, err := gzip.NewReader(f)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(r)
	return string(text), err
}

// getDocs is GET /docs.
func (s *Server) getDocs(w http.ResponseWriter, r *http.Request) error {
	p, err := s.docsPage()
	if err != nil {
		return fmt.Errorf("server: making the page of the API: %w", err)
	}
	h := w.Header()
	h.Set("ETag", p.etag)
	h.Set("Cache-Control", "public, max-age=300")
	if named := edge.Matches(r.Header.Values("If-None-Match"), p.etag); named != "" {
		h.Set("ETag", named)
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	h.Set("Content-Security-Policy", p.policy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	return edge.RespondPacked(w, r, "text/html; charset=utf-8", http.StatusOK, packed.NewBody(p.html))
}
