package caption_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// readWith reads file whole and byte by byte, which is the same.
func readWith(t *testing.T, reader func(io.Reader) (caption.File, error), file string) string {
	t.Helper()
	segments, err := segmentsOf(reader(strings.NewReader(file)))
	require.NoError(t, err)
	slowly, err := segmentsOf(reader(iotest.OneByteReader(strings.NewReader(file))))
	require.NoError(t, err)
	require.Equal(t, segments, slowly, "byte by byte")
	return shown(segments)
}

func readTTML(t *testing.T, file string) string {
	t.Helper()
	return readWith(t, caption.ReadTTML, file)
}

func TestTTMLTimes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ params, times, want string }{
		{``, `begin="00:00:01.000" end="00:00:02.000"`, `1+1`},
		{``, `begin="00:00:01" dur="00:00:02"`, `1+2`},
		{``, `begin="00:00:00.080" end="00:00:02.5"`, `0.08+2.42`},
		{``, `begin="100:59:59.123" end="100:59:60.5"`, `363599.123+1.377`},
		{``, `begin="1h" end="1.5h"`, `3600+1800`},
		{``, `begin="1m" end="90s"`, `60+30`},
		{``, `begin="1500ms" dur="1.5s"`, `1.5+1.5`},
		{``, `begin="30f" dur="15f"`, `1+0.5`},
		{``, `begin="1t" dur="2t"`, `1+2`},
		{``, `begin="00:00:01:15" end="00:00:02:00"`, `1.5+0.5`},
		{``, `begin=" 1s " end="2s"`, `1+1`},
		{``, `begin="1.5" end="0:02,5"`, `1.5+1`},
		{``, `begin="1:02.5" end="1:03"`, `62.5+0.5`},
		{``, `begin="2s" end="1s"`, `2+0`},
		{``, `begin="2s" end="5s" dur="1s"`, `2+1`},
		{``, `begin="2s" end="3s" dur="5s"`, `2+1`},
		{``, `begin="99999999999999999999h" end="99999999999999999999999h"`, `9.999999972e+11+0`},
		{`ttp:frameRate="25"`, `begin="25f" end="00:00:02:05"`, `1+1.2`},
		{`ttp:frameRate="25"`, `begin="25t" end="50t"`, `1+1`},
		{`ttp:frameRate="25" ttp:subFrameRate="4"`, `begin="100t" end="00:00:02:05.2"`, `1+1.22`},
		{`ttp:frameRate="30" ttp:frameRateMultiplier="1000 1001"`, `begin="30f" end="00:00:02:15"`, `1.001+1.5`},
		{`ttp:frameRate="30" ttp:frameRateMultiplier="1000:1001"`, `begin="30f" dur="1s"`, `1.001+1`},
		{`ttp:tickRate="10000000"`, `begin="12345678t" end="20000000t"`, `1.235+0.765`},
		{`ttp:frameRate="0" ttp:tickRate="x" ttp:frameRateMultiplier="1 0"`, `begin="30f" end="2t"`, `1+1`},
		{`ttp:timeBase="smpte" ttp:frameRate="30" ttp:frameRateMultiplier="1000 1001"`, `begin="01:00:00:00" dur="1s"`, `3603.6+1`},
		{`ttp:timeBase="smpte" ttp:frameRate="30" ttp:frameRateMultiplier="1000 1001" ttp:dropMode="dropNTSC"`,
			`begin="01:00:00:00" end="01:00:01"`, `3599.996+1.001`},
		{`ttp:timeBase="smpte" ttp:frameRate="25"`, `begin="00:00:01;05" dur="1s"`, `1.2+1`},
		{`ttp:timeBase="smpte" ttp:frameRate="25" ttp:dropMode="dropPAL"`, `begin="00:02:00:04" dur="1s"`, `120+1`},

		{``, `begin="" end="2s"`, ``},
		{``, `begin="x" end="2s"`, ``},
		{``, `begin="-1s" end="2s"`, ``},
		{``, `begin="NaN" end="2s"`, ``},
		{``, `begin="1e3s" end="2s"`, ``},
		{``, `begin="1.s" end="2s"`, ``},
		{``, `begin="00:60:00" end="2h"`, ``},
		{``, `begin="00:00:61" end="2h"`, ``},
		{``, `begin="00:00:01:02:03" end="2h"`, ``},
		{``, `begin="00:00:" end="2h"`, ``},
		{``, `begin="00:00:01:02.x" end="2h"`, ``},
		{``, `begin="1s" end="soon"`, ``},
		{``, `begin="1s" dur="indefinite"`, ``},
		{``, `begin="wallclock(2026-01-01T00:00:00)" end="2h"`, ``},
	} {
		t.Run(test.params+" "+test.times, func(t *testing.T) {
			t.Parallel()
			file := `<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttp="http://www.w3.org/ns/ttml#parameter" ` + test.params +
				`><body><div><p ` + test.times + `>a</p><p begin="9e9">lost</p><p begin="1000000h" dur="1s">b</p></div></body></tt>`
			want := ""
			if test.want != "" {
				want = test.want + " \"a\"\n"
			}
			got := readTTML(t, file)
			if test.want != "" && strings.HasPrefix(test.want, "9.9") {
				assert.Equal(t, "3.6e+09+1 \"b\"\n"+test.want+` "a"`, got)
				return
			}
			assert.Equal(t, want+`3.6e+09+1 "b"`, got)
		})
	}
}

