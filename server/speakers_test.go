package server_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Who speaks is in each form of a saved text, in what a search finds, and in what models read.
func TestSpeakersAreInEveryFormOfAText(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, err := s.PutTranscript(t.Context(), servertest.Account, transcript.Transcript{
		Platform: transcript.VideoSite, ExternalID: video, Lang: "en", Segments: []transcript.Segment{
			{Text: "Good morning.", Start: 0, Duration: 1, Speaker: "Ann"}, {Text: "A needle.", Start: 1, Duration: 1, Speaker: "Lee"},
		},
	})
	require.NoError(t, err)
	for query, want := range map[string]string{
		"format=json":               `"speaker":"Lee"`,
		"format=podcast":            `"speaker":"Lee"`,
		"format=vtt":                "<v Lee>A needle.",
		"format=vtt-words":          "<v Lee>A needle.",
		"format=md":                 "**Lee:**",
		"format=srt&speakers=true":  "Lee: A needle.",
		"format=txt&speakers=true":  "Lee: A needle.",
		"format=srt&speakers=false": "\nA needle.",
	} {
		a := s.get(t, savedVideo+"/download?"+query)
		require.Equal(t, http.StatusOK, a.StatusCode, a.body)
		assert.Contains(t, a.body, want, query)
	}
	found := s.get(t, "/v1/library/search?q=needle")
	require.Equal(t, http.StatusOK, found.StatusCode, found.body)
	assert.Contains(t, found.body, `"speaker":"Lee"`)
	page, _ := s.chunks(t, "")
	require.Len(t, page.Chunks, 1)
	assert.Equal(t, []string{"Ann", "Lee"}, page.Chunks[0].Speakers)
	read := call(t, s.model(t, s.Key), "get_transcript", map[string]any{"url": video})
	require.False(t, read.IsError, block(t, read, 0))
	assert.Equal(t, "[00:00:00] Ann: Good morning.\n[00:00:01] Lee: A needle.", block(t, read, 1))
}
