package caption_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// TestTTMLNestedTimes: what the times of elements in timed elements count from.
func TestTTMLNestedTimes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, body, want string }{
		{"on the clock, as the first cue shows",
			`<body dur="60"><div begin="19.764" end="30"><p begin="19.764" end="21">a</p><p begin="25" end="30">b</p></div></body>`,
			"19.764+1.236 \"a\"\n25+5 \"b\""},
		{"on the clock, as a later cue shows",
			`<body dur="60"><div begin="1" end="30"><p begin="1" end="3">a</p><p begin="4" end="9">b</p><p begin="25" end="30">c</p></div>` +
				`<div begin="31" end="60"><p begin="31" end="32">d</p></div></body>`,
			"1+2 \"a\"\n4+5 \"b\"\n25+5 \"c\"\n31+1 \"d\""},
		{"on the clock, as a later part shows",
			`<body dur="60"><div begin="1" end="30"><p begin="1" end="3">a</p></div><div begin="31" end="60"><p begin="31" end="32">d</p></div></body>`,
			"1+2 \"a\"\n31+1 \"d\""},
		{"on the clock, as spans show",
			`<body dur="60"><div><p begin="2" end="5"><span begin="2" end="3">a</span> <span begin="3" end="5">b</span></p><p begin="6" end="9"><span begin="6" end="7">c</span> d</p></div></body>`,
			"2+3 \"a b\" a@2-3 b@3-5\n6+3 \"c d\" c@6-7 d@7-9"},
		{"on the clock, by durations",
			`<body dur="60"><div begin="10" dur="5"><p begin="10" dur="2">a</p><p begin="12" dur="3">b</p></div></body>`,
			"10+2 \"a\"\n12+3 \"b\""},
		{"on the clock, a cue that ends too late",
			`<body dur="60"><div begin="20" end="30"><p begin="20" end="31">a</p></div></body>`, `20+10 "a"`},
		{"on the clock, without an end in the undecided part",
			`<body dur="60"><div begin="1" end="30"><p begin="1">a</p><p begin="4" end="9">b</p><p begin="25" end="30">c</p></div></body>`,
			"1+29 \"a\"\n4+5 \"b\"\n25+5 \"c\""},
		{"a sequence keeps its order",
			`<body dur="60"><div begin="20" end="30"><p begin="20" end="21">a</p></div><div begin="40" timeContainer="seq"><p dur="2">b</p><p begin="1" dur="2">c</p></div></body>`,
			"20+1 \"a\"\n40+2 \"b\"\n43+2 \"c\""},
		{"from the element around, as all fits",
			`<body><div begin="1s" end="5s"><p begin="1s" end="2s">a</p><p begin="2s" end="3s">b</p></div></body>`, "2+1 \"a\"\n3+1 \"b\""},
		{"from the element around, as the first cue shows",
			`<body><div begin="10s" end="20s"><p begin="0s" end="2s">a</p><p begin="8s" end="9s">b</p></div></body>`, "10+2 \"a\"\n18+1 \"b\""},
		{"from the element around, and too long",
			`<body><div begin="10s" end="20s"><p begin="5s" end="30s">a</p></div></body>`, `15+5 "a"`},
		{"on the clock, as a begin repeats the one around",
			`<body><div begin="19.764"><p begin="19.764">a</p><p begin="22">b</p></div></body>`, "19.764+2.236 \"a\"\n22+0 \"b\""},
		{"on the clock, as begins repeat those around",
			`<body><div begin="19"><p begin="19" end="20">a</p></div><div begin="40"><p begin="40" end="42">b</p></div></body>`, "19+1 \"a\"\n40+2 \"b\""},
		{"from the element around, where one begin is the same in all",
			`<body begin="1s"><div begin="1s"><p begin="1s" end="2s">a</p></div></body>`, `3+1 "a"`},
		{"first undecided, then from the element around",
			`<body><div begin="2s" end="20s"><p begin="3s" end="4s">a</p><p begin="1s" end="2s">b</p></div></body>`, "3+1 \"b\"\n5+1 \"a\""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, readTTML(t, tt(test.body)))
		})
	}
}

// TestTTMLHeldBack: both readings stay possible for long, or to the end that is
// missing; no cue is lost.
func TestTTMLHeldBack(t *testing.T) {
	t.Parallel()
	var body strings.Builder
	const cues = 2500
	for i := range cues {
		fmt.Fprintf(&body, `<p begin="%ds" end="%ds">cue %d</p>`, i+1, i+2, i)
	}
	file := tt(`<body><div begin="1s" end="9h">` + body.String() + `</div></body>`)
	segments, err := segmentsOf(caption.ReadTTML(strings.NewReader(file)))
	require.NoError(t, err)
	require.Len(t, segments, cues)
	for i, s := range segments {
		require.Equal(t, float64(i+2), s.Start, "from the element around")
		require.Equal(t, fmt.Sprint("cue ", i), s.Text)
	}

	cut := tt(`<body><div begin="1s" end="9h"><p begin="1s" end="2s">a</p>`)
	cut = strings.TrimSuffix(cut, "</tt>")
	var seen []string
	for s, err := range caption.TTML(strings.NewReader(cut)) {
		if err != nil {
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			seen = append(seen, "cut")
			continue
		}
		seen = append(seen, s.Text)
	}
	assert.Equal(t, []string{"a", "cut"}, seen)
}

