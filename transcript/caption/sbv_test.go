package caption_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// reading is a file, the rule that it shows, and what is read of it.
type reading struct{ rule, file, want, lost string }

// checkReadings reads the files.
func checkReadings(t *testing.T, read func(io.Reader, ...caption.Option) (caption.File, error), o []caption.Option, all []reading) {
	t.Helper()
	for _, test := range all {
		t.Run(test.rule, func(t *testing.T) {
			t.Parallel()
			f, err := read(strings.NewReader(test.file), o...)
			var lost *caption.LostError
			if !errors.As(err, &lost) {
				require.NoError(t, err)
				lost = f.Lost
			}
			assert.Equal(t, test.want, shown(f.Segments))
			if test.lost == "" {
				assert.Nil(t, lost)
			} else if assert.NotNil(t, lost, "nothing is lost") {
				assert.Contains(t, lost.Error(), test.lost)
			}
		})
	}
}

func TestSBV(t *testing.T) {
	t.Parallel()
	const a, b = "0:00:01.000,0:00:02.000\na\n\n", "0:00:03.000,0:00:04.000\nb\n\n"
	const both = "1+1 \"a\"\n3+1 \"b\""
	checkReadings(t, caption.ReadSBV, nil, []reading{
		{"a timing line, then text", a + b, both, ""},
		{"line ends of Windows", strings.ReplaceAll(a+b, "\n", "\r\n"), both, ""},
		{"line ends of old Macs", strings.ReplaceAll(a+b, "\n", "\r"), both, ""},
		{"an empty line after each line", strings.ReplaceAll(a+b, "\n", "\r\r\n"), both, ""},
		{"a byte order mark", "\uFEFF" + a + b, both, ""},
		{"UTF-16", string(inUTF16("\uFEFF"+a+b, false)), both, ""},
		{"Windows-1252", strings.Replace(a, "a\n", "caf\xE9\n", 1) + b, "1+1 \"café\"\n3+1 \"b\"", ""},
		{"no empty line", strings.ReplaceAll(a+b, "\n\n", "\n"), both, ""},
		{"no end of the last line", strings.TrimSpace(a + b), both, ""},
		{"spaces around the times", strings.ReplaceAll(a+b, ",", " , "), both, ""},
		{"a semicolon", strings.ReplaceAll(a+b, ",", ";"), both, ""},
		{"an arrow", strings.ReplaceAll(a+b, ",", " --> "), both, ""},
		{"commas before the milliseconds", strings.ReplaceAll(a+b, ".", ","), both, ""},
		{"full-width marks", strings.NewReplacer(":", "：", ",", "，").Replace(a + b), both, ""},
		{"[br] is a line break", strings.Replace(a, "a\n", "a[br]c\n", 1) + b, "1+1 \"a\\nc\"\n3+1 \"b\"", ""},
		{"a cue without text is none", "0:00:00.000,0:00:01.000\n\n" + a + b, both, ""},
		{"times in the text", strings.Replace(a, "a\n", "12:30, or 1:30\n", 1) + b, "1+1 \"12:30, or 1:30\"\n3+1 \"b\"", ""},
		{"markup is text", strings.Replace(a, "a\n", "<i>a</i> &amp;\n", 1), `1+1 "<i>a</i> &amp;"`, ""},

		{"text before the first cue", "A title\n\n" + a + b, both, "1 cue is lost, in line 1: the text belongs to no cue"},
		{"text after an empty line", a + "c\nd\n\n" + b, both, "1 cue is lost, in line 4: the text belongs to no cue"},
		{"a time that cannot be read", a + "0:00:0x.000,0:00:03.000\nc\n\n" + b, both, `1 cue is lost, in line 4: these are no times: "0:00:0x.000,0:00:03.000"`},
		{"a lost cue before another one without an empty line", a + "0:00:02.000,0:00:0x.000\nc\n" + b, both, "1 cue is lost, in line 4"},
		{"the first cue", "0:00:01.000,\na\n\n" + b, `3+1 "b"`, "1 cue is lost, in line 1"},
		{"no comma", a + "0:00:02.0000:00:03.000\nc\n\n" + b, both, "1 cue is lost, in line 4"},
		{"cut in the times", a + b + "0:00:05.000,0:0", both, "1 cue is lost, in line 7"},
		{"all cues", "0:00:01.000,0:0x:02.000\na\n", "", "1 cue is lost, in line 1"},
	})
	for _, file := range []string{"", "a\n\nb\n", "WEBVTT\n\n" + a, "<!DOCTYPE html>\n" + a, strings.Repeat("x", 2<<20)} {
		_, err := caption.ReadSBV(strings.NewReader(file))
		var foreign *caption.FormatError
		require.ErrorAs(t, err, &foreign)
		assert.Equal(t, caption.FormatSBV, foreign.Format)
	}
}

// A damaged byte that leaves a time readable is found by what the file has elsewhere.
func TestDoubtsOfSBV(t *testing.T) {
	t.Parallel()
	file := func(times string) string {
		return "0:00:01.000,0:00:02.500\na\n\n" + times + "\nb\n\n0:00:05.000,0:00:06.120\nc\n"
	}
	var all []reading
	for rule, times := range map[string]string{
		"a second of one digit":     "0:00:3.000,0:00:04.000",
		"a minute of three digits":  "0:000:03.000,0:00:04.000",
		"a fraction of two digits":  "0:00:03.00,0:00:04.000",
		"a fraction of four digits": "0:00:03.0000,0:00:04.000",
		"over 59 seconds":           "0:00:03.000,0:00:94.000",
		"over 59 minutes":           "0:60:03.000,0:60:04.000",
		"no colon":                  "0:0003.000,0:00:04.000",
		"an end before the start":   "0:00:03.000,0:00:02.000",
		"a start after the end":     "70:00:03.000,0:00:04.000",
		"ten hours":                 "0:00:03.000,10:00:04.000",
		"a sign":                    "-0:00:03.000,0:00:04.000",
	} {
		all = append(all, reading{rule, file(times), "", "in line 4: "})
	}
	for i := range all { // the cue is read, and counts as lost
		f, err := caption.ReadSBV(strings.NewReader(all[i].file))
		require.NoError(t, err)
		require.Nil(t, f.Lost, all[i].rule)
		all[i].want = shown(f.Segments)
		require.Contains(t, all[i].want, `"b"`)
	}
	all = append(all,
		reading{"none", file("0:00:03.000,0:00:04.000"), "1+1.5 \"a\"\n3+1 \"b\"\n5+1.12 \"c\"", ""},
		reading{"hours that grow", "9:59:59.000,10:00:01.000\na\n\n10:00:01.000,10:00:02.000\nb\n", "35999+2 \"a\"\n36001+1 \"b\"", ""},
		reading{"nothing is padded", "0:0:1.5,0:0:2.25\na\n\n0:0:9,0:0:12.125\nb\n", "1.5+0.75 \"a\"\n9+3.125 \"b\"", ""})
	checkReadings(t, caption.ReadSBV, []caption.Option{caption.NoGuess()}, all)
}
