package caption_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

func TestDropSounds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"so we go":                     "so we go",
		"[Music]":                      "",
		"[ __ ]":                       "",
		"so [Applause] we go":          "so we go",
		"[Applause] so\nwe [sigh]":     "so\nwe",
		"so we go\n[door\ncloses]":     "so we go\n[door\ncloses]", // no line has both brackets
		"(LAUGHTER)":                   "",
		"- (laughs softly)":            "",
		"so (I think) we go":           "so (I think) we go",
		"(this is what he said to us)": "(this is what he said to us)",
		"(one) and (two)":              "(one) and (two)",
		"♪ la la la ♪":                 "la la la",
		"♪♪":                           "",
		"♪ so we go\nto the sea ♫":     "so we go\nto the sea",
		">> thank you":                 ">> thank you",
		">> [Music]":                   "",
		"- [sighs]\n- yes":             "- yes",
		"[音楽] こんにちは":                   "こんにちは",
		"a ] b [ c":                    "a ] b [ c",
		"array[0]":                     "array",
	} {
		in := []transcript.Segment{{Text: text, Start: 1, Duration: 2}, {Text: "and so on", Start: 3, Duration: 1}}
		got := caption.DropSounds(in)
		assert.Equal(t, text, in[0].Text, "the segments of the caller are changed")
		if want == "" {
			assert.Equal(t, in[1:], got, text)
			continue
		}
		require.Len(t, got, 2, text)
		assert.Equal(t, transcript.Segment{Text: want, Start: 1, Duration: 2}, got[0])
	}
}

func TestDropSoundsWithWords(t *testing.T) {
	t.Parallel()
	in := cues("0-4 so@0 [loud@1 noise]@2 ♪we@3 go", "4-5 [Music]@4")
	got := caption.DropSounds(in)
	require.Len(t, got, 1)
	assert.Equal(t, "so we go", got[0].Text)
	assert.Equal(t, []transcript.Word{{Text: "so", Start: 0, End: 1}, {Text: "we", Start: 3, End: 4}, {Text: "go", Start: 3, End: 4}}, got[0].Words)
	assert.Equal(t, cues("0-4 so@0 [loud@1 noise]@2 ♪we@3 go", "4-5 [Music]@4"), in)
}

// Words stay those of the text, in order, and once is enough.
func TestDropSoundsKeepsWords(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := ""
		for _, w := range rapid.SliceOfN(rapid.SampledFrom([]string{"so", "[a", "b]", "[c]", "(d)", "♪", "♪e", "f♫", "/", "-", "so"}), 1, 12).Draw(t, "words") {
			text += w + "@1 "
		}
		got := caption.DropSounds(cues("1-2 " + text))
		for _, s := range got {
			inTime(t, got)
			require.NotEmpty(t, s.Text)
		}
		require.Equal(t, got, caption.DropSounds(got), text)
	})
}

func ExampleDropSounds() {
	segments := []transcript.Segment{{Text: "[Music]"}, {Text: "♪ la la ♪"}, {Text: "thank you [Applause]"}}
	for _, s := range caption.DropSounds(segments) {
		fmt.Println(s.Text)
	}
	// Output:
	// la la
	// thank you
}

func ExampleUnroll() {
	segments := []transcript.Segment{
		{Text: "so we go", Start: 0, Duration: 2},
		{Text: "so we go\nto the sea", Start: 2, Duration: 2},
		{Text: "to the sea\nand swim", Start: 4, Duration: 1.5},
	}
	for _, s := range caption.Unroll(segments) {
		fmt.Println(s.Start, s.Text)
	}
	// Output:
	// 0 so we go
	// 2 to the sea
	// 4 and swim
}
