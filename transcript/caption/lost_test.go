package caption_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// segmentsOf is what was read of a file, whatever else was lost.
func segmentsOf(file caption.File, err error) ([]transcript.Segment, error) {
	var lost *caption.LostError
	if errors.As(err, &lost) {
		err = nil
	}
	return file.Segments, err
}

// What of a file cannot be read is counted, also where other cues can be; and a
// file of which nothing can be is an error, never one without cues.
func TestLost(t *testing.T) {
	t.Parallel()
	const good = "00:00.000 --> 00:01.000\nhello\n\n"
	for name, test := range map[string]struct {
		read  func(io.Reader) (caption.File, error)
		file  string
		whole string // what was read, whatever was lost
		lost  string
	}{
		"webvtt, one digit": {caption.ReadWebVTT, "WEBVTT\n\n1\n0:0:0.0 --> 0:0:1.300\nhello\n\n2\n0:0:1.4 --> 0:0:2.0\nthere\n", "",
			`caption: webvtt: 2 cues are lost, the first in line 4: these are no times: "0:0:0.0 --> 0:0:1.300"`},
		"webvtt, commas": {caption.ReadWebVTT, "WEBVTT\n\n" + good + "00:00:01,000 --> 00:00:02,000\nthere\n", `0+1 "hello"`,
			`caption: webvtt: 1 cue is lost, in line 6: these are no times: "00:00:01,000 --> 00:00:02,000"`},
		"webvtt, all":     {caption.ReadWebVTT, "WEBVTT\n\n" + good, `0+1 "hello"`, ""},
		"webvtt, not one": {caption.ReadWebVTT, "WEBVTT\n\nNOTE a --> b\nc\n\nSTYLE\n::cue {}\n\nREGION\nid:a\n\n7\n\n \n\nWEBVTT\nX: y\n\n", "", ""},
		"webvtt, an empty line within": {caption.ReadWebVTT, "WEBVTT\n\n" + good + "there\n\nnow\n", `0+1 "hello"`,
			"caption: webvtt: 2 cues are lost, the first in line 6: the text belongs to no cue"},
		"webvtt, doubled line ends": {caption.ReadWebVTT, "WEBVTT\n\n\n\n00:00.000 --> 00:01.000\n\nhello\n\n", "",
			"caption: webvtt: 1 cue is lost, in line 7: the text belongs to no cue"},
		"srt": {readSubRip, "1\n00:xx:00 --> 00:yy\nhello\n\n2\n00:00:01,000 --> 00:00:02,000\nthere\n", `1+1 "there"`,
			`caption: srt: 1 cue is lost, in line 2: these are no times: "00:xx:00 --> 00:yy"`},
		"srt, none": {readSubRip, "1\n00:xx:00 --> 00:yy\nhello\n", "",
			`caption: srt: 1 cue is lost, in line 2: these are no times: "00:xx:00 --> 00:yy"`},
		"ttml": {caption.ReadTTML, "<tt><body>\n<p begin='x'>a</p>\n<p begin='1s' end='2s'>b</p><p end='x'></p></body></tt>", `1+1 "b"`,
			"caption: ttml: 1 cue is lost, in line 2: the times of a p cannot be read"},
		"ttml, none": {caption.ReadTTML, "<tt><body>\n<p begin='soon'>a</p></body></tt>", "",
			"caption: ttml: 1 cue is lost, in line 2: the times of a p cannot be read"},
		"ttml, not well-formed": {caption.ReadTTML, "<tt><body>\n<p begin='1s'end=<>a</p></body></tt>", "",
			"caption: ttml: 1 cue is lost, in line 2: what stands there is not well-formed"},
		"ttml, a p outside of the time around": {caption.ReadTTML, `<tt><body><div end="3s"><p begin="5s" end="9s">a</p><p begin="3s" end="4s">b</p><p begin="2s" end="9s">c</p></div></body></tt>`, `2+1 "c"`,
			"caption: ttml: 2 cues are lost, the first in line 1: a p begins after the end of the element around it"},
		"ttml, a div outside of the time around": {caption.ReadTTML, `<tt><body end="10s"><div begin="20s" end="30s"><p begin="1s" end="2s">a</p></div></body></tt>`, "",
			"caption: ttml: 1 cue is lost, in line 1: a p begins after the end of the element around it"},
		"ttml, nested regions": {caption.ReadTTML, `<tt><body><div region="r"><p region="s" begin="1s" end="2s">a</p><p region="r" begin="3s" end="4s">b<span region="s">c</span></p></div></body></tt>`, `3+1 "b"`,
			"caption: ttml: 2 cues are lost, the first in line 1: an element is in another region than the one around it"},
		"ttml, text in a sequence": {caption.ReadTTML, `<tt><body><p begin="1s" end="9s" timeContainer="seq">a <span dur="2s">b</span> c <span dur="2s">d</span></p></body></tt>`, `1+8 "b d" b@1-3 d@3-5`,
			"caption: ttml: 1 cue is lost, in line 1: text stands directly in a sequence, which gives it no time"},
		"srv1": {caption.ReadSRV1, "<transcript><text>a</text><text start='1' dur='-'>b</text><text start='1'>c</text></transcript>", `1+0 "c"`,
			"caption: srv1: 2 cues are lost, the first in line 1: the times of a text cannot be read"},
		"srv3": {caption.ReadSRV3, "<timedtext><body>\n\n<p t='soon'>a</p></body></timedtext>", "",
			"caption: srv3: 1 cue is lost, in line 3: the times of a p cannot be read"},
		"json3": {caption.ReadJSON3, `{"events":[{"tStartMs":"soon","segs":[{"utf8":"a"}]},{"tStartMs":"soon"},7]}`, "",
			"caption: json3: 2 cues are lost, the first near byte 52: the times of an event cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, err := test.read(strings.NewReader(test.file))
			assert.Equal(t, test.whole, shown(file.Segments))
			if lost := file.Lost; err == nil && lost != nil {
				assert.NotEmpty(t, test.whole)
				err = lost
			}
			if test.lost == "" {
				assert.NoError(t, err)
			} else {
				assert.EqualError(t, err, test.lost)
			}
		})
	}
}

