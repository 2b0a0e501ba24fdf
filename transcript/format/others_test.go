package format_test

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

var timing = regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d,\d{3} --> \d\d:\d\d:\d\d,\d{3}$`)

// hostile are names and texts that a platform may hand on.
var hostile = []string{
	"Bob --", "Bob -->", "--", "-", "00:00.000 --> 00:09.000", "\n\n00:00.000 --> 00:09.000\nno", "NOTE", "STYLE", "</v>", "<v Eve>", "]]>",
	"&gt;", "&#45;->", "\u2028-->", "a\r\rb", "\x1b[2J", "<00:00:01.000>", "{\\an8}", "WEBVTT", "42",
}

// Whatever speaks, another reader finds every cue, in its time.
func TestAnotherReaderFindsEveryCue(t *testing.T) {
	t.Parallel()
	ffmpeg, err := exec.LookPath("ffmpeg")
	if err != nil && os.Getenv("CI") == "" {
		t.Skip("ffmpeg is not installed")
	}
	require.NoError(t, err)
	var segs []transcript.Segment
	for i, name := range hostile {
		segs = append(segs,
			transcript.Segment{Text: "somebody speaks", Speaker: name, Start: float64(4 * i), Duration: 1},
			transcript.Segment{Text: "says " + name, Speaker: "Ada", Start: float64(4*i + 2), Duration: 1})
	}
	for kind, file := range map[string][]byte{"webvtt": format.AppendVTT(nil, segs), "srt": format.AppendSRT(nil, segs)} {
		command := exec.CommandContext(t.Context(), ffmpeg, "-v", "error", "-f", kind, "-i", "pipe:0", "-f", "srt", "pipe:1")
		command.Stdin = bytes.NewReader(file)
		said, err := command.CombinedOutput()
		require.NoError(t, err, "%s", said)
		assert.Len(t, timing.FindAll(said, -1), len(segs), "%s: %s", kind, said)
		assert.Equal(t, len(hostile), strings.Count(string(said), "somebody speaks"), kind)
	}
}
