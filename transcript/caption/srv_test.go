package caption_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

func TestSRV1(t *testing.T) {
	t.Parallel()
	const next = `<text start="9" dur="1">next</text>`
	for _, test := range []struct{ name, text, want string }{
		{"plain", `<text start="1.54" dur="4.16">a b</text>`, `1.54+4.16 "a b"`},
		{"whole seconds", `<text start="1" dur="2">a</text>`, `1+2 "a"`},
		{"no whole seconds", `<text start=".5" dur="2">a</text>`, `0.5+2 "a"`},
		{"more than milliseconds", `<text start="1.23456" dur="2.0004">a</text>`, `1.235+2 "a"`},
		{"other attributes", `<text id="1" start="1" w="2" dur="2">a</text>`, `1+2 "a"`},
		{"no duration", `<text start="1">a</text>`, `1+8 "a"`},
		{"overlaps", `<text start="1" dur="9">a</text>`, `1+9 "a"`},
		{"a large time", `<text start="99999999999999999999" dur="5">a</text>`, "9+1 \"next\"\n9.999999972e+11+0 \"a\""},
		{"no start", `<text dur="2">a</text>`, ``},
		{"an empty start", `<text start="" dur="2">a</text>`, ``},
		{"a negative start", `<text start="-1" dur="2">a</text>`, ``},
		{"a negative duration", `<text start="1" dur="-2">a</text>`, ``},
		{"no number", `<text start="NaN" dur="2">a</text><text start="Inf">b</text><text start="1e3">c</text><text start="1.">d</text>`, ``},
		{"no text", `<text start="1" dur="2"></text><text start="1" dur="2"/><text start="1" dur="2"> &amp;nbsp; </text>`, ``},
		{"text in a text", `<text start="1" dur="2">a<text start="2" dur="3">b</text>c</text>`, `2+3 "b"`},

		{"twice encoded", `<text start="1" dur="2">it&amp;#39;s &amp;quot;A&amp;quot; &amp;amp; B &amp;lt;3</text>`, `1+2 "it's \"A\" & B <3"`},
		{"three times encoded", `<text start="1" dur="2">&amp;amp;lt;</text>`, `1+2 "&lt;"`},
		{"once encoded", `<text start="1" dur="2">it&#39;s &quot;A&quot; &amp; B</text>`, `1+2 "it's \"A\" & B"`},
		{"tags", `<text start="1" dur="2">&lt;i&gt;a&lt;/i&gt; &lt;font color=&quot;#FFF&quot;&gt;b&lt;/font&gt;c</text>`, `1+2 "a bc"`},
		{"no tags", `<text start="1" dur="2">1 &lt; 2 &lt;3 a&lt;b</text>`, `1+2 "1 < 2 <3 a<b"`},
		{"what looks like a tag when decoded", `<text start="1" dur="2">&amp;lt;i&amp;gt;a</text>`, `1+2 "<i>a"`},
		{"elements", `<text start="1" dur="2"><i>a</i><br/>b</text>`, `1+2 "a\nb"`},
		{"a tag in pieces", `<text start="1" dur="2">a&lt;i<!-- --> b=&quot;c<![CDATA[">d]]></text>`, `1+2 "ad"`},
		{"line breaks", "<text start=\"1\" dur=\"2\">a\n b&lt;br&gt;c&lt;BR /&gt;d&lt;brave&gt;e\n</text>", `1+2 "a\nb\nc\nde"`},
		{"white space", "<text start=\"1\" dur=\"2\"> a \t b&amp;nbsp;&amp;#160;c </text>", `1+2 "a b c"`},
		{"numbers of Windows", `<text start="1" dur="2">&amp;#146;&amp;#0;</text>`, "1+2 \"’\uFFFD\""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			want := strings.TrimPrefix(test.want+"\n9+1 \"next\"", "\n")
			if strings.Contains(test.want, "next") {
				want = test.want
			}
			file := `<?xml version="1.0" encoding="utf-8" ?><transcript>` + test.text + next + `</transcript>`
			assert.Equal(t, want, readWith(t, caption.ReadSRV1, file))
		})
	}
}

