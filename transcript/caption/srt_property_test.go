package caption_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

// TestSRTRoundTrip: segments without overlap, of at least 0.2 s and of lines that
// fit, come back as they were.
func TestSRTRoundTrip(t *testing.T) {
	t.Parallel()
	line := rapid.StringMatching(`([a-zA-Z0-9,.!?éд&-]{1,20}|東{1,10})( [a-zA-Z0-9,.!?éд{}&-]{1,20})?`)
	rapid.Check(t, func(t *rapid.T) {
		now := int64(0)
		var segs []transcript.Segment
		for range rapid.IntRange(1, 20).Draw(t, "n") {
			now += rapid.Int64Range(0, 10_000).Draw(t, "gap")
			length := rapid.Int64Range(200, 10_000).Draw(t, "length")
			text := strings.Join(rapid.SliceOfN(line, 1, 2).Draw(t, "lines"), "\n")
			segs = append(segs, transcript.Segment{Text: text, Start: float64(now) / 1000, Duration: float64(length) / 1000})
			now += length
		}
		got, err := segmentsOf(caption.ReadSRT(bytes.NewReader(format.AppendSRT(nil, segs))))
		require.NoError(t, err)
		require.Len(t, got, len(segs))
		for i, s := range segs {
			require.Equal(t, s.Text, got[i].Text)
			require.InDelta(t, s.Start, got[i].Start, 1e-3)
			require.InDelta(t, s.Duration, got[i].Duration, 1e-3)
		}
	})
}

// TestSRTKeepsText: the joined text of anything that is written comes back, but
// for white space, with which the writer breaks what looks like syntax.
func TestSRTKeepsText(t *testing.T) {
	t.Parallel()
	part := rapid.OneOf(
		rapid.SampledFrom([]string{" ", " ", "\n", "a", "--", ">", "-->", "<", "<i>", "</i>", "<br>", "&amp;", "&", "&am", "p;", "#39;", "amp;amp;",
			`{\an8}`, `\`, `\N`, `\h`, "N", "h", "e\u0301", "👨‍👩‍👧", "東京", "\u00a0", "\u3000", "\r\n", "\x00", "\xff", "42", "\uFEFF", strings.Repeat("x", 50)}),
		rapid.StringN(0, 20, -1),
	)
	rapid.Check(t, func(t *rapid.T) {
		var segs []transcript.Segment
		for i := range rapid.IntRange(0, 6).Draw(t, "n") {
			text := strings.Join(rapid.SliceOfN(part, 0, 10).Draw(t, "parts"), "")
			segs = append(segs, transcript.Segment{Text: text, Start: float64(i), Duration: 1})
		}
		file := format.AppendSRT(nil, segs)
		if len(file) == 0 {
			return
		}
		got, err := segmentsOf(caption.ReadSRT(bytes.NewReader(file)))
		require.NoError(t, err)
		require.Equal(t, letters(segs), letters(got), "%q", file)
	})
}

// letters is the text of all segments without white space, and without what no
// reader shows.
func letters(segs []transcript.Segment) string {
	var b strings.Builder
	for _, s := range segs {
		for _, r := range s.Text {
			if unicode.IsSpace(r) || strings.ContainsRune("\u200B\u200C\u200D\u2060\uFEFF", r) {
				continue
			}
			if unicode.IsControl(r) {
				r = unicode.ReplacementChar
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}
