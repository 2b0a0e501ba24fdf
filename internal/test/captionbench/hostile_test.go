//go:build linux

package captionbench_test

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// hostile is a format, as somebody writes it who wants a reader to take long.
type hostile struct {
	// A file is begin, cues and end. A cue is open, a text, and close. A cue has %d in the
	// place of its number, which goes up.
	begin, open, close, end string
	// own are the constructs that mean something in the format.
	own []string
}

// fillings are what means something in several formats, or to what comes after the readers.
var fillings = []string{
	"&", "<", ">", ";", "#", "{", "}", "\\", "/", "'", "=", "-", "[", "]", "(", ")", ".", ",", ":", " ", "\t", "\n", "\r", "\r\n", " \n", "\f", "1",
	"a", "a ", " a", "a\n", "A.", "&a", "&a;", "&amp;", "&amp", "&#", "&#x", "&#1", "&#27;", "&#x110000;", "&lt;", "&nbsp", "\u00a0", "\u200b", "a\u200b",
	"\u00ad ", "é", "東", "\u0301", "\u200d", "👨‍👩‍👧", "♪", "♪ a", "[a", "[a]", "(a", "(a)\n", "- ", ">>", "-->", "--> ", "--", "00:00", "00:00:01.000 -->\n",
	"\x1b[2J", "\x7f", "\u009b", "\u0085", "\u2028",
}

