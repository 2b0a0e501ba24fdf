package format_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

func TestFileName(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"A talk":                            "a-talk",
		"  What?! (Part 2) ":                "what-part-2",
		"../../etc/passwd":                  "etc-passwd",
		`C:\Windows\system32`:               "c-windows-system32",
		"...":                               "dQw4w9WgXcQ",
		"":                                  "dQw4w9WgXcQ",
		"\x00\x1b[2J\r\n":                   "2j",
		"🎉🎉":                                "dQw4w9WgXcQ",
		"CON":                               "con_",
		"com7":                              "com7_",
		"COM¹":                              "com",
		"console":                           "console",
		"Grüße aus Köln":                    "grüße-aus-köln",
		"日本語の題名。二つ":                         "日本語の題名-二つ",
		"مقدمة في البرمجة":                  "مقدمة-في-البرمجة",
		"\u202egpj.exe":                     "gpj-exe",       // a mark of direction
		"नमस्ते दुनिया":                     "नमस्ते-दुनिया", // marks stay with their letters
		"\u0301 marks first":                "marks-first",
		"zero\u200bwidth":                   "zerowidth",
		"ㅤㅤ":                                "dQw4w9WgXcQ", // letters that show nothing
		"a\xffb":                            "a-b",
		"under_score":                       "under_score",
		"-- dashes --":                      "dashes",
		strings.Repeat("x", 500):            strings.Repeat("x", 80),
		strings.Repeat("語", 500):            strings.Repeat("語", 26),
		strings.Repeat("e\u0301", 500):      strings.Repeat("e\u0301", 26),
		"a " + strings.Repeat("y", 500):     "a-" + strings.Repeat("y", 78),
		"e" + strings.Repeat("\u0301", 500): "dQw4w9WgXcQ",
	} {
		assert.Equal(t, want, format.FileName(&transcript.Transcript{Title: &title, ExternalID: "dQw4w9WgXcQ"}), title)
	}
	assert.Equal(t, "dQw4w9WgXcQ", format.FileName(&transcript.Transcript{ExternalID: "dQw4w9WgXcQ"}))
	assert.Equal(t, "transcript", format.FileName(&transcript.Transcript{ExternalID: "/.."}))
	assert.Equal(t, "NUL_", format.FileName(&transcript.Transcript{ExternalID: "NUL"}))
}

func FuzzFileName(f *testing.F) {
	for _, title := range []string{"", "A talk", "../..", "lpt1", "\xff\xfe", "e\u0301", "日本語", "\u202e", "𝔘𝔫𝔦", "İ"} {
		f.Add(title, title)
	}
	f.Fuzz(func(t *testing.T, title, id string) {
		name := format.FileName(&transcript.Transcript{Title: &title, ExternalID: id})
		assert.NotEmpty(t, name)
		assert.LessOrEqual(t, len(name), 81)
		assert.True(t, utf8.ValidString(name), "%q", name)
		assert.NotContains(t, []string{"con", "prn", "aux", "nul", "com0", "com9", "lpt1"}, strings.ToLower(name))
		for i, r := range name {
			switch {
			case r == '-', r == '_', unicode.IsDigit(r):
			case unicode.IsMark(r):
				assert.NotZero(t, i, "%q: a mark without a letter", name)
			default:
				assert.True(t, unicode.IsLetter(r), "%q has %U", name, r)
			}
		}
		assert.False(t, strings.HasPrefix(name, "-") || strings.HasSuffix(name, "-"), "%q", name)
		assert.Equal(t, name, format.FileName(&transcript.Transcript{Title: &title, ExternalID: id}))
	})
}
