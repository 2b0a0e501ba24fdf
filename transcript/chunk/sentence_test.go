package chunk_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/transcript/chunk"
)

func sentences(text string) (all []string) {
	for text != "" {
		n := chunk.Sentence([]byte(text))
		all, text = append(all, text[:n]), text[n:]
	}
	return all
}

func TestSentences(t *testing.T) {
	t.Parallel()
	for _, want := range [][]string{
		{"One. ", "Two! ", "Three? ", "Four"},
		{"It costs 3.14 in the U.S. today. ", "(Not more.) ", "“Yes,” he said. ", "Fine"},
		{"Wait ... what is that? ", "Oh"},
		{"no punctuation at all"},
		{"今日は。", "元気ですか？", "はい"},
		{"यह एक है। ", "यह दो है।"},
		{"It is e.g. 12 apples. ", "Or 13."},
	} {
		assert.Equal(t, want, sentences(strings.Join(want, "")))
	}
}

// The sentences are those of another implementation of the same rules, which looks at all
// that follows a dot again and again.
func TestSentencesAreThoseOfUnicode(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
			".", "。", "?", "!", "...", ")", "\"", "”", "(", "«", " ", " ", ",", "-", "、", "1", "٣", "a", "B", "é", "Ж", "я", "ა", "中", "ก",
			"\u0301", "\u200d", "\u200b", "\u00ad", "\u0600", "👨‍👩‍👧", "🇩🇪", "#", "$", "ǅ", "ⅷ", "ª", "।", "׳", "\u2024", "한",
		}), 0, 40).Draw(t, "text"), "")
		var want []string
		for rest, state := text, -1; rest != ""; {
			var s string
			s, rest, state = uniseg.FirstSentenceInString(rest, state)
			want = append(want, s)
		}
		require.Equal(t, want, sentences(text))
	})
}

// A dot that is followed by anything but letters is not looked at again and again.
func TestSentencesTakeLinearTime(t *testing.T) {
	t.Parallel()
	for _, hostile := range []string{")", " ", "1 ", ". ", ".)", "\u0301", ". \u0301"} {
		text := strings.Repeat(hostile, 1<<20)
		require.True(t, utf8.ValidString(text))
		n := 0
		for _, s := range sentences("A." + text + "a") {
			n += len(s)
		}
		assert.Equal(t, len(text)+3, n)
	}
}
