package caption_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

func TestReadWebVTT(t *testing.T) {
	t.Parallel()
	const file = "WEBVTT\nKind: captions\nLanguage: en\n\n" +
		"00:00:00.160 --> 00:00:02.350 align:start position:0%\n \nso<00:00:00.480><c> we</c>\n\n" +
		"intro\r\n00:02.350 --> 00:02.360\r\n<v Fred>so we &amp; &quot;they&quot;\r\n\r\n"
	got, err := caption.ReadWebVTT(strings.NewReader(file))
	require.NoError(t, err)
	assert.Equal(t, []transcript.Segment{
		{Text: "so we", Start: 0.16, Duration: 2.19, Words: []transcript.Word{
			{Text: "so", Start: 0.16, End: 0.48}, {Text: "we", Start: 0.48, End: 2.35}}},
		{Text: `so we & "they"`, Start: 2.35, Duration: 0.01, Speaker: "Fred"},
	}, got)
}
