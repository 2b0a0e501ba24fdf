package labels_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/labels"
)

func TestTitleOfAFile(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"talk.mp3":                        "talk",
		"talk":                            "talk",
		"a talk.final.wav":                "a talk.final",
		"1. Introduction":                 "1. Introduction",
		"/home/ann/talk.mp3":              "talk",
		`C:\Users\Ann\talk.mp3`:           "talk",
		`..\../x/talk.mp3`:                "talk",
		"../../etc/passwd":                "passwd",
		"..":                              "",
		".":                               "",
		"...":                             "",
		"":                                "",
		"folder/":                         "",
		".mp3":                            ".mp3",
		"  talk  .mp3":                    "talk",
		" \t.mp3":                         ".mp3",
		"ta\x00l\nk\x7f\u0085.mp3":        "talk",
		"\u202emp3.klat\u2066.exe":        "mp3.klat",
		"line\u2028\u2029s.ogg":           "lines",
		"Über Größe – 東京.m4a":             "Über Größe – 東京",
		"family \U0001F468\u200d👩.mov":    "family \U0001F468\u200d👩",
		"bad\xffbytes.mp3":                "bad\uFFFDbytes",
		strings.Repeat("ä", 201) + ".mp3": strings.Repeat("ä", 200),
		strings.Repeat("ä", 200) + ".mp3": strings.Repeat("ä", 200),
		strings.Repeat("ä", 199) + " b":   strings.Repeat("ä", 199),
	} {
		assert.Equal(t, want, labels.OfFile(in), "%q", in)
	}
}

func FuzzTitleOfAFile(f *testing.F) {
	f.Add("a/b\\c.d e")
	f.Fuzz(func(t *testing.T, name string) {
		title := labels.OfFile(name)
		require.True(t, utf8.ValidString(title))
		require.LessOrEqual(t, utf8.RuneCountInString(title), 200)
		require.NotContains(t, title, "/")
		require.NotContains(t, title, `\`)
		require.Equal(t, strings.TrimSpace(title), title)
	})
}
