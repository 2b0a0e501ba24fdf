package corrections_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/internal/corrections"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// TestSplitAndJoin writes each line as "speaker: text start-end", with the words and their times.
func TestSplitAndJoin(t *testing.T) {
	t.Parallel()
	lines := func() []transcript.Segment {
		return []transcript.Segment{
			{Text: "so we went down", Start: 0, Duration: 8, Speaker: "A", Confidence: new(0.9), Words: []transcript.Word{
				{Text: "so", Start: 0, End: 1}, {Text: "we", Start: 1, End: 2}, {Text: "went", Start: 4, End: 6}, {Text: "down", Start: 6, End: 7},
			}},
			{Text: "我们去了", Start: 8, Duration: 4, Speaker: "B", Confidence: new(0.3)},
			{Text: "。然后", Start: 10, Duration: 4},
			{Text: "over it all", Start: 10.5, Duration: 2},
		}
	}
	written := func(lines []transcript.Segment) (all []string) {
		for _, s := range lines {
			line := fmt.Sprintf("%s: %s %g-%g", s.Speaker, s.Text, s.Start, s.End())
			for _, w := range s.Words {
				line += fmt.Sprintf(" %s@%g", w.Text, w.Start)
			}
			all = append(all, line)
		}
		return all
	}
	whole := written(lines())
	type edits = []library.SegmentEdit
	for name, test := range map[string]struct {
		edits   edits
		speaker map[string]string
		want    []string // in the place of the lines from, to
		changed int
	}{
		"at a blank": {edits{{Index: 0, SplitAt: new(5)}}, nil, append([]string{"A: so we 0-2 so@0 we@1", "A: went down 4-8 went@4 down@6"}, whole[1:]...), 2},
		"in a word":  {edits{{Index: 0, SplitAt: new(8), SpeakerAfter: new(" C ")}}, nil, append([]string{"A: so we we 0-5 so@0 we@1 we@4", "C: nt down 5-8 nt@5 down@6"}, whole[1:]...), 2},
		"of a new text": {edits{{Index: 0, Text: new(" We  all "), SplitAt: new(2)}}, map[string]string{"A": "Ada"},
			append([]string{"Ada: We 0-4 We@0", "Ada: all 4-8 all@4"}, whole[1:]...), 2},
		"by characters, not after the next line": {edits{{Index: 2, SplitAt: new(2), SpeakerAfter: new("")}}, nil,
			slices.Concat(whole[:2], []string{": 。然 10-10.5", ": 后 10.5-14"}, whole[3:]), 2},
		"without spaces": {edits{{Index: 2, Join: true}}, nil, slices.Concat(whole[:1], []string{"B: 我们去了。然后 8-14"}, whole[3:]), 2},
		"all":            {edits{{Index: 1, Join: true}, {Index: 2, Join: true}, {Index: 3, Join: true, Text: new("all")}}, nil, []string{"A: so we went down 我们去了。然后 all 0-14"}, 4},
		"a half and the next": {edits{{Index: 1, SplitAt: new(2)}, {Index: 2, Join: true}}, nil,
			slices.Concat(whole[:1], []string{"B: 我们 8-10", "B: 去了。然后 10-14"}, whole[3:]), 2},
	} {
		got, changed, err := corrections.Apply(lines(), library.Edit{Segments: test.edits, Speakers: test.speaker})
		require.NoError(t, err, name)
		assert.Equal(t, test.want, written(got), name)
		assert.Equal(t, test.changed, changed, name)
	}
	joined, _, err := corrections.Apply(lines(), library.Edit{Segments: edits{{Index: 1, Join: true}}})
	require.NoError(t, err)
	assert.InDelta(t, 0.774, *joined[0].Confidence, 1e-9, "by their characters")
	assert.Nil(t, joined[0].Words)

	long := []transcript.Segment{{Text: strings.Repeat("a", 2500)}, {Text: strings.Repeat("b", 2500)}}
	for path, edit := range map[string]library.SegmentEdit{
		"segments.0.splitAt":      {Index: 0, SplitAt: new(2500)},
		"segments.0.join":         {Index: 1, Join: true}, // of 5,001 characters
		"segments.0.speakerAfter": {Index: 0, SpeakerAfter: new("B")},
	} {
		_, _, err := corrections.Apply(long, library.Edit{Segments: edits{edit}})
		require.ErrorIs(t, err, transcript.InvalidRequest)
		assert.ErrorContains(t, err, path)
	}
	for _, edit := range []library.SegmentEdit{{Join: true}, {Index: 1, Join: true, SplitAt: new(1)}, {SplitAt: new(3), Text: new("a b ")}, {Index: 4, Join: true}} {
		_, _, err := corrections.Apply(lines(), library.Edit{Segments: edits{edit}})
		require.ErrorIs(t, err, transcript.InvalidRequest, "%+v", edit)
	}
}

