package caption_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

func TestCharactersWithoutAWidth(t *testing.T) {
	t.Parallel()
	for rule, test := range map[string]struct{ text, want string }{
		"a space without a width":            {"a\u200Bb \u200B c\u200B", "ab c"},
		"a word joiner, and a mark":          {"a\u2060b\uFEFF \uFEFFc", "ab c"},
		"joiners of Latin letters":           {"a\u200Cb\u200Dc", "abc"},
		"a line of nothing else":             {"a\n\u200B\u200D\nb", "a\nb"},
		"a joiner of Persian":                {"می\u200Cخواهم", "می\u200Cخواهم"},
		"a joiner of Devanagari":             {"क्\u200Dष", "क्\u200Dष"},
		"a joiner at the end of a word":      {"ന്\u200D ഒ", "ന്\u200D ഒ"},
		"a joiner of emoji":                  {"👨\u200D👩\u200D👧 ❤\uFE0F\u200D🔥", "👨\u200D👩\u200D👧 ❤\uFE0F\u200D🔥"},
		"a joiner after an emoji":            {"👨\u200D a", "👨 a"},
		"marks of direction are not removed": {"\u200Eא\u200F", "\u200Eא\u200F"},
	} {
		for _, file := range []string{
			"WEBVTT\n\n00:01.000 --> 00:02.000\n%s\n", "1\n00:00:01,000 --> 00:00:02,000\n%s\n", "0:00:01.000,0:00:02.000\n%s\n",
			"<tt><body><p xml:space='preserve' begin='1s' end='2s'>%s</p></body></tt>", "<timedtext format='3'><body><p t='1000' d='1000'>%s</p></body></timedtext>",
		} {
			f, err := caption.ReadAny(strings.NewReader(strings.ReplaceAll(file, "%s", test.text)))
			require.NoError(t, err, rule)
			require.Len(t, f.Segments, 1, rule)
			assert.Equal(t, test.want, f.Segments[0].Text, "%s: %s", rule, file)
		}
	}
	f, err := caption.ReadAny(strings.NewReader("WEBVTT\n\n00:01.000 --> 00:02.000\n\u200B\u2060\n\n00:02.000 --> 00:04.000\n<v A\u200Bnn>\u200Ba<00:03.000>\u200B b\u200B\n"))
	require.NoError(t, err)
	assert.Equal(t, `2+2 Ann "a b" a@2-3 b@3-4`, shown(f.Segments), "nothing to show is no cue, and words keep their times")
	assert.Nil(t, f.Lost)
}
