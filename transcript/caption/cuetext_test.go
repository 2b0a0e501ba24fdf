package caption_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

func TestCueText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain":                      "plain",
		"one\ntwo":                   "one\ntwo",
		" one \n\t two\t ":           "one\ntwo",
		" \none":                     "one",
		"one\n \ntwo\n ":             "one\ntwo",
		"a  b \t c\fd":               "a b c d",
		"a\u00a0\u00a0b\u3000":       "a\u00a0\u00a0b\u3000", // wider white space is text
		"\u200bone\u200b":            "one",
		"one <i>two</i> three":       "one two three",
		"one<i> two </i> three":      "one two three",
		"<b>one</b>\n<u>two</u>":     "one\ntwo",
		"<b><i>one</b></i>":          "one",
		"<c.yellow.bg_blue>one</c>":  "one",
		"<lang en-GB>color</lang>":   "color",
		"<c.a b>one</c>":             "one",
		"<font color=red>one</font>": "one",
		"<>one</>":                   "one",
		"<.x>one":                    "one",
		"< b>one</b>":                "one",
		"<\nb>one":                   "one",
		"one<b\nclass>two":           "onetwo",
		"<3 one":                     "",
		"one <3 two":                 "one",
		"one < two > three":          "one three", // a bare "<" opens a tag
		"one < two":                  "one",
		"one > two":                  "one > two",
		"one<":                       "one",
		"one<b":                      "one",
		"one</b":                     "one",
		"a<b>b<c>c</c></b>d":         "abcd",
		"{\\an8}one":                 "{\\an8}one",
		"- one\n- two":               "- one\n- two",
		"[music] ♪":                  "[music] ♪",

		"a &amp; b &lt;i&gt; &quot;c&quot; &#39;d&#39;": `a & b <i> "c" 'd'`,
		"a&nbsp;b":               "a\u00a0b",
		"&lrm;a&rlm;b":           "\u200ea\u200fb",
		"&amp;amp; &amp;lt;":     "&amp; &lt;", // once
		"&lt;b&gt;one&lt;/b&gt;": "<b>one</b>",
		"&copy; &eacute; &hellip; &CounterClockwiseContourIntegral;": "© é … ∳",
		"&#233; &#xE9; &#XE9; &#128512;":                             "é é é 😀",
		"&amp &copy &eacutes &lt3":                                   "& © és <3",
		"&notit; &notin;":                                            "¬it; ∉",
		"& && &; &x; &# &#; &#x; &#xZ; &nothing;":                    "& && &; &x; &# &#; &#x; &#xZ; ¬hing;",
		"&#0065;&#65B &#x41g &#X0041; &#4294967361; &#x100000041;":   "AAB Ag A � �",
		"&#0; &#xD800; &#x110000;":                                   "� � �",
		"&#128; &#x92;":                                              "€ ’", // as HTML reads them, from Windows-1252
		"a&#10;b&#32;&#9;c&#13;":                                     "a\nb c",
		"&am<b>p;":                                                   "&amp;",
		"a<b title=&gt;>b":                                           "ab",
		"AT&T Q&A":                                                   "AT&T Q&A",

		"<ruby>漢<rt>kan</rt>字<rt>ji</rt></ruby>!":          "漢字!",
		"<ruby>漢<rt>kan</ruby>!":                           "漢!",
		"<ruby>漢<rt>kan":                                   "漢",
		"<ruby>漢<rt>k<b>a</b>n</rt></ruby>!":               "漢!",
		"<ruby>漢<rt><b>kan</rt></ruby>!":                   "漢", // <b> is not closed: all of it is annotation
		"<ruby>漢<rt><b>kan</rt></ruby></b></rt>!":          "漢!",
		"<ruby><b>漢<rt>kan</rt></b></ruby>":                "漢kan", // <rt> is not in <ruby> itself
		"one<rt>two</rt>":                                  "onetwo",
		"<ruby.big>漢<rt.small>kan</rt></ruby>!":            "漢!",
		"<ruby>a<rt><ruby>b<rt>c</rt></ruby></rt>d</ruby>": "ad",

		strings.Repeat("<b>", 5000) + "deep" + strings.Repeat("</b>", 6000) + " end": "deep end",
	} {
		t.Run(text[:min(60, len(text))], func(t *testing.T) {
			t.Parallel()
			expected := "1+1 " + strconv.Quote(want)
			if want == "" {
				expected = ""
			}
			assert.Equal(t, expected, read(t, "WEBVTT\n\n00:01.000 --> 00:02.000\n"+text))
		})
	}
}

