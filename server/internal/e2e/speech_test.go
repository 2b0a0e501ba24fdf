package e2e_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/speechtest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// TestSpeechIsUnderstood takes a sentence through the whole service. The recognizer's own
// test hears the whole recording of the demo.
func TestSpeechIsUnderstood(t *testing.T) {
	t.Parallel()
	const said = "First it looks for the places where nobody is speaking."
	s, talk := startService(t), speechtest.Say(t, said)
	res, err := s.Transcripts.Get(t.Context(), transcript.Request{Source: transcript.File(talk), Format: transcript.Text, OmitTimestamp: true})
	require.NoError(t, err)
	rate := speechtest.WordErrorRate(said, res.Text)
	t.Logf("word error rate %.3f", rate)
	assert.Less(t, rate, 0.25)
	assert.Eventually(t, func() bool { return len(s.leftovers(t)) == 0 }, time.Minute, 10*time.Millisecond, "the upload's audio outlived its job")

	again, err := s.Transcripts.Get(t.Context(), transcript.Request{Source: transcript.File(talk)})
	require.NoError(t, err)
	assert.True(t, again.Cached)
}

// TestWordsFarApart says words 20 s of silence apart: each must come back where
// it was said.
func TestWordsFarApart(t *testing.T) {
	t.Parallel()
	words := []string{"morning", "computer", "seventeen", "president", "tomorrow"}
	if testing.Short() {
		words = words[:3]
	}
	path, starts := speechtest.Recite(t, 20*time.Second, words...)
	s := startService(t)
	res, err := s.Transcripts.Get(t.Context(), transcript.Request{Source: transcript.File(path), SendMetadata: true})
	require.NoError(t, err)
	for i, word := range words {
		found := false
		for _, seg := range res.Transcript.Segments {
			if strings.Contains(seg.Text, word) {
				found = true
				assert.InDelta(t, starts[i].Seconds(), seg.Start, 0.5, word)
			}
		}
		assert.True(t, found, "%q was not heard in %v", word, res.Transcript.Segments)
	}
	assert.Len(t, res.Metadata["gaps"], len(words)-1, "the silences are not told")
}