func TestSRV3(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, body, want string }{
		{"plain", `<p t="1540" d="4160">a b</p>`, `1.54+4.16 "a b"`},
		{"lines", "<p t=\"1000\" d=\"2000\">a\nb<br/>c\n</p>", `1+2 "a\nb\nc"`},
		{"once decoded", `<p t="1000" d="2000">&lt;i&gt;a&amp;amp;&#39;</p>`, `1+2 "<i>a&amp;'"`},
		{"no duration", `<p t="1000">a</p><p t="3000" d="1">b</p>`, "1+2 \"a\"\n3+0.001 \"b\""},
		{"no duration at the end", `<p t="1000"><s t="500">a</s></p>`, `1+0.5 "a" a@1.5-1.5`},
		{"no duration, with words", `<p t="1000"><s>a</s><s t="500"> b c</s></p><p t="3000" d="0">d</p>`, "1+2 \"a b c\" a@1-1.5 b@1.5-3 c@1.5-3\n3+0 \"d\""},
		{"no time", `<p d="1000">a</p><p t="" d="1000">b</p><p t="-5" d="1">c</p><p t="1s" d="1">d</p><p t="1" d="-1">e</p>`, ``},
		{"a large time", `<p t="9999999999999999999999" d="999999999999999999"><s t="99999999999999999">a</s></p>`,
			`9.999999972e+11+0 "a" a@9.999999972e+11-9.999999972e+11`},

		{"words", `<p t="1000" d="2000" w="1"><s ac="0">a</s><s t="240" ac="255"> b</s><s t="500"> c</s></p>`,
			`1+2 "a b c" a@1-1.24 b@1.24-1.5/1 c@1.5-3`},
		{"one word", `<p t="1000" d="2000" w="1"><s ac="51">a</s></p>`, `1+2 "a" a@1-3/0.2`},
		{"words without offsets", `<p t="1000" d="2000"><s p="1">a</s><s p="2"> b</s></p>`, `1+2 "a b"`},
		{"parts of words", `<p t="1000" d="2000"><s>a</s><s t="500">b</s></p>`, `1+2 "ab" a@1-1.5 b@1.5-3`},
		{"several words in one", `<p t="1000" d="2000"><s>a b</s><s t="500"> c d</s></p>`, `1+2 "a b c d" a@1-1.5 b@1-1.5 c@1.5-3 d@1.5-3`},
		{"offsets out of the cue or its order", `<p t="1000" d="2000"><s>a</s><s t="900"> b</s><s t="500"> c</s><s t="5000"> d</s></p>`,
			`1+2 "a b c d" a@1-1.9 b@1.9-1.9 c@1.9-3 d@3-3`},
		{"a broken offset", `<p t="1000" d="2000"><s>a</s><s t="x" ac="9"> b</s><s t="1000" ac="x"> c</s></p>`, `1+2 "a b c" a@1-2 b@1-2 c@2-3`},
		{"a confidence out of bounds", `<p t="1000" d="2000"><s ac="-5">a</s><s t="500" ac="999"> b</s></p>`, `1+2 "a b" a@1-1.5 b@1.5-3/1`},
		{"an appended line break", "<p t=\"1000\" d=\"2000\" w=\"1\"><s ac=\"0\">a</s></p><p t=\"1500\" d=\"500\" w=\"1\" a=\"1\">\n</p>", `1+2 "a" a@1-3`},
		{"windows", `<w t="0" id="1" wp="1" ws="1">x</w><p t="1000" d="2000">a</p>`, `1+2 "a"`},
		{"words outside of a cue", `<s t="5">x</s><br/>y<p t="1000" d="2000">a</p><s t="5">z</s>`, `1+2 "a"`},
		{"the second format", `<text t="1000" d="2000" w="1">a</text><text t="2000" d="1000" w="1" append="1">b</text>`, "1+2 \"a\"\n2+1 \"b\""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			file := `<?xml version="1.0" encoding="utf-8" ?><timedtext format="3"><head><pen id="1" b="1"/></head><body>` + test.body + `</body></timedtext>`
			assert.Equal(t, test.want, readWith(t, caption.ReadSRV3, file))
		})
	}
}

