package page_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
)

const historyPath = "/transcripts/video_site/dQw4w9WgXcQ/history?language=en"

// The history shows what each revision changed, restores an older one, and offers to undo that.
func TestHistoryRestoresAndUndoes(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	s.put(t, twoLines())
	assert.Contains(t, s.get(t, historyPath).body, "the text now", "a text without corrections has one revision")
	require.Equal(t, http.StatusSeeOther, s.post(t, editPath, formOf("one <sea>", "one see", "two <seas>", "two <seas>")...).status)

	shown := s.get(t, historyPath+"&revision=2")
	require.Equal(t, http.StatusOK, shown.status)
	assert.Contains(t, shown.body, `<del dir="auto">A: one see</del><ins dir="auto">A: one &lt;sea&gt;</ins>`)
	assert.NotContains(t, shown.body, "two &lt;seas&gt;", "a line that stays is no change")

	got := s.post(t, historyPath, "revision", "1")
	require.Equal(t, http.StatusSeeOther, got.status, got.body)
	assert.Equal(t, []string{"A: one see", "A: two <seas>"}, s.linesOf(t))
	restored := s.get(t, got.header.Get("Location"))
	assert.Contains(t, restored.body, "The text is version 1 again.")
	assert.Contains(t, restored.body, "Undo")

	got = s.post(t, historyPath, "revision", "2")
	require.Equal(t, http.StatusSeeOther, got.status)
	assert.Equal(t, []string{"A: one <sea>", "A: two <seas>"}, s.linesOf(t))
}

// An address or a form that no page has made restores and shows nothing.
func TestHistoryRefuses(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	s.put(t, twoLines())
	assert.Equal(t, http.StatusOK, s.get(t, historyPath+"&revision=99&restored=x&undo=-1").status)
	assert.Equal(t, http.StatusNotFound, s.post(t, historyPath, "revision", "99").status)
	assert.Equal(t, http.StatusBadRequest, s.post(t, historyPath, "revision", "x").status)
	assert.Equal(t, http.StatusNotFound, s.get(t, "/transcripts/video_site/nothing0000/history").status)
}