// Random splits and joins keep the characters of the text, the order of the lines, and the time of the whole.
func TestSplitsAndJoinsKeepTheText(t *testing.T) {
	t.Parallel()
	text := rapid.StringOfN(rapid.SampledFrom([]rune("ab 我们。é")), 1, 20, -1).Filter(func(s string) bool { return strings.TrimSpace(s) == s })
	joined := func(lines []transcript.Segment) string {
		var all strings.Builder
		for _, line := range lines {
			all.WriteString(strings.Join(strings.Fields(line.Text), ""))
		}
		return all.String()
	}
	rapid.Check(t, func(t *rapid.T) {
		var lines []transcript.Segment
		at, end := 0.0, 0.0
		for _, said := range rapid.SliceOfN(text, 1, 8).Draw(t, "lines") {
			line := transcript.Segment{Text: said, Start: at, Duration: rapid.Float64Range(0, 5).Draw(t, "length")}
			for i, word := range strings.Fields(said) {
				line.Words = append(line.Words, transcript.Word{Text: word, Start: at + float64(i), End: at + float64(i) + 0.5})
			}
			at += rapid.Float64Range(0, 5).Draw(t, "pause")
			end = max(end, line.End())
			lines = append(lines, line)
		}
		var e library.Edit
		for i, line := range lines {
			switch rapid.IntRange(0, 2).Draw(t, "what") {
			case 1:
				if i > 0 {
					e.Segments = append(e.Segments, library.SegmentEdit{Index: i, Join: true})
				}
			case 2:
				if n := utf8.RuneCountInString(line.Text); n > 1 {
					e.Segments = append(e.Segments, library.SegmentEdit{Index: i, SplitAt: new(rapid.IntRange(1, n-1).Draw(t, "at"))})
				}
			}
		}
		edited, _, err := corrections.Apply(lines, e)
		require.NoError(t, err)
		require.Equal(t, joined(lines), joined(edited))
		last, latest := 0.0, 0.0
		for _, line := range edited {
			require.NotEmpty(t, line.Text)
			require.GreaterOrEqual(t, line.Start, last)
			require.GreaterOrEqual(t, line.Duration, 0.0)
			last, latest = line.Start, max(latest, line.End())
		}
		require.InDelta(t, end, latest, 1e-9)
	})
}

// A split makes a revision that the search finds and that the history restores.
func TestSplitIsARevision(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		put(t, s, "", "v1", []transcript.Segment{{Text: "needle thread", Duration: 2}, {Text: "hay", Start: 2, Duration: 1}}, "acme")
		of, texts := library.Key{Platform: transcript.VideoSite, ExternalID: "v1"}, corrections.New(s)
		split, err := texts.Edit(t.Context(), owner("acme"), of, revision(1), library.Edit{Segments: []library.SegmentEdit{{SplitAt: new(6)}, {Index: 1, Join: true}}})
		require.NoError(t, err)
		whole, err := split.Whole()
		require.NoError(t, err)
		assert.Equal(t, []transcript.Segment{{Text: "needle", Duration: 0.923}, {Text: "thread hay", Start: 0.923, Duration: 2.077}}, whole.Segments)
		_, err = texts.Edit(t.Context(), owner("acme"), of, revision(1), library.Edit{Segments: []library.SegmentEdit{{SplitAt: new(3)}}})
		require.ErrorIs(t, err, transcript.StateConflict, "the same numbers name other lines now")
		all, err := texts.Revisions(t.Context(), "acme", of)
		require.NoError(t, err)
		assert.Equal(t, []int{2, 2, 2, 0}, []int{all[0].Lines, all[0].Changed, all[1].Lines, all[1].Changed})
		_, err = texts.Restore(t.Context(), owner("acme"), of, revision(2), 1)
		require.NoError(t, err)
	})
}