func TestSpeakers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"<v Fred>hello":                          `Fred "hello"`,
		"<v Fred>hello</v>":                      `Fred "hello"`,
		"<v.loud.first Fred Smith>hello":         `Fred Smith "hello"`,
		"<v \t Fred \n Smith >hello":             `Fred Smith "hello"`,
		"<v Tom &amp; Jerry>hello":               `Tom & Jerry "hello"`,
		"<v Fred&#32;>hello":                     `Fred "hello"`,
		"<v O'Neil.jr>hello":                     `O'Neil.jr "hello"`,
		" <v Fred>hello</v> ":                    `Fred "hello"`,
		"<v Fred><i>hello</i> there</v>":         `Fred "hello there"`,
		"<i><v Fred>hello</v></i>":               `Fred "hello"`,
		"<v Fred>hello</v>\n<v Fred>there":       `Fred "hello\nthere"`,
		"<v Fred>hello\n<v Fred>there":           `Fred "hello\nthere"`,
		"<v Mary></v><v Fred>hello":              `Fred "hello"`,
		"<v Fred>hello</v>\n<v Mary>hi</v>":      `"hello\nhi"`,
		"<v Fred>hello\n<v Mary>hi":              `"hello\nhi"`,
		"<v Fred>hello</v> (laughter)":           `"hello (laughter)"`,
		"- <v Fred>hello":                        `"- hello"`,
		"<v Fred>hello <v>hi":                    `"hello hi"`,
		"<v Fred>hello <v Mary>hi</v> there</v>": `"hello hi there"`,
		"<v>hello":                               `"hello"`,
		"<v >hello":                              `"hello"`,
		"<v.Fred>hello":                          `"hello"`,
		"<vFred>hello":                           `"hello"`,
		"<V Fred>hello":                          `"hello"`,
		"<v Fred":                                "",
		"<v Fred>漢<ruby>字<rt>ji</rt></ruby>":     `Fred "漢字"`,
		"<v Fred>a</v><ruby><rt>b</rt></ruby>":   `Fred "a"`,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			if want != "" {
				want = "1+1 " + want
			}
			assert.Equal(t, want, read(t, "WEBVTT\n\n00:01.000 --> 00:02.000\n"+text))
		})
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"so we":                           `"so we"`,
		"so<00:01.200> we<00:01.500> are": `"so we are" so@1-1.2 we@1.2-1.5 are@1.5-2`,
		"so<00:00:01.200><c> we</c><00:00:01.500><c> are</c>": `"so we are" so@1-1.2 we@1.2-1.5 are@1.5-2`,
		"<00:01.200>so <00:01.500>we":                         `"so we" so@1.2-1.5 we@1.5-2`,
		"above us\nso<00:01.500><c> we</c>":                   `"above us\nso we" above@1-1.5 us@1-1.5 so@1-1.5 we@1.5-2`,
		"君<00:01.200>の<00:01.500>名":                           `"君の名" 君@1-1.2 の@1.2-1.5 名@1.5-2`,
		"so <00:01.200><00:01.500> we":                        `"so we" so@1-1.2 we@1.5-2`,
		"so we<00:01.200>":                                    `"so we" so@1-1.2 we@1-1.2`,
		"so<00:01.500> we<00:01.200> are":                     `"so we are" so@1-1.5 we@1.5-1.5 are@1.5-2`, // never backwards
		"so<00:00.500> we<00:07.000> are":                     `"so we are" so@1-1 we@1-2 are@2-2`,         // never outside
		"so<00:01.2> we":                                      `"so we"`,
		"so<00:01.200 > we":                                   `"so we"`,
		"so< 00:01.200> we":                                   `"so we"`,
		"so<00:01.200.x> we":                                  `"so we"`,
		"so<1> we":                                            `"so we"`,
		"so</00:01.200> we":                                   `"so we"`,
		"so<00:01.200":                                        `"so" so@1-1.2`,
		"<ruby>漢<00:01.200><rt>kan</rt></ruby>字":              `"漢字" 漢@1-1.2 字@1.2-2`,
		"<v Fred>so <00:01.200>we":                            `Fred "so we" so@1-1.2 we@1.2-2`,
		"a &amp;<00:01.200> b":                                `"a & b" a@1-1.2 &@1-1.2 b@1.2-2`,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, "1+1 "+want, read(t, "WEBVTT\n\n00:01.000 --> 00:02.000\n"+text))
		})
	}
}

// Segments share memory. A caller that appends to the words of one, or keeps one,
// changes no other.
func TestSegmentsStandAlone(t *testing.T) {
	t.Parallel()
	segments, err := segmentsOf(caption.ReadWebVTT(strings.NewReader("WEBVTT\n\n" +
		"00:01.000 --> 00:02.000\na<00:01.500> b\n\n" +
		"00:02.000 --> 00:03.000\nc<00:02.500> d\n\n" +
		"00:03.000 --> 00:04.000\ne<00:03.500> f\n\n")))
	require.NoError(t, err)
	require.Len(t, segments, 3)
	before := shown(segments)
	for _, s := range segments {
		_ = append(s.Words, s.Words...) // not what it returns matters, but what it overwrites
	}
	assert.Equal(t, before, shown(segments))
}

// A reference reaches no further than the longest name, and is read no further.
func TestReferencesEnd(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 100)
	for text, want := range map[string]string{
		"&" + long:    "&" + long,
		"&amp" + long: "&" + long,
		"&CounterClockwiseContourIntegral;" + long: "∳" + long,
		"&CounterClockwiseContourIntegrals;":       "&CounterClockwiseContourIntegrals;",
		strings.Repeat("&", 100):                   strings.Repeat("&", 100),
		"&#" + strings.Repeat("0", 100) + "65;b":   "Ab",
	} {
		f, err := caption.ReadWebVTT(strings.NewReader("WEBVTT\n\n00:01.000 --> 00:02.000\n" + text + "\n"))
		require.NoError(t, err)
		assert.Equal(t, want, f.Segments[0].Text)
	}
}
