package legible_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/internal/legible"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                        "",
		"two\nlines\tand a tab":   "two\nlines\tand a tab",
		"é « » 東 \u00a0\u00a1":    "é « » 東 \u00a0\u00a1",
		"\x1b[2Ja\x07":            "\ufffd[2Ja\ufffd",
		"\x00\x08\x0e\x1f\x7f":    "\ufffd\ufffd\ufffd\ufffd\ufffd",
		"a\u0080b\u009bc\u009f":   "a\ufffdb\ufffdc\ufffd",
		"a\vb\fc\rd\u0085e":       "a b c d e",
		"\u200e\u202emarks\ufeff": "\u200e\u202emarks\ufeff",
	} {
		assert.Equal(t, want, legible.Text(text))
		assert.Equal(t, want == text, legible.IsText(text), "%q", text)
		assert.Equal(t, want == text, legible.IsText([]byte(text)), "%q", text)
	}
}

func TestSegment(t *testing.T) {
	t.Parallel()
	s := transcript.Segment{Text: "a \x1bb", Speaker: "\x07Ada", Words: []transcript.Word{{Text: "a"}, {Text: "\x1bb"}}}
	clean := legible.Segment(s)
	assert.Equal(t, "a \ufffdb", clean.Text)
	assert.Equal(t, "\ufffdAda", clean.Speaker)
	assert.Equal(t, []transcript.Word{{Text: "a"}, {Text: "\ufffdb"}}, clean.Words)
	assert.Equal(t, "\x1bb", s.Words[1].Text)
}