func TestJSON3(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, events, want string }{
		{"plain", `{"tStartMs":1540,"dDurationMs":4160,"segs":[{"utf8":"a b"}]}`, `1.54+4.16 "a b"`},
		{"lines", `{"tStartMs":1000,"dDurationMs":2000,"segs":[{"utf8":"a\nb\r\nc\n"}]}`, `1+2 "a\nb\nc"`},
		{"once decoded", `{"tStartMs":1000,"dDurationMs":2000,"segs":[{"utf8":"\u003ci>&amp;\ud83d\ude00\u0000\ud800"}]}`, "1+2 \"<i>&amp;😀\uFFFD\uFFFD\""},
		{"numbers in strings", `{"tStartMs":"1540","dDurationMs":"4160","segs":[{"utf8":"a"},{"utf8":" b","tOffsetMs":"500","acAsrConf":"255"}]}`,
			`1.54+4.16 "a b" a@1.54-2.04 b@2.04-5.7/1`},
		{"fractions", `{"tStartMs":1540.4,"dDurationMs":4160.0,"segs":[{"utf8":"a"}]}`, `1.54+4.16 "a"`},
		{"no start", `{"dDurationMs":1000,"segs":[{"utf8":"a"}]},{"tStartMs":null,"dDurationMs":null,"segs":[{"utf8":"b"}]}`, "0+1 \"a\"\n0+0 \"b\""},
		{"no duration", `{"tStartMs":1000,"segs":[{"utf8":"a"},{"utf8":" b","tOffsetMs":500}]},{"tStartMs":3000,"dDurationMs":1,"segs":[{"utf8":"c"}]}`,
			"1+2 \"a b\" a@1-1.5 b@1.5-3\n3+0.001 \"c\""},
		{"broken times", `{"tStartMs":-1,"dDurationMs":1,"segs":[{"utf8":"a"}]},{"tStartMs":"x","segs":[{"utf8":"b"}]},` +
			`{"tStartMs":1,"dDurationMs":-1,"segs":[{"utf8":"c"}]},{"tStartMs":{},"segs":[{"utf8":"d"}]},{"tStartMs":1e400,"segs":[{"utf8":"e"}]}`, ``},
		{"no segments", `{"tStartMs":0,"dDurationMs":9000,"id":1,"wpWinPosId":1},{"tStartMs":0,"segs":[]},{"segs":null}`, ``},
		{"broken segments", `{"tStartMs":1000,"dDurationMs":2000,"segs":[5,{"utf8":7},{"utf8":"a"},null,{}]}`, `1+2 "a"`},
		{"a broken event", `5,null,[],"x",{"tStartMs":1000,"dDurationMs":2000,"segs":[{"utf8":"a"}]}`, `1+2 "a"`},

		{"words", `{"tStartMs":1000,"dDurationMs":2000,"wWinId":1,"segs":[{"utf8":"a","acAsrConf":0},{"utf8":" b","tOffsetMs":240,"acAsrConf":255},{"utf8":" c","tOffsetMs":500}]}`,
			`1+2 "a b c" a@1-1.24 b@1.24-1.5/1 c@1.5-3`},
		{"one word", `{"tStartMs":1000,"dDurationMs":2000,"segs":[{"utf8":"a","acAsrConf":51}]}`, `1+2 "a" a@1-3/0.2`},
		{"a broken offset", `{"tStartMs":1000,"dDurationMs":2000,"segs":[{"utf8":"a"},{"utf8":" b","tOffsetMs":[],"acAsrConf":9}]}`, `1+2 "a b"`},
		{"an appended line break", `{"tStartMs":1000,"dDurationMs":2000,"wWinId":1,"aAppend":1,"segs":[{"utf8":"\n"}]}`, ``},
		{"zero-width and no-break spaces", `{"tStartMs":1000,"dDurationMs":2000,"segs":[{"utf8":"\u200b"},{"utf8":"a\u00a0 b"},{"utf8":"\u200b \u200b"}]}`, `1+2 "a b"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, file := range []string{
				`{"wireMagic":"pb3","pens":[{"a":[{}]}],"events":[` + test.events + `],"x":[{"events":[{"segs":[{"utf8":"no"}]}]}],"events":[1]}`,
				"\uFEFF\n{\"events\" : [ " + test.events + " ] } \n",
			} {
				assert.Equal(t, test.want, readWith(t, caption.ReadJSON3, file))
			}
		})
	}
}

// TestSRV3Ruby: neither annotations nor the parentheses around them are text.
func TestSRV3Ruby(t *testing.T) {
	t.Parallel()
	const file = `<timedtext format="3"><head><pen id="1" rb="1"/><pen id="2" rb="2"/><pen id="3" rb="4"/><pen id="4" rb="5"/><pen id="5" i="1"/></head><body>` +
		`<p t="1000" d="1000"><s p="1">漢字</s><s p="2">(</s><s p="3">かんじ</s><s p="2">)</s><s p="5">を</s><s>読む</s><s p="4">x</s></p>` +
		`<p t="3000" d="1000"><s p="3">only</s></p><p t="5000" d="1000">plain</p></body></timedtext>`
	assert.Equal(t, "1+1 \"漢字を読む\"\n5+1 \"plain\"", readWith(t, caption.ReadSRV3, file))
}
