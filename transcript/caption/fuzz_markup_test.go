package caption_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

func FuzzTTML(f *testing.F) {
	fuzz(f, kinds[0],
		tt(`<body begin="1s" timeContainer="seq"><div dur="2s"><p><span begin="1s">a</span><br>b</p></div><p xml:space="preserve">c`+"\n"+`d</p></body>`),
		`<tt ttp:timeBase="smpte" ttp:frameRate="25" ttp:subFrameRate="4" ttp:dropMode="dropPAL"><p begin="01:00:00:12.3" end="90000t">&eacute;&x;&#1;</p></tt>`,
		`<tt><p begin="9h"><span begin="1f"/><span end="1ms" tts:ruby="text">x</span><span begin="5m" end="1m">a</span></p><p end="1,5">b</p></tt>`)
}

func FuzzSRV1(f *testing.F) {
	fuzz(f, kinds[1],
		`<transcript><text start="1">&lt;i&gt;a&lt;br&gt;&amp;#39;&amp;lt;</text><text start=".5" dur="1e9">`+"\u200B\u00A0"+`b<![CDATA[<c]]></text></transcript>`)
}

func FuzzSRV3(f *testing.F) {
	fuzz(f, kinds[2],
		`<timedtext><p t="5"><s t="9" ac="7">a</s><s t="1">b</s></p><text t="4" d="1">c<br/></text></timedtext>`)
}

func FuzzJSON3(f *testing.F) {
	fuzz(f, kinds[3],
		`{"a":[{}],"events":[{"segs":[{"utf8":"a","tOffsetMs":"9"},{"utf8":"\u0000 b\n","acAsrConf":3}]},{"tStartMs":"5",`+
			`"dDurationMs":1.5,"segs":[{"utf8":"c"}]},7,{"tStartMs":-1}],"z":{"b":null}}`)
}

func FuzzPodcast(f *testing.F) {
	fuzz(f, kinds[4], `{"segments":[{"startTime":"x","body":"a"},{"body":1},{"startTime":1e300,"endTime":-1,"body":"b","speaker":" c "},7]}`)
}

func FuzzWhisper(f *testing.F) {
	fuzz(f, kinds[5], `{"transcription":[{"timestamps":{"from":"0:1","to":"x"},"text":"a"},{"start":2,"end":1,"text":"b c","words":[{"word":"b","start":9},{"word":" c","end":0.5,"probability":7}]}]}`)
}

// fuzz feeds the readers of k, from the files of testdata and more.
func fuzz(f *testing.F, k kind, more ...string) {
	f.Helper()
	files, err := filepath.Glob("testdata/*." + k.name)
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, file := range files {
		b, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(b)
	}
	for _, s := range append(more, "", "<", k.file("a", "b"), k.before, "\xFF\xFE<\x00", `<?xml version="1.1" encoding="shift_jis"?>`+k.file("\x83A<5")) {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		promptly(t, file, k.read)
		segments, err := segmentsOf(k.read(bytes.NewReader(file)))
		slowly, errSlowly := segmentsOf(k.read(iotest.OneByteReader(bytes.NewReader(file))))
		require.Equal(t, err, errSlowly)
		require.Equal(t, segments, slowly, "byte by byte")
		// What tells the encoding is read at once in any case.
		late := append(bytes.Repeat([]byte(" "), 1<<10), file...)
		atOnce, err1 := k.read(bytes.NewReader(late))
		slowlyLate, err2 := k.read(iotest.OneByteReader(bytes.NewReader(late)))
		require.Equal(t, err1, err2)
		require.Equal(t, atOnce, slowlyLate, "byte by byte, late")
		if err != nil {
			expected(t, err)
			return
		}
		inOrder, err := walked(k.walk(bytes.NewReader(file)))
		require.NoError(t, err)
		slices.SortStableFunc(inOrder, func(a, b transcript.Segment) int { return cmp.Compare(a.Start, b.Start) })
		if require.LessOrEqual(t, len(segments), len(inOrder)); len(segments) == len(inOrder) { // else lines came once
			require.Empty(t, compare(segments, inOrder))
		}
		for _, s := range segments {
			wellFormed(t, s)
			require.NotContains(t, s.Text, "\u00A0")
		}
	})
}

// compare returns the first difference. Nothing is the same as no segments.
func compare(a, b []transcript.Segment) string {
	if len(a)+len(b) == 0 || shown(a) == shown(b) {
		return ""
	}
	return shown(a) + "\n\n" + shown(b)
}

// expected checks that err is one of those that are promised.
func expected(t *testing.T, err error) {
	t.Helper()
	var format *caption.FormatError
	var syntax *json.SyntaxError
	for _, one := range []bool{
		errors.As(err, &format), errors.As(err, &syntax), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, caption.ErrTooLarge), errors.Is(err, caption.ErrTooDeep),
	} {
		if one {
			require.True(t, strings.HasPrefix(err.Error(), "caption: "))
			return
		}
	}
	require.NoError(t, err)
}
