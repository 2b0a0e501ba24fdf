package openapi

import (
	"compress/gzip"
	"crypto/sha256"
	_ "embed" // the page
	"encoding/base64"
	"fmt"
	"io"
	"strings"

	"github.com/swaggest/swgui/v5/static"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
)

//go:embed docs.html
var docsHTML string

//go:embed docs.js
var docsScript string

// Page shows the document to people in a browser, by Swagger UI. The page is a single file, which
// loads only the document.
type Page struct {
	HTML   *packed.Bytes
	ETag   string
	Policy string // Content-Security-Policy
}

// NewPage makes the page.
func NewPage() (p Page, err error) {
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
	p.HTML = packed.Pack(html)
	p.ETag = fmt.Sprintf(`"%x"`, sha256.Sum256(html))[:19] + `"`
	p.Policy = strings.Join([]string{
		"default-src 'none'",
		"script-src " + sourceHash(script),
		"style-src 'unsafe-inline'", // Swagger UI adds its own styles
		"img-src data:",
		"connect-src 'self'",
		"base-uri 'none'",
		"form-action 'none'",
		"frame-ancestors 'none'",
	}, "; ")
	return p, nil
}

// sourceHash is the source of a Content-Security-Policy that permits one script by its text.
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
