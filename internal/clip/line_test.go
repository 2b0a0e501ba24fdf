package clip_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/internal/clip"
)

func TestLine(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                   "",
		" A\ttalk \n":        "A talk",
		"a\u0000b\n\u202ec":  "ab c",
		"a\u2028b\u00a0c":    "a b c",
		"a\xffb":             "a\uFFFDb",
		"0123456789 abc":     "0123456789",
		"ßßßßßßßßßßßßßßßßßß": strings.Repeat("ß", 10),
	} {
		assert.Equal(t, want, clip.Line(in, 10), "%q", in)
	}
}
