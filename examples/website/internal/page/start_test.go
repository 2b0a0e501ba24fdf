package page_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
)

func TestStartLeadsToTheText(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	start := s.get(t, "/")
	require.Equal(t, http.StatusOK, start.status)
	assert.Contains(t, start.body, example)

	sent := s.post(t, "/transcripts", "links", " dQw4w9WgXcQ ")
	require.Equal(t, http.StatusSeeOther, sent.status, sent.body)
	text := s.get(t, sent.header.Get("Location"))
	assert.Equal(t, http.StatusOK, text.status)
	assert.Contains(t, text.body, "hello world")
}
