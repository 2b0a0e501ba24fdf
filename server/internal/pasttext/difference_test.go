package pasttext_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/internal/pasttext"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// talk is a text with a number of lines, of which each has a word.
func talk(n int) []transcript.Segment {
	lines := make([]transcript.Segment, n)
	for i := range lines {
		at := float64(i) * 2.5
		lines[i] = transcript.Segment{Text: fmt.Sprintf("what they say } in line %d, \"so\"", i*7919%1000), Start: at, Duration: 2.5, Speaker: "A",
			Words: []transcript.Word{{Text: "what", Start: at, End: at + 1}}}
	}
	return lines
}

func pack(lines []transcript.Segment) (segments, words *packed.Bytes) {
	return packed.Pack(wire.AppendSegments(nil, lines)), packed.Pack(wire.AppendWords(nil, lines))
}

// TestDifferences changes a text at random, and makes the text before from each difference.
func TestDifferences(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		before := talk(rapid.IntRange(700, 1500).Draw(t, "lines"))
		after := slices.Clone(before)
		for range rapid.IntRange(0, 20).Draw(t, "changes") {
			if len(after) == 0 {
				break
			}
			i := rapid.IntRange(0, len(after)-1).Draw(t, "line")
			to := rapid.IntRange(i, min(i+100, len(after))).Draw(t, "to")
			switch rapid.IntRange(0, 5).Draw(t, "change") {
			case 0:
				after[i].Text = rapid.String().Draw(t, "text")
			case 1:
				after = slices.Delete(after, i, to)
			case 2:
				after = slices.Insert(after, i, talk(rapid.IntRange(0, 100).Draw(t, "more"))...)
			case 3:
				after = slices.Concat(after[to:], after[i:to], after[:i])
			case 4:
				after[i].Words = nil
			case 5:
				for k := range after {
					after[k].Speaker = "Ada"
				}
			}
		}
		if rapid.Bool().Draw(t, "older is the changed text") {
			before, after = after, before
		}
		segments, words := pack(before)
		newSegments, newWords := pack(after)
		requireDifference(t, segments, newSegments)
		requireDifference(t, words, newWords)
		requireDifference(t, segments, newWords)
	})
}

func requireDifference(t require.TestingT, older, newer *packed.Bytes) {
	stored, err := pasttext.Difference(older, newer)
	require.NoError(t, err)
	if stored == nil {
		return
	}
	is, err := newer.Plain()
	require.NoError(t, err)
	was, err := older.Plain()
	require.NoError(t, err)
	made, err := pasttext.Older(stored, is)
	require.NoError(t, err)
	require.True(t, bytes.Equal(was, made))
}

// TestFewChangesAreFewBytes compares texts of 20,000 lines.
func TestFewChangesAreFewBytes(t *testing.T) {
	t.Parallel()
	before := talk(20_000)
	segments, _ := pack(before)
	for name, c := range map[string]struct {
		change func([]transcript.Segment) []transcript.Segment
		most   int // bytes
	}{
		"nothing":        {func(l []transcript.Segment) []transcript.Segment { return l }, 60},
		"one line":       {func(l []transcript.Segment) []transcript.Segment { l[10_000].Text = "corrected"; return l }, 200},
		"ends":           {func(l []transcript.Segment) []transcript.Segment { l[0].Text, l[19_999].Text = "a", "b"; return l }, 200},
		"a line is gone": {func(l []transcript.Segment) []transcript.Segment { return slices.Delete(l, 10, 11) }, 200},
		"a line comes": {func(l []transcript.Segment) []transcript.Segment {
			return slices.Insert(l, 10, transcript.Segment{Text: "b"})
		}, 200},
		"a speaker of all lines": {func(l []transcript.Segment) []transcript.Segment {
			for i := range l {
				l[i].Speaker = "Ada"
			}
			return l
		}, segments.Len() / 50},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			after, _ := pack(c.change(slices.Clone(before)))
			stored, err := pasttext.Difference(segments, after)
			require.NoError(t, err)
			require.NotNil(t, stored)
			require.LessOrEqual(t, len(stored), c.most, "%d bytes", segments.Len())
			requireDifference(t, segments, after)
		})
	}
}

// TestWhatIsNotWorthStaysWhole has a small text, and one of which nothing stays.
func TestWhatIsNotWorthStaysWhole(t *testing.T) {
	t.Parallel()
	small, words := pack(talk(500))
	large, _ := pack(talk(5000))
	for name, pair := range map[string][2]*packed.Bytes{"small": {small, small}, "other": {large, words}, "no text follows": {large, nil}, "no text": {nil, large}} {
		stored, err := pasttext.Difference(pair[0], pair[1])
		require.NoError(t, err)
		require.Nil(t, stored, name)
	}
}

// TestDifferencesAreRefused by programs that know whole texts alone, and by this one beside another text.
func TestDifferencesAreRefused(t *testing.T) {
	t.Parallel()
	lines := talk(2000)
	older, _ := pack(lines)
	lines[7].Text = "corrected"
	newer, _ := pack(lines)
	stored, err := pasttext.Difference(older, newer)
	require.NoError(t, err)
	_, err = packed.Stored(stored)
	require.Error(t, err)

	is, err := newer.Plain()
	require.NoError(t, err)
	for _, wrong := range [][]byte{nil, is[:len(is)-1], bytes.Replace(is, []byte("they"), []byte("thee"), 1), bytes.ToUpper(is)} {
		_, err = pasttext.Older(stored, wrong)
		require.Error(t, err)
	}
	for i := 1; i < len(stored); i += 3 { // a damaged difference
		damaged := slices.Clone(stored)
		damaged[i] ^= 0x10
		if made, err := pasttext.Older(damaged, is); err == nil { // a bit of the gzip's head means nothing
			requireDifferenceMakes(t, older, made)
		}
		_, err = pasttext.Older(stored[:i], is)
		require.Error(t, err)
	}
}

func requireDifferenceMakes(t *testing.T, older *packed.Bytes, made []byte) {
	t.Helper()
	was, err := older.Plain()
	require.NoError(t, err)
	require.True(t, bytes.Equal(was, made))
}
