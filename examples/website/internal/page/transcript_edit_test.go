package page_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const editPath = "/transcripts/video_site/dQw4w9WgXcQ/edit?language=en"

// twoLines is a text of two lines by one speaker.
func twoLines() transcript.Transcript {
	return transcript.Transcript{Platform: transcript.VideoSite, ExternalID: "dQw4w9WgXcQ", Lang: "en", Segments: []transcript.Segment{
		{Text: "one see", Start: 0, Duration: 2, Speaker: "A"}, {Text: "two <seas>", Start: 2, Duration: 2, Speaker: "A"},
	}}
}

// linesOf returns the lines of the text with their speakers.
func (s *site) linesOf(t *testing.T) (lines []string) {
	t.Helper()
	saved, err := s.api(t).Library.Get(t.Context(), library.Key{Platform: transcript.VideoSite, ExternalID: "dQw4w9WgXcQ", Language: "en"})
	require.NoError(t, err)
	for _, line := range saved.Transcript.Segments {
		lines = append(lines, line.Speaker+": "+line.Text)
	}
	return lines
}

// formOf is the form of two lines, as a browser sends it.
func formOf(first, wasFirst, second, wasSecond string) []string {
	return []string{
		"from", "0", "line", "0", "was", wasFirst, "wasSpeaker", "A", "text", first, "speaker", "A",
		"line", "1", "was", wasSecond, "wasSpeaker", "A", "text", second, "speaker", "A",
	}
}

// The form changes the lines that the visitor has changed, and keeps what others have changed
// in other lines. For the same line it asks.
func TestEditFormMergesLines(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	s.put(t, twoLines())
	shown := s.get(t, editPath)
	require.Equal(t, http.StatusOK, shown.status)
	assert.Contains(t, shown.body, "two &lt;seas&gt;")

	got := s.post(t, editPath, formOf("one sea\r\n", "one see", "two <seas>", "two <seas>")...)
	require.Equal(t, http.StatusSeeOther, got.status, got.body)
	assert.Equal(t, []string{"A: one sea", "A: two <seas>"}, s.linesOf(t))

	got = s.post(t, editPath, formOf("one see", "one see", "two lakes", "two <seas>")...)
	require.Equal(t, http.StatusSeeOther, got.status)
	assert.Equal(t, []string{"A: one sea", "A: two lakes"}, s.linesOf(t), "the change of another stays")

	got = s.post(t, editPath, formOf("my ocean", "one see", "two lakes", "two lakes")...)
	require.Equal(t, http.StatusConflict, got.status)
	assert.Contains(t, got.body, "my ocean")
	assert.Contains(t, got.body, "one sea")
	assert.Equal(t, []string{"A: one sea", "A: two lakes"}, s.linesOf(t))
	got = s.post(t, editPath, formOf("my ocean", "one sea", "two lakes", "two lakes")...)
	require.Equal(t, http.StatusSeeOther, got.status)
	assert.Equal(t, []string{"A: my ocean", "A: two lakes"}, s.linesOf(t))
}

// A line without words, and a form that no page has made, change nothing.
func TestEditFormRefuses(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	s.put(t, twoLines())
	assert.Equal(t, http.StatusUnprocessableEntity, s.post(t, editPath, formOf(" ", "one see", "two <seas>", "two <seas>")...).status)
	assert.Equal(t, http.StatusBadRequest, s.post(t, editPath, "line", "0").status)
	assert.Equal(t, http.StatusConflict, s.post(t, editPath, "line", "9", "was", "a", "wasSpeaker", "", "text", "b", "speaker", "").status)
	assert.Equal(t, http.StatusNotFound, s.get(t, "/transcripts/video_site/nothing0000/edit?language=en").status)
	assert.Equal(t, []string{"A: one see", "A: two <seas>"}, s.linesOf(t))
}

// A speaker gets another name in all lines.
func TestSpeakersAreNamed(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	s.put(t, twoLines())
	got := s.post(t, "/transcripts/video_site/dQw4w9WgXcQ/speakers?language=en", "speaker", "A", "name", " Ada ")
	require.Equal(t, http.StatusSeeOther, got.status)
	assert.Equal(t, []string{"Ada: one see", "Ada: two <seas>"}, s.linesOf(t))
	assert.Contains(t, s.get(t, got.header.Get("Location")).body, "Saved.")
}

// A text gets the visitor's own title, also without JavaScript.
func TestTextIsEntitled(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	s.put(t, twoLines())
	got := s.post(t, "/transcripts/video_site/dQw4w9WgXcQ/title?language=en", "title", " The <sea> ")
	require.Equal(t, http.StatusSeeOther, got.status)
	assert.Contains(t, s.get(t, got.header.Get("Location")).body, `<span id="title">The &lt;sea&gt;</span>`)
}