// TestTTMLSpansApart: spans without white space between them.
func TestTTMLSpansApart(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, p, want string }{
		{"one after another", `<span begin="0s" end="0.4s">One</span><span begin="0.5s" end="1s">two</span>`, `One two`},
		{"one after another, phrases", `<span begin="0s" end="0.4s">Hello there</span><span begin="0.4s" end="0.6s">General K.</span> <span begin="0.7s">x</span>`, `Hello there General K. x`},
		{"at once", `<span begin="0s">One</span><span begin="0.5s">two</span>`, `Onetwo`},
		{"overlapping", `<span begin="0s" end="0.6s">One</span><span begin="0.5s" end="1s">two</span>`, `Onetwo`},
		{"parts of a word", `<span begin="0s" end="0.2s">gen</span><span begin="0.2s" end="0.4s">tly</span> <span begin="0.5s" end="1s">down</span>`, `gently down`},
		{"words", `<span begin="0s" end="0.9s" x:unit="sentence"><span begin="0s" end="0.2s" x:unit="word">Hey</span><span begin="0.2s" end="0.4s" x:unit="word">you,</span></span>` +
			`<span x:unit="sentence"><span begin="0.5s" end="0.6s" x:unit="word">there</span><span begin="0.6s" end="0.7s" x:unit="word">!</span></span>`, `Hey you, there!`},
		{"words without times", `<span x:unit="word">Hey</span><span x:unit="word">you</span>`, `Hey you`},
		{"words of a script without spaces", `<span begin="0s" end="0.2s" x:unit="word">今日</span><span begin="0.2s" end="0.4s" x:unit="word">は。</span><span begin="0.4s" end="0.5s" x:unit="word">はい</span>`, `今日は。はい`},
		{"a word of another script", `<span begin="0s" end="0.2s" x:unit="word">한국</span><span begin="0.2s" end="0.4s" x:unit="word">사람</span>`, `한국 사람`},
		{"white space in the second", `<span begin="0s" end="0.4s">One</span><span begin="0.5s" end="1s"> two</span>`, `One two`},
		{"one without text between", `<span begin="0s" end="0.4s">One</span><span begin="0.4s" end="0.5s"/><span begin="0.5s" end="1s">two</span>`, `One two`},
		{"one without text at the end", `<span begin="0s" end="0.4s">One</span><span begin="0.4s" end="0.5s"/>`, `One`},
		{"lines", `<span begin="0s" end="0.4s">One</span><br/><span begin="0.5s" end="0.6s">two</span><span begin="0.6s" end="1s">three</span>`, "One\ntwo three"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			segments, err := segmentsOf(caption.ReadTTML(strings.NewReader(tt(`<body><div><p begin="1s" end="2s">` + test.p + `</p></div></body>`))))
			require.NoError(t, err)
			require.Len(t, segments, 1)
			assert.Equal(t, test.want, segments[0].Text)
			var words []string
			for _, w := range segments[0].Words {
				words = append(words, w.Text)
			}
			if len(words) > 0 {
				assert.Equal(t, strings.Join(strings.Fields(test.want), ""), strings.Join(words, ""))
			}
		})
	}
	assert.Equal(t, `1+2 "Halle"`, readTTML(t, tt(`<body><p begin="1s" end="3s">Halle<span ttm:role="x-translation">hall</span><span ttm:role="x-roman">hare</span></p></body>`)))
	lyrics := `<tt itunes:timing="Word"><body><p begin="1s" end="3s"><span begin="1s" end="2s">Hal</span><span begin="2s" end="3s">le</span></p></body></tt>`
	assert.Equal(t, `1+2 "Halle" Hal@1-2 le@2-3`, readTTML(t, lyrics))
}

// TestTTMLManySpans: the text before a timed span is not read again at each of them.
func TestTTMLManySpans(t *testing.T) {
	t.Parallel()
	file := tt(`<body><div><p begin="0s" end="2h"><span begin="0s" end="1s">` + strings.Repeat("a", 900_000) + `</span>` +
		strings.Repeat(`<span begin="1s" end="1s"/>`, 30_000) + `</p></div></body>`)
	start := time.Now()
	segments, err := segmentsOf(caption.ReadTTML(strings.NewReader(file)))
	require.NoError(t, err)
	require.Len(t, segments, 1)
	assert.Less(t, time.Since(start), 12*time.Second) // it takes 0.2 s; it would be half a minute
}

