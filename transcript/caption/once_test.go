package caption_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

func TestRepeatedCuesComeOnce(t *testing.T) {
	t.Parallel()
	const a, b = "00:00:01.000 --> 00:00:02.000\na\n\n", "00:00:01.000 --> 00:00:02.000\nb\n\n"
	const chorus = "00:00:05.000 --> 00:00:06.000\na\n\n"
	for name, file := range map[string]string{
		"border": a + b + "WEBVTT\n\n" + b + chorus,
		"shadow": a + b + a + b + a + b + chorus,
	} {
		for _, read := range []func(string) (caption.File, error){
			func(s string) (caption.File, error) { return caption.ReadWebVTT(strings.NewReader(s)) },
			func(s string) (caption.File, error) { return caption.ReadAny(strings.NewReader(s)) },
		} {
			got, err := read("WEBVTT\n\n" + file)
			require.NoError(t, err, name)
			assert.Nil(t, got.Lost, name)
			var texts []string
			for _, s := range got.Segments {
				texts = append(texts, s.Text)
			}
			assert.Equal(t, []string{"a", "b", "a"}, texts, name)
		}
	}
}

// A line that is drawn in several ways comes once in each format that can draw it so; the
// same line that is drawn as before is sung again.
func TestDrawingsOfALineComeOnce(t *testing.T) {
	t.Parallel()
	const want = "1+2 \"la la\"\n3+1.5 \"la la\"\n4.5+1 \"b\""
	for name, file := range map[string]string{
		"webvtt": "WEBVTT\n\n00:01.000 --> 00:02.000\n<c.red>la</c> la\n\n00:02.000 --> 00:03.000\nla <c.red>la</c>\n\n" +
			"00:03.000 --> 00:04.500\n<c.red>la</c> la\n\n00:03.000 --> 00:04.500 line:9\n<c.red>la</c> la\n\n00:04.500 --> 00:05.500\nb\n",
		"srt": "1\n00:00:01,000 --> 00:00:02,000\n<b>la</b> la\n\n2\n00:00:02,000 --> 00:00:03,000\nla <b>la</b>\n\n" +
			"3\n00:00:03,000 --> 00:00:04,500\n<b>la</b> la\n\n4\n00:00:04,500 --> 00:00:05,500\nb\n",
		"ass, out of order": "[Events]\n" + strings.Join([]string{
			"Dialogue: 1,0:00:02.00,0:00:03.00,A,,0,0,0,,la {\\b1}la", "Dialogue: 1,0:00:04.50,0:00:05.50,A,,0,0,0,,b", "Dialogue: 1,0:00:01.00,0:00:02.00,A,,0,0,0,,{\\b1}la{\\b0} la",
			"Dialogue: 1,0:00:03.00,0:00:04.50,A,,0,0,0,,{\\b1}la{\\b0} la", "Dialogue: 0,0:00:03.00,0:00:04.50,Shadow,,0,0,0,,{\\b1}la{\\b0} la",
		}, "\n"),
		"srv3": `<timedtext format="3"><body><p t="1000" d="1000"><s p="1">la</s><s> la</s></p><p t="2000" d="1000"><s>la</s><s p="1"> la</s></p>` +
			`<p t="3000" d="1500"><s p="1">la</s><s> la</s></p><p t="3000" d="1500" p="2"><s p="1">la</s><s> la</s></p><p t="4500" d="1000">b</p></body></timedtext>`,
		"json3": `{"events":[{"tStartMs":1000,"dDurationMs":1000,"segs":[{"utf8":"la","pPenId":1},{"utf8":" la"}]},{"tStartMs":2000,"dDurationMs":1000,"segs":[{"utf8":"la"},{"utf8":" la","pPenId":1}]},` +
			`{"tStartMs":3000,"dDurationMs":1500,"segs":[{"utf8":"la","pPenId":1},{"utf8":" la"}]},{"tStartMs":3000,"dDurationMs":1500,"wpWinPosId":2,"segs":[{"utf8":"la la"}]},` +
			`{"tStartMs":4500,"dDurationMs":1000,"segs":[{"utf8":"b"}]}]}`,
	} {
		got, err := caption.ReadAny(strings.NewReader(file))
		require.NoError(t, err, name)
		assert.Nil(t, got.Lost, name)
		assert.Equal(t, want, shown(got.Segments), name)
	}
}
