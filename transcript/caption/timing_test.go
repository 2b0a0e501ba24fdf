package caption_test

import (
	"io"
	"strings"
	"testing"

	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

func TestTimingLinesOfWebVTT(t *testing.T) {
	t.Parallel()
	const head, a, b = "WEBVTT\n\n", "00:01.000 --> 00:02.000\na\n\n", "00:05.000 --> 00:06.000\nb\n"
	const both = "1+1 \"a\"\n5+1 \"b\""
	const all = "1+1 \"a\"\n3+1 \"x\"\n5+1 \"b\""
	lax := []caption.Option{}
	var arrows []reading
	for _, line := range []string{
		"00:00:03.000 -> 00:00:04.000", "00:03.000 –> 00:04.000", "00:03.000 — 00:04.000", "00:03.000 -- > 00:04.000", "00:03.000-->00:04.000",
		"00:00:03.000 00:00:04.000", "00：03.000 --> 00：04.000", "00.00.03.000 --> 00.00.04.000", "00:00:03:000 --> 00:00:04:000", "0:3,0 → 0:4,0", "00:03.000 --> 00:04.000 align:start position:0%",
	} {
		arrows = append(arrows, reading{line, head + a + line + "\nx\n\n" + b, all, ""}, reading{line + ", without an empty line before", head + strings.TrimSpace(a) + "\n" + line + "\nx\n\n" + b, all, ""})
	}
	checkReadings(t, caption.ReadAny, lax, append(arrows,
		reading{"half of the times", head + a + "00:03.000 -->\nx\n\n" + b, both, `1 cue is lost, in line 6: these are no times: "00:03.000 -->"`},
		reading{"the other half", head + a + "00:0x.000 --> 00:04.000\nx\ny\n\n" + b, both, "1 cue is lost, in line 6"},
		reading{"half of the times under text", head + strings.TrimSpace(a) + "\n00:03.000 --> 00:04.0x0\nx\n\n" + b, both, "1 cue is lost, in line 5"},
		reading{"times with half an arrow, and one is damaged", head + a + "00:00:03.000 -> 00:0x:04.000\nx\n\n" + b, both, "1 cue is lost, in line 6"},
		reading{"text after the times", head + a + "00:03.000 --> 00:04.000 x\nx\n\n" + b, all, `1 cue is lost, in line 6: text follows the times: "x"`},
		reading{"a damaged setting", head + a + "00:03.000 --> 00:04.000 lign:start\nx\n\n" + b, all, "1 cue is lost, in line 6"},
		reading{"talk of times", head + a + "00:03.000 --> 00:04.000\nx\n12:30 --> the train\n10:30 - 12:30\n\n" + b, "1+1 \"a\"\n3+1 \"x\\n12:30 --> the train\\n10:30 - 12:30\"\n5+1 \"b\"", ""},
		reading{"times in a note", head + a + "NOTE\n00:00:03.000 - 00:00:04.000\n00:00:03.000 -\n\n" + b, both, ""},
		reading{"text before the first cue", head + "A title\n\n" + a + b, both, "1 cue is lost, in line 3: the text belongs to no cue"},
		reading{"a name without an empty line before", head + "1\n" + strings.TrimSpace(a) + "\n2\n" + b, both, ""},
		reading{"another number without an empty line before", head + "1\n" + strings.TrimSpace(a) + "\n7\n" + b, "1+1 \"a\\n7\"\n5+1 \"b\"", ""},
		reading{"a byte order mark within", head + a + "\uFEFF" + head + b, both, ""}))
	plain := func(r io.Reader, _ ...caption.Option) (caption.File, error) { return caption.ReadWebVTT(r) }
	t.Run("standard", func(t *testing.T) {
		t.Parallel()
		checkReadings(t, plain, nil, []reading{
			{"a timing line without its arrow is text, and counts", head + a[:len(a)-1] + "00:00:03.000 -> 00:00:04.000\nx\n\n" + b, "1+1 \"a\\n00:00:03.000 -> 00:00:04.000\\nx\"\n5+1 \"b\"", `1 cue is lost, in line 5: these times have no arrow: "00:00:03.000 -> 00:00:04.000"`},
			{"text after the times", head + a + "00:03.000 --> 00:04.000 x\nx\n\n" + b, all, `in line 6: text follows the times: "x"`},
		})
	})
	t.Run("without guesses", func(t *testing.T) {
		t.Parallel()
		checkReadings(t, caption.ReadAny, []caption.Option{caption.NoGuess()}, []reading{
			{"nothing is in doubt", head + "1\n" + a + "NOTE x\n\n2\n" + b, both, ""},
			{"a word above a timing line", head + "one\n" + strings.TrimSpace(a) + "\ntwo\n" + b, "1+1 \"a\\ntwo\"\n5+1 \"b\"", "1 cue is lost, in line 6"},
			{"a note in a text", head + strings.TrimSpace(a) + "\nNOTE x\n\n" + b, "1+1 \"a\\nNOTE x\"\n5+1 \"b\"", "1 cue is lost, in line 5"},
			{"a number alone", head + a + "1984\n\n" + b, both, "1 cue is lost, in line 6"},
		})
	})
}

func TestLossesOfSRT(t *testing.T) {
	t.Parallel()
	const a, b = "1\n00:00:01,000 --> 00:00:02,000\na\n\n", "3\n00:00:05,000 --> 00:00:06,000\nb\n"
	const both = "1+1 \"a\"\n5+1 \"b\""
	checkReadings(t, caption.ReadSRT, nil, []reading{
		{"half of the times", a + "2\n00:00:03,000 -->\nx\ny\n\n" + b, both, `1 cue is lost, in line 6: these are no times: "00:00:03,000 -->"`},
		{"the other half", a + "2\n0x:00:03,000 --> 00:00:04,000\nx\n\n" + b, both, "1 cue is lost, in line 6"},
		{"half of the times of the last cue", a + "2\n00:00:03,000 --> 00:", `1+1 "a"`, "1 cue is lost, in line 6"},
		{"half of the times of the first cue", "0\n00:00:00,000 -> 00:\nx\n\n" + a + b, both, "1 cue is lost, in line 2"},
		{"an index, and no times", a + "2\nx\n\n" + b, "1+1 \"a\\n2\\nx\"\n5+1 \"b\"", "1 cue is lost, in line 5: cue 2 has no times"},
		{"an index, and no times, without empty lines", strings.ReplaceAll(a+"2\nx\n\n"+b, "\n\n", "\n"), "1+1 \"a\\n2\\nx\"\n5+1 \"b\"", "1 cue is lost, in line 4: cue 2 has no times"},
		{"an index, and no times, at the end", a + "2\nx\n", `1+1 "a\n2\nx"`, "1 cue is lost, in line 5: cue 2 has no times"},
		{"a number in the text is no index", a + "2\nx\n\n2\n00:00:05,000 --> 00:00:06,000\nb\n", "1+1 \"a\\n2\\nx\"\n5+1 \"b\"", ""},
		{"the end of the file cuts an index", strings.Replace(a, "1\n", "11\n", 1) + "1", `1+1 "a"`, ""},
		{"text before the first cue", "A title\nby A\n\n" + a + b, both, "1 cue is lost, in line 1: the text belongs to no cue"},
		{"text after the times", a + strings.Replace(b, "06,000", "06,000 x", 1), both, `1 cue is lost, in line 6: text follows the times: "x"`},
		{"coordinates", a + strings.Replace(b, "06,000", "06,000 X1:1 X2:2", 1), both, ""},
	})
	t.Run("without guesses", func(t *testing.T) {
		t.Parallel()
		checkReadings(t, caption.ReadSRT, []caption.Option{caption.NoGuess()}, []reading{
			{"nothing is in doubt", a + "\n7\n\n" + b, "1+1 \"a\\n7\"\n5+1 \"b\"", ""},
			{"a damaged index", a + "x\n" + strings.TrimPrefix(b, "3\n"), "1+1 \"a\\nx\"\n5+1 \"b\"", "1 cue is lost, in line 5"},
			{"a digit less", a + strings.Replace(b, "05,000", "5,000", 1), both, "1 cue is lost, in line 6: a time has more or fewer digits"},
		})
	})
}
