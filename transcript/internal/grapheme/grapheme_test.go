package grapheme_test

import (
	"slices"
	"testing"
	"unicode"

	"github.com/rivo/uniseg"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript/internal/grapheme"
)

// otherwise lists the runes whose columns differ from the widths of uniseg. The first columns
// follow Unicode's East Asian Width (UAX 11).
var otherwise = map[int][]rune{
	1: []rune("⸺⸻"), // long dashes
	2: []rune("〰〽㊗㊙🈂🈷" + // emoji, with the style of text if nothing else is said
		"\U0001F260\U0001F261\U0001F262\U0001F263\U0001F264\U0001F265" +
		"\U0001F3FB\U0001F3FC\U0001F3FD\U0001F3FE\U0001F3FF"), // tones of skin
}

// TestWideRunes compares the columns of each rune alone with the widths of uniseg.
func TestWideRunes(t *testing.T) {
	t.Parallel()
	wide := 0
	for r := rune(' '); r <= unicode.MaxRune; r++ {
		if !unicode.IsGraphic(r) || unicode.IsMark(r) {
			continue
		}
		want := min(max(uniseg.StringWidth(string(r)), 1), 2)
		for columns, runes := range otherwise {
			if slices.Contains(runes, r) {
				want = columns
			}
		}
		if want == 2 {
			wide++
		}
		if size, columns := grapheme.First([]byte(string(r))); size != len(string(r)) || columns != want {
			t.Errorf("%U %q: %d bytes and %d columns, want %d", r, r, size, columns, want)
		}
	}
	require.Greater(t, wide, 100_000)
}
