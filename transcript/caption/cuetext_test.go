package caption_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// Segments share memory. A caller that appends to the words of one, or keeps one,
// changes no other.
func TestSegmentsStandAlone(t *testing.T) {
	t.Parallel()
	segments, err := segmentsOf(caption.ReadWebVTT(strings.NewReader("WEBVTT\n\n" +
		"00:01.000 --> 00:02.000\na<00:01.500> b\n\n" +
		"00:02.000 --> 00:03.000\nc<00:02.500> d\n\n" +
		"00:03.000 --> 00:04.000\ne<00:03.500> f\n\n")))
	require.NoError(t, err)
	require.Len(t, segments, 3)
	before := shown(segments)
	for _, s := range segments {
		_ = append(s.Words, s.Words...) // not what it returns matters, but what it overwrites
	}
	assert.Equal(t, before, shown(segments))
}

// A reference reaches no further than the longest name, and is read no further.
func TestReferencesEnd(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 100)
	for text, want := range map[string]string{
		"&" + long:    "&" + long,
		"&amp" + long: "&" + long,
		"&CounterClockwiseContourIntegral;" + long: "∳" + long,
		"&CounterClockwiseContourIntegrals;":       "&CounterClockwiseContourIntegrals;",
		strings.Repeat("&", 100):                   strings.Repeat("&", 100),
		"&#" + strings.Repeat("0", 100) + "65;b":   "Ab",
	} {
		f, err := caption.ReadWebVTT(strings.NewReader("WEBVTT\n\n00:01.000 --> 00:02.000\n" + text + "\n"))
		require.NoError(t, err)
		assert.Equal(t, want, f.Segments[0].Text)
	}
}
