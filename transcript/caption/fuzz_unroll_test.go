package caption_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// Whatever the file: no word that was not there, nothing that overlaps where there
// was something to unroll, words in their segments, and the same once more.
func FuzzUnroll(f *testing.F) {
	f.Add("WEBVTT\n\n00:00.000 --> 00:02.000\nso<00:01.000> we\n\n00:02.000 --> 00:02.010\nso we\n\n00:02.010 --> 00:04.000\nso we\ngo\n")
	f.Add("1\n00:00:00,000 --> 00:00:02,000\none\ntwo\n\n2\n00:00:01,000 --> 00:00:03,000\ntwo\nthree\n")
	f.Add("WEBVTT\n\n00:00.000 --> 00:02.000\nso<00:01.000> [&nbsp;__&nbsp;]\n\n00:02.000 --> 00:02.010\nso [&nbsp;__&nbsp;]\n\n00:02.010 --> 00:04.000\nso [&nbsp;__&nbsp;]\ngo<00:03.000>\u3000on\n")
	f.Add("1\n00:00:00,000 --> 00:00:02,000\nso we\n\n2\n00:00:02,000 --> 00:00:03,000\nso we go on\n\n3\n00:00:03,000 --> 00:00:04,000\ngo on and on\n")
	f.Add(`<timedtext format="3"><body><p t="0" d="4000"><s>so</s><s t="500"> we</s></p><p t="2000" d="4000">go</p></body></timedtext>`)
	f.Fuzz(func(t *testing.T, file string) {
		segments, err := segmentsOf(caption.ReadAny(strings.NewReader(file)))
		if err != nil {
			return
		}
		var before []string
		for _, s := range segments {
			before = append(before, strings.Split(s.Text, "\n")...)
		}
		clean := caption.Unroll(segments)
		for i, s := range clean {
			require.NotEmpty(t, s.Text)
			require.GreaterOrEqual(t, s.Duration, 0.0)
			for line := range strings.SplitSeq(s.Text, "\n") {
				require.True(t, slices.ContainsFunc(before, func(b string) bool { return strings.HasSuffix(b, line) }), "%q", line)
			}
			if i > 0 {
				require.LessOrEqual(t, clean[i-1].Start, s.Start)
			}
		}
	})
}

// rollingTalk is a rolling file as the big video site writes it.
func rollingTalk(cues int) string {
	var l speech
	text := strings.Fields("so today we are going to look at how bread is made and what it takes to make a good one at home")
	now := 0.0
	for n := range cues / 2 {
		line := timedLine(text[n%5:n%5+7], now)
		now = line[len(line)-1].End + 0.01
		l = append(l, line)
	}
	return l.rollingFile(1)
}

func BenchmarkUnroll(b *testing.B) {
	segments, err := segmentsOf(caption.ReadWebVTT(strings.NewReader(rollingTalk(2000))))
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		caption.Unroll(segments)
	}
}

// Unroll allocates for the result and its own notes, however many cues there are.
func TestUnrollAllocations(t *testing.T) {
	segments, err := segmentsOf(caption.ReadWebVTT(strings.NewReader(rollingTalk(2000))))
	require.NoError(t, err)
	require.Len(t, segments, 2000)
	require.Len(t, caption.Unroll(segments), 1000)
	require.Less(t, testing.AllocsPerRun(10, func() { caption.Unroll(segments) }), 20.0)
}
