package clip_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/internal/clip"
)

func TestText(t *testing.T) {
	t.Parallel()
	a := strings.Repeat
	for name, c := range map[string]struct{ in, want string }{
		"empty":                     {"", ""},
		"as long as may be":         {a("a", 100), a("a", 100)},
		"longer by one":             {a("a", 101), a("a", 100) + "…"},
		"characters, not bytes":     {a("語", 100), a("語", 100)},
		"longer, of three bytes":    {a("語", 101), a("語", 100) + "…"},
		"very long":                 {a("a", 9<<20), a("a", 100) + "…"},
		"an accent that stands off": {a("a", 99) + "e\u0301", a("a", 99) + "…"},
		"an accent that fits":       {a("a", 98) + "e\u0301" + "b", a("a", 98) + "e\u0301…"},
		"a family":                  {a("a", 98) + "👨‍👩‍👧", a("a", 98) + "…"},
		"a flag":                    {a("a", 99) + "🇩🇪", a("a", 99) + "…"},
		"two flags":                 {a("a", 97) + "🇩🇪🇫🇷", a("a", 97) + "🇩🇪…"},
		"a color of skin":           {a("a", 99) + "👋🏽", a("a", 99) + "…"},
		"Hangul in parts":           {a("a", 99) + "\u1112\u1161\u11ab", a("a", 99) + "…"},
		"marks alone":               {"e" + a("\u0301", 1<<20), "e" + a("\u0301", 99) + "…"},
		"no UTF-8":                  {"a\xffb", "a\xffb"},
		"long, and no UTF-8":        {a("\xff", 1000), "\uFFFD…"},
	} {
		assert.Equal(t, c.want, clip.Text(c.in), name)
	}
	assert.Equal(t, "abc…", clip.To("abcd", 3))
	assert.Equal(t, "e…", clip.To("e\u0301", 1), "a letter alone that is too long is cut")
}