// A sequence tells what was lost at its end.
func TestSequencesTellWhatIsLost(t *testing.T) {
	t.Parallel()
	for _, file := range []string{
		"WEBVTT\n\n00:00.000 --> 00:01.000\nhello\n\nthere\n",
		"1\n00:00:00,000 --> 00:00:01,000\nhello\n\n2\n0:x --> 0:y\nthere\n",
		"0:00:00.000,0:00:01.000\nhello\n\n0:00:0x.000,0:00:03.000\nthere\n",
		"[Events]\nDialogue: 0,0:00:00.00,0:00:01.00,,,0,0,0,,hello\nDialogue: 0,0:00:01.00,,,,0,0,0,,there\n",
		"<tt><body><p begin='0s' end='1s'>hello</p><p begin='x'>there</p></body></tt>",
		"<transcript><text start='0' dur='1'>hello</text><text start='x'>there</text></transcript>",
		"<timedtext format='3'><body><p t='0' d='1000'>hello</p><p t='x'>there</p></body></timedtext>",
		`{"events":[{"dDurationMs":1000,"segs":[{"utf8":"hello"}]},7]}`,
		`{"segments":[{"startTime":0,"endTime":1,"body":"hello"},{"startTime":"x","body":"there"}]}`,
		`{"segments":[{"start":0,"end":1,"text":"hello"},{"end":1,"text":"there"}]}`,
		`{"transcription":[{"offsets":{"from":0,"to":1000},"text":"hello"},{"timestamps":{"from":"0:0x"},"text":"there"}]}`,
		`{"segments":[{"startTime":0,"endTime":1,"body":"hello"},{"startTime":2,"endTime":3}]}`,
	} {
		n := 0
		var last error
		for s, err := range caption.Any(strings.NewReader(file)) {
			if last = err; err == nil {
				assert.Contains(t, s.Text, "hello")
				n++
			}
		}
		assert.Equal(t, 1, n, file)
		var lost *caption.LostError
		require.ErrorAs(t, last, &lost, file)
		assert.Equal(t, 1, lost.Cues)
	}
}