// TestTTMLHiddenText: what no viewer sees.
func TestTTMLHiddenText(t *testing.T) {
	t.Parallel()
	const head = `<head><styling><style xml:id="off" tts:display="none"/><style xml:id="dim" tts:opacity="0"/>` +
		`<style xml:id="veil" tts:visibility="hidden"/><style xml:id="unveil" tts:visibility="visible"/><style xml:id="via" style="off"/>` +
		`<style xml:id="base" tts:ruby="container"/></styling><layout>` +
		`<region xml:id="gone" tts:display="none"/><region xml:id="late" tts:opacity="0"><set begin="1s" tts:opacity="1"/></region>` +
		`<region xml:id="inner"><style tts:visibility="hidden"/></region></layout></head>`
	for _, test := range []struct{ name, p, want string }{
		{"display", `a<span tts:display="none"> b <span tts:display="auto">c</span></span>d`, `ad`},
		{"opacity", `a<span tts:opacity="0.0">b</span><span tts:opacity="0.5">c</span>`, `ac`},
		{"visibility", `a<span tts:visibility="hidden">b<span tts:visibility="visible">c</span></span>`, `ac`},
		{"styles", `a<span style="off">b</span><span style="dim">c</span><span style="veil">d</span><span style="via">e</span>f`, `af`},
		{"the last style rules", `a<span style="veil unveil">b</span><span style="unveil veil">c</span>`, `ab`},
		{"the element's own attribute rules", `a<span style="veil" tts:visibility="visible">b</span>`, `ab`},
		{"an animation shows it", `a<span tts:visibility="hidden"><set begin="0.5s" tts:visibility="visible"/>b</span>`, `ab`},
		{"an animation hides it later", `a<span><set begin="0.5s" tts:visibility="hidden"/>b</span>`, `ab`},
		{"a region", `a<span region="gone">b</span><span region="late">c</span><span region="inner">d</span>`, `ac`},
		{"times of what is hidden", `a <span tts:display="none" begin="0.1s">x</span> b`, `a b`},
		{"white space inside ruby", "x<span tts:ruby=\"container\">\n <span tts:ruby=\"baseContainer\"> <span tts:ruby=\"base\">東</span> <span tts:ruby=\"base\">京</span> </span>" +
			"\n <span tts:ruby=\"textContainer\"> <span tts:ruby=\"text\">とう</span> </span>\n</span>y", `x東京y`},
		{"white space inside ruby by a style", "x<span style=\"base\"> <span tts:ruby=\"base\">a b</span> <span tts:ruby=\"text\">c</span> </span>y", `xa by`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			file := `<tt xmlns="http://www.w3.org/ns/ttml">` + head + `<body><div><p begin="1s" end="2s">` + test.p + `</p></div></body></tt>`
			assert.Equal(t, `1+1 "`+test.want+`"`, readTTML(t, file))
		})
	}
	hidden := `<tt>` + head + `<body><div tts:visibility="hidden"><p begin="1s" end="2s">a</p><p begin="3s" end="4s" tts:visibility="visible">b</p></div>` +
		`<div style="via"><p begin="5s" end="6s">c</p></div></body></tt>`
	assert.Equal(t, `3+1 "b"`, readTTML(t, hidden))
}

// TestTTMLPodcast: a podcast's transcript, as its app has it.
func TestTTMLPodcast(t *testing.T) {
	t.Parallel()
	const file = `<tt xmlns="http://www.w3.org/ns/ttml" xmlns:podcasts="urn:transcript" xmlns:ttm="http://www.w3.org/ns/ttml#metadata" xml:lang="en-US"><head><metadata/></head>` +
		`<body dur="48.2"><div begin="19.764" end="24.5"><p begin="19.764" end="22.5" ttm:agent="SPEAKER_1"><span begin="19.764" end="22.5" podcasts:unit="sentence">` +
		`<span begin="19.764" end="20.1" podcasts:unit="word">Welcome</span><span begin="20.1" end="22.5" podcasts:unit="word">back.</span></span></p>` +
		`<p begin="22.5" end="24.5" ttm:agent="SPEAKER_2"><span begin="22.5" end="24.5" podcasts:unit="sentence"><span begin="22.5" end="24.5" podcasts:unit="word">Thanks.</span></span></p></div></body></tt>`
	assert.Equal(t, "19.764+2.736 SPEAKER_1 \"Welcome back.\" Welcome@19.764-20.1 back.@20.1-22.5\n22.5+2 SPEAKER_2 \"Thanks.\" Thanks.@22.5-24.5",
		readTTML(t, file))
}
