package page_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
)

// Strangers and users read the documents in the layout of the website, in English.
func TestDocs(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.Stranger)
	for path, has := range map[string]string{
		"/docs":                     `href="/docs/operations/getUsage"`,
		"/docs/operations/getUsage": `<article class="document" lang="en" dir="ltr">`,
		"/docs/reference/errors":    `id="not_found"`,
	} {
		got := s.get(t, path)
		assert.Equal(t, http.StatusOK, got.status, path)
		assert.Contains(t, got.body, has, path)
		assert.Contains(t, got.body, `<header class="bar">`, path)
	}
	assert.Equal(t, http.StatusNotFound, s.get(t, "/docs/operations/nothing").status)
}
