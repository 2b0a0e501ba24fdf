package clip_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/internal/clip"
)

func TestOf(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                           "",
		"Plain words, déjà vu 中文.":   "Plain words, déjà vu 中文.",
		"two\nlines\r\n and a\ttab":  "two lines and a tab",
		"\x1b[31mred\x1b[0m\a\u009b": "[31mred [0m",
		"to the \u202eleft":          "to the left",
		"no \xff UTF-8":              "no \uFFFD UTF-8",
		"a line\u2028separator":      "a line separator",
	} {
		assert.Equal(t, want, clip.OneLine(in, 100))
	}
	assert.Equal(t, "ééé…", clip.OneLine(strings.Repeat("é", 1000), 7), "no letter is cut in two")
	assert.Equal(t, "ééé", clip.OneLine("ééé", 6))
	assert.Equal(t, "\uFFFD…", clip.OneLine(strings.Repeat("\x80", 100), 50), "many bytes that are no letters are one")
}