var hostiles = map[string]hostile{
	"webvtt": {
		begin: "WEBVTT\n\n", open: "00:00:01.000 --> 00:00:02.000\n", close: "\n\n",
		own: []string{
			"<b>", "<b", "</b>", "</b", "<v ", "<v A>", "<v A>a</v>", "<v A>a ", "<c.x>", "<c.", "<lang en>", "<ruby>", "<ruby><rt>", "<rt>", "<ruby>a<rt>b</rt></ruby>", "<00:00:01.000>",
			"<00:00:01.000><c> a</c>", "<00:00:01.000><c>", "<00:00:01.000><c> a", "NOTE\n", "STYLE\n", "\n\nNOTE ", "\n\nREGION\n", "\n\nx\n", "WEBVTT", "\x00",
		},
	},
	"srt": {
		open: "1\n00:00:01,000 --> 00:00:02,000\n", close: "\n\n",
		own: []string{
			"<b>", "<b", "</b>", "<font ", "<font color=red>", "<br>", "<br/>", "<rt>", "<rt>a</rt>", "<v A>", "<v A>a", "<c>", "<00:00:01.000>", `{\an8}`, `{\`, `{\a`, `{a}`, `\N`, `\h`, `\n`,
			"1\n", "\n\n1\n", "1\n1\n", "0:0:0,0 --> \n", "x --> y\n", "\x00", "\xe9", "\xe9\n", "a\xe9", "\xc5\xa1", "\xff", "\x83\x65",
		},
	},
	"sbv": {
		begin: "0:00:00.000,0:00:01.000\n", open: "0:00:01.000,0:00:02.000\n", close: "\n\n",
		own: []string{"[br]", "[br", "1,", "1:1,", "0:00:01.000,", "0:00:01.000,0:0x\n", "\n\nx\n", "\x00", "\xe9"},
	},
	"ass": {
		begin: "[Script Info]\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n",
		open:  "Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,", close: "\n",
		own: []string{`{\i1}`, `{\`, "{a}", `{\p1}`, `{\p1}m 0 0{\p0}`, `{\p`, `\p1`, `\N`, `\n`, `\h`, `\{`, `\}`, "}", "\nDialogue: ", "\nComment: ", "\nFormat: a,", "[a]\n", ";\n", "\x00", "\xe9"},
	},
	"ttml": {
		begin: `<tt><head><layout><region xml:id="r"/></layout></head><body><div>`, open: `<p begin="1s" end="2s">`, close: "</p>\n", end: "</div></body></tt>",
		own: []string{
			"<br/>", "<br", "<span>", "<span>a</span>", "</span>", `<span begin="1s" end="2s">a</span>`, `<span begin="1s">`, `<span tts:ruby="text">a</span>`, `<span style="a b c">a</span>`,
			`<span ttm:agent="a">a</span>`, "<set/>", "<metadata>", "<!--", "<!-- a -->", "<![CDATA[", "<![CDATA[a]]>", "]]>", "<?", "<?x?>", "<!", "<!a>", "<!a [", `<a b="`, `<a b="c" `, "<a b='c'/>", "<a:b>", "</", "</a>", "\xff",
			`<p begin="1s">`, "<p/>", "</p>", "<div>", `<div begin="1s"><p>a</p></div>`,
		},
	},
	"srv1": {
		begin: `<transcript>`, open: `<text start="1" dur="1">`, close: "</text>", end: "</transcript>",
		own: []string{"&lt;b", "&lt;b&gt;", "&lt;/", "&lt;br&gt;", "&amp;amp;", "&amp;#", "<br/>", "<a>", "</a>", "<!--", "<![CDATA[<", "<![CDATA[>]]>", "<text>", "</text>", `<text start="1">a</text>`},
	},
	"srv3": {
		begin: `<timedtext format="3"><head><pen id="1" rb="1"/></head><body>`, open: `<p t="1000" d="1000">`, close: "</p>", end: "</body></timedtext>",
		own: []string{`<s t="1" ac="1">a</s>`, "<s>", "<s>a", "</s>", `<s p="1">`, `<s t="1">`, "<br/>", "<p>", "</p>", `<p t="1">a</p>`, "<!--", "<w/>", `<pen id="1" rb="2"/>`, "<text>"},
	},
	"json3": {
		begin: `{"events":[{}`, open: `,{"tStartMs":1000,"dDurationMs":1000,"segs":[{"utf8":"`, close: `"}]}`, end: "]}",
		own: []string{`\n`, `\"`, `\\`, `\u0041`, `\ud800`, `\u001b`, `"},{"utf8":"`, `"},{"utf8":"a","tOffsetMs":1},{"utf8":"`, `"}]},{"segs":[{"utf8":"`, `","x":"`, `","x":[[],{}],"y":"`, `"}],"segs":[{"utf8":"`, `"}],"x":{},"segs":[{"utf8":"`},
	},
}

// cueSize bounds, in bytes, the text of a cue: readers take less than a MiB.
const cueSize = 512 << 10

// file is a file of some size. Its cues, eight at least, hold the filling, and a number
// at the end, so that each is compared with the one before in vain. The filling is there
// 12n+1 times: what opens and closes by turns, or by threes, leaves the same open at every
// size.
func (h hostile) file(filling string, size int) []byte {
	var b bytes.Buffer
	b.WriteString(h.begin)
	for n := 0; b.Len() < size; n++ {
		b.WriteString(h.open)
		b.WriteString(strings.Repeat(filling, min(cueSize, size/8)/len(filling)/12*12+1))
		fmt.Fprintf(&b, "%d%s", n, h.close)
	}
	b.WriteString(h.end)
	return b.Bytes()
}

// small is a file of some size of many small cues, each of which begins with the one before.
func (h hostile) small(filling string, size int) []byte {
	var b bytes.Buffer
	b.WriteString(h.begin)
	for n := 0; b.Len() < size; n++ {
		fmt.Fprintf(&b, "%s%s%d%s", h.open, strings.Repeat(filling, 1+n%7), n, h.close)
	}
	b.WriteString(h.end)
	return b.Bytes()
}

// outside is a file of some size that has the filling before its first cue.
func (h hostile) outside(filling string, size int) []byte {
	var b bytes.Buffer
	b.WriteString(h.begin)
	for b.Len() < size {
		b.WriteString(strings.Repeat(filling, min(size/2, cueSize)/len(filling)))
		b.WriteString("\n\n" + h.open + "a" + h.close)
	}
	b.WriteString(h.end)
	return b.Bytes()
}

var shapes = map[string]func(h hostile, filling string, size int) []byte{
	"large cues": hostile.file, "small cues": hostile.small, "outside": hostile.outside,
}

// reads does all that is done with a file of captions.
func reads(file []byte) {
	f, _ := caption.ReadAny(bytes.NewReader(file)) // whether it can be read is no matter here
	clean := caption.Unroll(f.Segments)
	_ = caption.DropSounds(clean)
}
