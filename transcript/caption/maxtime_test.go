package caption_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// Larger times become 277,777,777 hours in each format.
func TestTimesEndAtTheLargestOne(t *testing.T) {
	t.Parallel()
	const largest = "9.999999972e+11"
	for name, test := range map[string]struct{ file, want string }{
		"webvtt, start":        {"WEBVTT\n\n99999999999999999999:00:00.000 --> 00:01.000\na\n", largest + `+0 "a"`},
		"webvtt, end":          {"WEBVTT\n\n00:00.000 --> 99999999999999999999999:00:00.000\na\n", "0+" + largest + ` "a"`},
		"srt, hours":           {"999999999999999999999:00:00,000 --> 00:00:00,000\na\n", largest + `+0 "a"`},
		"srt, minutes":         {"00:999999999999999999999:9999999999999 --> 00:00:00,000\na\n", `1.6944444397e+10+0 "a"`},
		"srt, all":             {"999999999:999999999:999999999,9 --> 1999999999:00:00,000\na\n", largest + `+0 "a"`},
		"ttml":                 {`<tt><body><p begin="99999999999999999999h" end="99999999999999999999999h">a</p></body></tt>`, largest + `+0 "a"`},
		"ttml, offsets":        {`<tt><body begin="277777777h"><p begin="277777777h" dur="1s">a</p></body></tt>`, largest + `+0 "a"`},
		"ttml, sums":           {`<tt><body timeContainer="seq"><div dur="277777777h"/><div dur="277777777h"/><p dur="1s">a</p></body></tt>`, largest + `+0 "a"`},
		"srv1":                 {`<transcript><text start="99999999999999999999" dur="5">a</text></transcript>`, largest + `+0 "a"`},
		"srv3, also of a word": {`<timedtext format="3"><body><p t="9999999999999999999999" d="999999999999999999"><s t="99999999999999999">a</s></p></body></timedtext>`, largest + `+0 "a" a@` + largest + "-" + largest},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := caption.ReadAny(strings.NewReader(test.file))
			require.NoError(t, err)
			assert.Equal(t, test.want, shown(f.Segments))
		})
	}
}
