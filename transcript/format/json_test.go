package format_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

func ptr[T any](v T) *T { return &v }

// sample has what is hard to write: line breaks, silences, overlaps, hours,
// quotes, bytes that are no text, and metadata that looks like the members that
// are put in.
func sample() *transcript.Transcript {
	moment := transcript.At(time.Date(2026, 11, 21, 2, 3, 34, 123_000_000, time.UTC))
	return &transcript.Transcript{
		ID: "019321a0-7c11-7c3e-9a55-2f6d1f0c9b11", Platform: transcript.Upload, ExternalID: "0123456789abcdef0123456789abcdef",
		Lang: "en", Title: ptr(`"segments":[]}`), DurationSec: ptr(360_003),
		Metadata: map[string]any{"segments": []any{}, "transcript": nil, "text": `"segments":[],"transcript":null}`},
		Source:   transcript.OriginASR, Status: transcript.Ready, CreatedAt: moment, UpdatedAt: moment,
		Segments: []transcript.Segment{
			{Text: "Good evening.", Start: 0, Duration: 1.5},
			{Text: "  She said:\n\"Wait\"\r\n\tand left. ", Start: 1.5, Duration: 2.001},
			{Text: "He\\she <b>&amp; it</b>", Start: 3.1, Duration: 4, Speaker: "A \"B\""},
			{Text: "(overlapping)", Start: 4, Duration: 0.5, Confidence: ptr(0.875)},
			{Text: " \n ", Start: 6, Duration: 1},
			{Text: "Two seconds later.", Start: 9.1, Duration: 1.9, Confidence: ptr(1e-7)},
			{Text: "Not quite two.", Start: 12.999, Duration: 0},
			{Text: "bell\a, separators\u2028\u2029, bad \xff\xc3(, 東京 👩", Start: 3599.9996, Duration: 3},
			{Text: "No-break\u00a0space stays\u00a0", Start: 360_000, Duration: 3},
		},
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := "testdata/" + name
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(path, got, 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got))
}

func TestGoldenJSON(t *testing.T) {
	t.Parallel()
	got, err := format.AppendJSON(nil, sample())
	require.NoError(t, err)
	golden(t, "transcript.json", got)
}
