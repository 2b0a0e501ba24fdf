package caption_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

func TestASS(t *testing.T) {
	t.Parallel()
	const head = "[Script Info]\nScriptType: v4.00+\n\n[Events]\n"
	const columns = "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
	const begin = "Dialogue: 0,0:00:01.00,0:00:02.50,Default,,0,0,0,,"
	const good = head + columns + begin + "a\n"
	text := func(s string) string { return head + columns + begin + s + "\n" }
	checkReadings(t, caption.ReadASS, nil, []reading{
		{"an event is a cue", good, `1+1.5 "a"`, ""},
		{"line ends of Windows", strings.ReplaceAll(good, "\n", "\r\n"), `1+1.5 "a"`, ""},
		{"line ends of old Macs", strings.ReplaceAll(good, "\n", "\r"), `1+1.5 "a"`, ""},
		{"UTF-16", string(inUTF16("\uFEFF"+good, true)), `1+1.5 "a"`, ""},
		{"Windows-1252", text("caf\xE9"), `1+1.5 "café"`, ""},
		{"no Format line", head + begin + "a\n", `1+1.5 "a"`, ""},
		{"no header of the section", "[Script Info]\n" + columns + begin + "a\n", `1+1.5 "a"`, ""},
		{"columns in another order", head + "Format: Start, End, Actor, Text\nDialogue: 0:00:01.00,0:00:02.00,Ann Lee,a, b\n", `1+1 Ann Lee "a, b"`, ""},
		{"columns of SSA", "[Events]\nFormat: Marked, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\nDialogue: Marked=0,0:00:01.00,0:00:02.00,*Default,B,0000,0000,0000,!Effect,a\n", `1+1 B "a"`, ""},
		{"the Format of styles is not that of events", "[Events]\n" + begin + "a\n[V4+ Styles]\nFormat: Name, Fontname\nStyle: a,b\n", `1+1.5 "a"`, ""},
		{"commas in the text", text("a, b,, c"), `1+1.5 "a, b,, c"`, ""},
		{"milliseconds", head + strings.Replace(begin, "02.50", "02.500", 1) + "a\n", `1+1.5 "a"`, ""},
		{"empty margins", head + strings.Replace(begin, "0,0,0,,", ",,,,", 1) + "a\n", `1+1.5 "a"`, ""},
		{"comments", text("a") + "Comment: 0,x\n; more\n!: more\n\nSound: x\n", `1+1.5 "a"`, ""},
		{"events out of order", head + strings.ReplaceAll(begin, ":01.", ":00.") + "b\n" + begin + "a\n", "0+2.5 \"b\"\n1+1.5 \"a\"", ""},
		{"fonts are none", good + "[Fonts]\nfontname: x\nM4E5:\nM:\n", `1+1.5 "a"`, ""},

		{"override blocks are not shown", text(`{\i1}a{\i0} {\an8\c&H00FF00&}b`), `1+1.5 "a b"`, ""},
		{"a remark in braces is not shown", text(`a{note} b`), `1+1.5 "a b"`, ""},
		{"a brace that stays open is text", text(`a {\i1 b\Nc {`), "1+1.5 \"a {\\\\i1 b\\nc {\"", ""},
		{"braces after backslashes are text", text(`\{a\}`), `1+1.5 "{a}"`, ""},
		{"karaoke is not shown", text(`{\k20}ka{\kf30}ra{\K40}o{\ko5}ke`), `1+1.5 "karaoke"`, ""},
		{"line breaks", text(`a\Nb\nc\hd`), `1+1.5 "a\nb c d"`, ""},
		{"line breaks of the wrap style 2", strings.Replace(text(`a\nb`), "[Events]", "WrapStyle: 2\n[Events]", 1), `1+1.5 "a\nb"`, ""},
		{"other backslashes are text", text(`C:\dir \`), `1+1.5 "C:\\dir \\"`, ""},
		{"a drawing is not shown", text(`{\p1}m 0 0 l 1 1{\p0}`), "", ""},
		{"text around a drawing", text(`a{\p1}m 0 0{\p0} b{\pos(1,2)\pbo5}c`), `1+1.5 "a bc"`, ""},
		{"the name is the speaker", strings.Replace(text("a"), "Default,,", "Default, Ann  Lee ,", 1), `1+1.5 Ann Lee "a"`, ""},

		{"a damaged time", good + strings.Replace(begin, "01.00", "0x.00", 1) + "b\n", `1+1.5 "a"`, `1 cue is lost, in line 7: the columns of the event cannot be read: "0,0:00:0x.00,0:00:02.50,Default,,0,0,0,,b"`},
		{"a comma is missing", good + strings.Replace(begin, "Default,,", "Default,", 1) + "b, c\n", `1+1.5 "a"`, "1 cue is lost, in line 7"},
		{"a comma is missing, and none is in the text", good + strings.Replace(begin, "Default,,", "Default,", 1) + "b\n", `1+1.5 "a"`, "1 cue is lost, in line 7"},
		{"a damaged name of an event", good + strings.Replace(begin, "Dialogue", "Dialogx", 1) + "b\n", `1+1.5 "a"`, `1 cue is lost, in line 7: this is no event: "Dialogx: 0,`},
		{"no colon after the name", good + strings.Replace(begin, "Dialogue:", "Dialogue", 1) + "b\n", `1+1.5 "a"`, "1 cue is lost, in line 7"},
		{"a damaged column", strings.Replace(good, "Start", "Strt", 1), `1+1.5 "a"`, "1 cue is lost, in line 5: a column is missing or not known"},
		{"a cut event", good + "Dialogue: 0,0:00:05.00,0:00", `1+1.5 "a"`, "1 cue is lost, in line 7"},
	})
	checkReadings(t, caption.ReadASS, []caption.Option{caption.NoGuess()}, []reading{
		{"nothing is in doubt", text("a") + strings.Replace(begin, "02.50", "03.10", 1) + "b\n", "1+1.5 \"a\"\n1+2.1 \"b\"", ""},
		{"a digit less", text("a") + strings.Replace(begin, "02.50", "02.5", 1) + "b\n" + begin + "c\n", "1+1.5 \"a\"\n1+1.5 \"b\"\n1+1.5 \"c\"", "1 cue is lost, in line 7: a time has more or fewer digits"},
	})
	for _, file := range []string{"", "a: b\n", "WEBVTT\n", "<html>\n" + good, strings.Repeat("x", 2<<20)} {
		_, err := caption.ReadASS(strings.NewReader(file))
		var foreign *caption.FormatError
		require.ErrorAs(t, err, &foreign)
		assert.Equal(t, caption.FormatASS, foreign.Format)
	}
}