// tt is a file with the body.
func tt(body string) string {
	return `<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttm="http://www.w3.org/ns/ttml#metadata"><head><metadata>` +
		`<ttm:agent xml:id="a"><ttm:name>Ann</ttm:name></ttm:agent><ttm:agent xml:id="b"><ttm:name type="alias">B.</ttm:name>` +
		`<ttm:name type="full">Bob</ttm:name><ttm:name>Bobby</ttm:name></ttm:agent><ttm:agent xml:id="c"/></metadata>` +
		`<styling><style xml:id="base" tts:ruby="base"/><style xml:id="rt" tts:ruby="text"/></styling></head>` + body + `</tt>`
}

func TestTTMLContainers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, body, want string }{
		{"offsets add up", `<body begin="100s"><div begin="10s"><p begin="1s" end="2s">a</p></div></body>`, `111+1 "a"`},
		{"an end bounds what is within", `<body end="3s"><div><p begin="1s" end="9s">a</p></div></body>`, `1+2 "a"`},
		{"a duration bounds what is within", `<body begin="1s" dur="3s"><div><p begin="1s" end="9s">a</p></div></body>`, `2+2 "a"`},
		{"no times", `<body><div begin="5s" end="9s"><p>a</p></div></body>`, `5+4 "a"`},
		{"no times at all", `<body><div><p>a</p></div></body>`, `0+0 "a"`},
		{"no begin", `<body><div begin="5s"><p end="1s">a</p></div></body>`, `5+1 "a"`},
		{"no end", `<body><div><p begin="5s">a</p><p begin="7s" end="8s">b</p></div></body>`, "5+2 \"a\"\n7+1 \"b\""},
		{"no end, and a cue without text", `<body><div><p begin="5s">a</p><p begin="6s"/><p begin="7.1s">b</p></div></body>`, "5+2.1 \"a\"\n7.1+0 \"b\""},
		{"no end, together", `<body><div><p begin="5s">a</p><p begin="5s">b</p></div></body>`, "5+0 \"a\"\n5+0 \"b\""},
		{"no end, out of order", `<body><div><p begin="5s">a</p><p begin="3s" end="4s">b</p></div></body>`, "3+1 \"b\"\n5+0 \"a\""},
		{"one after another", `<body><div timeContainer="seq"><p dur="2s">a</p><p begin="1s" end="4s">b</p><p dur="1s">c</p></div></body>`,
			"0+2 \"a\"\n3+3 \"b\"\n6+1 \"c\""},
		{"containers one after another", `<body timeContainer="seq"><div><p begin="1s" end="2s">a</p><p end="5s">b</p></div><div timeContainer="seq"><p dur="1s">c</p></div><div><p end="1s">d</p></div></body>`,
			"0+5 \"b\"\n1+1 \"a\"\n5+1 \"c\"\n6+1 \"d\""},
		{"side by side", `<body><div timeContainer="par"><p dur="2s">a</p><p dur="3s">b</p></div></body>`, "0+2 \"a\"\n0+3 \"b\""},
		{"a broken time of a container", `<body begin="noon"><div><p begin="1s" end="2s">a</p></div></body>`, `1+1 "a"`},
		{"times of what has none", `<body><div><p begin="1s" end="2s">a<set begin="0s" end="9s"/><br begin="1s"/>b</p></div></body>`, `1+1 "a\nb"`},
		{"animation in a sequence", `<body><div timeContainer="seq"><set dur="9s"/><p dur="1s">a</p></div></body>`, `0+1 "a"`},
		{"sorted", `<body><div><p begin="3s" end="4s">c</p><p begin="1s" end="2s">a</p><p begin="3s" end="9s">d</p></div></body>`,
			"1+1 \"a\"\n3+1 \"c\"\n3+6 \"d\""},
		{"times of spans one after another", `<body><div timeContainer="seq"><p dur="2s">a</p><p dur="3s"><span begin="1s" end="2s">b</span></p></div></body>`,
			"0+2 \"a\"\n2+3 \"b\" b@3-4"},
		{"an end before the start in a sequence", `<body><div timeContainer="seq"><p begin="3s" end="1s">a</p><p dur="1s">b</p></div></body>`, "3+0 \"a\"\n3+1 \"b\""},
		{"a cue in metadata", `<metadata><p begin="1s" end="2s">no</p></metadata><body><p begin="1s" end="2s">a</p></body>`, `1+1 "a"`},
		{"offsets stay on the clock", `<body begin="277777777h"><p begin="277777777h" dur="1s">a</p></body>`, `9.999999972e+11+0 "a"`},
		{"sums stay on the clock", `<body timeContainer="seq"><div dur="277777777h"/><div dur="277777777h"/><p dur="1s">a</p></body>`, `9.999999972e+11+0 "a"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, readTTML(t, tt(test.body)))
		})
	}
}

func TestTTMLText(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, p, want string }{
		{"white space", "\n  a\t b\r\n c  ", `1+1 "a b c"`},
		{"line breaks", " a <br/> b<br></br>c<br/><br/>d<br/>", `1+1 "a\nb\nc\nd"`},
		{"an open line break", "a<br>b", `1+1 "a\nb"`},
		{"preserved", "<span xml:space=\"preserve\">a\n\n  b </span>c\nd", `1+1 "a\nb c d"`},
		{"default in preserved", "<span xml:space=\"preserve\">a\n<span xml:space=\"default\">b\nc</span></span>", `1+1 "a\nb c"`},
		{"no-break spaces", "&#160;a&nbsp; b\u00A0", `1+1 "a b"`},
		{"zero-width spaces", "\u200B\u200Ba\u200B b\u200Bc", `1+1 "a bc"`},
		{"only zero-width spaces", "<span>\u200B</span> \u200B", ``},
		{"references", "&lt;i&gt; &amp;amp; &quot;&apos;&#x41;&#66;&eacute;", "1+1 \"<i> &amp; \\\"'ABé\""},
		{"unknown entities", "&unknown; &a b & c; &#; &#xZ;", `1+1 "&unknown; &a b & c; &#; &#xZ;"`},
		{"CDATA", "a<![CDATA[ <b> &amp;]]>c", `1+1 "a <b> &amp;c"`},
		{"comments and instructions", "a<!-- b -->c<?d e?>f", `1+1 "acf"`},
		{"foreign elements", `a<i>b</i><x:y z="1">c</x:y>`, `1+1 "abc"`},
		{"metadata", `<metadata><ttm:desc>x</ttm:desc>y</metadata><ttm:title>z</ttm:title>a<set begin="1s">w</set>`, `1+1 "a"`},
		{"ruby", `<span tts:ruby="container"><span tts:ruby="baseContainer"><span tts:ruby="base">a</span></span><span tts:ruby="textContainer">x<span tts:ruby="text" begin="0.5s" end="0.7s">y</span></span></span>b`, `1+1 "ab"`},
		{"ruby by styles", `<span style="x"><span style="base">a</span><span style="x rt">y</span></span>b`, `1+1 "ab"`},
		{"a paragraph in a paragraph", `a <p begin="0.5s" end="0.6s">b</p> c`, `1+1 "a b c" a@1-1.5 b@1.5-1.6 c@1.6-2`},
		{"no text", " <br/>\u00A0<span/> ", ``},

		{"timed spans", `<span begin="0s" end="0.25s">a</span> <span begin="0.5s" end="0.75s">b c</span>`,
			`1+1 "a b c" a@1-1.25 b@1.5-1.75 c@1.5-1.75`},
		{"text around timed spans", `x <span begin="0.25s">a</span> y <span begin="0.5s" dur="0.25s">b</span> z`,
			`1+1 "x a y b z" x@1-1.25 a@1.25-1.5 y@1.25-1.5 b@1.5-1.75 z@1.75-2`},
		{"parts of a word", `<span begin="0s">a</span><span begin="0.5s">b</span>`, `1+1 "ab" a@1-1.5 b@1.5-2`},
		{"spans in spans", `<span begin="0.5s"><span begin="0.1s">a</span> <span begin="0.2s">b</span></span>`, `1+1 "a b" a@1.6-1.7 b@1.7-2`},
		{"spans out of order or of the cue", `<span begin="0.5s">a</span> <span begin="0.25s">b</span> <span begin="9s">c</span>`,
			`1+1 "a b c" a@1.5-1.5 b@1.5-2 c@2-2`},
		{"a broken time of a span", `<span begin="soon">a</span> b`, `1+1 "a b"`},
		{"untimed spans", `<span>a</span> <span style="s">b</span>`, `1+1 "a b"`},
		{"many spans without text", strings.Repeat(`<span begin="0.5s"/>`, 1000) + `<span begin="0.75s">a</span>`, `1+1 "a" a@1.75-2`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := readTTML(t, tt(`<body><div><p begin="1s" end="2s">`+test.p+`</p></div></body>`))
			assert.Equal(t, test.want, got)
		})
	}
}

func TestTTMLTimesOfSpans(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, p, want string }{
		{"all of the text", `<p><span begin="2s" end="3s">a</span> <span begin="4s" end="5s">b</span></p>`, `2+3 "a b" a@2-3 b@4-5`},
		{"not in order", `<p><span begin="4s" end="5s">a</span> <span begin="2s" end="3s">b</span></p>`, `2+3 "a b" a@4-5 b@5-5`},
		{"text before", `<p>x <span begin="2s" end="3s">a</span></p>`, `0+3 "x a" x@0-2 a@2-3`},
		{"text after", `<p begin="1s"><span begin="2s" end="3s">a</span> x</p><p begin="9s" end="10s">b</p>`,
			"1+8 \"a x\" a@3-4 x@4-9\n9+1 \"b\""},
		{"no ends", `<p><span begin="2s">a</span> <span begin="4s">b</span></p><p begin="9s" end="10s">b</p>`,
			"2+7 \"a b\" a@2-4 b@4-9\n9+1 \"b\""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, readTTML(t, tt(`<body><div>`+test.p+`</div></body>`)))
		})
	}
}

func TestTTMLSpeakers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, body, want string }{
		{"of a paragraph", `<p begin="1s" end="2s" ttm:agent="a">x</p>`, `1+1 Ann "x"`},
		{"the full name", `<p begin="1s" end="2s" ttm:agent="b">x</p>`, `1+1 Bob "x"`},
		{"without a name", `<p begin="1s" end="2s" ttm:agent="c">x</p>`, `1+1 "x"`},
		{"not declared", `<p begin="1s" end="2s" ttm:agent="SPEAKER_1">x</p>`, `1+1 SPEAKER_1 "x"`},
		{"several that are not declared", `<p begin="1s" end="2s" ttm:agent="x y">x</p>`, `1+1 "x"`},
		{"of all around", `<div ttm:agent="a"><p begin="1s" end="2s">x</p></div>`, `1+1 Ann "x"`},
		{"of the innermost", `<div ttm:agent="a"><p begin="1s" end="2s"><span ttm:agent="b">x</span></p></div>`, `1+1 Bob "x"`},
		{"of several", `<p begin="1s" end="2s"><span ttm:agent="a">x</span> <span ttm:agent="b">y</span></p>`, `1+1 "x y"`},
		{"of some", `<p begin="1s" end="2s"><span ttm:agent="a">x</span> y</p>`, `1+1 "x y"`},
		{"together", `<p begin="1s" end="2s" ttm:agent="a b">x</p>`, `1+1 "x"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, readTTML(t, tt(`<body>`+test.body+`</body>`)))
		})
	}
}

func TestTTMLKeepsNoCrowd(t *testing.T) {
	t.Parallel()
	var names strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&names, `<agent xml:id="%d"><name>Ann</name></agent>`, i)
	}
	for name, head := range map[string]string{
		"names":  names.String(),
		"styles": strings.Repeat(`<style xml:id="a" tts:ruby="text"/>`, 20_000),
		"a name": `<agent xml:id="a"><name>` + strings.Repeat("Ann<b/>", 1<<20/3) + "</name></agent>",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := caption.ReadTTML(strings.NewReader("<tt><head>" + head + "</head></tt>"))
			assert.ErrorIs(t, err, caption.ErrTooLarge)
		})
	}
}
