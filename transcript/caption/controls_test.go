package caption_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// Nothing of a file steers the terminal, or the page, that its text is shown on.
func TestControlCharactersAreReplaced(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ file, want string }{
		"webvtt":              {"WEBVTT\n\n00:01.000 --> 00:02.000\na\x1b[2Jb\x07\x7f c\u009b\nd\x08\n", "a\ufffd[2Jb\ufffd\ufffd c\ufffd\nd\ufffd"},
		"webvtt, references":  {"WEBVTT\n\n00:01.000 --> 00:02.000\na&#27;[2J&#7;&#x9b;b\n", "a\ufffd[2J\ufffd›b"},
		"webvtt, white space": {"WEBVTT\n\n00:01.000 --> 00:02.000\na\vb\u0085c\n", "a b c"},
		"srt":                 {"1\n00:00:01,000 --> 00:00:02,000\na\x1b[2Jb\n", "a\ufffd[2Jb"},
		"srt, DEL":            {"1\n00:00:01,000 --> 00:00:02,000\na\x7fb\n", "a\ufffdb"},
		"srt, C1":             {"1\n00:00:01,000 --> 00:00:02,000\na\u009bb «»\n", "a\ufffdb «»"},
		"sbv":                 {"0:00:01.000,0:00:02.000\na\x1b[2Jb\x7f\u009b\n", "a\ufffd[2Jb\ufffd\ufffd"},
		"ass":                 {"[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,,,0,0,0,,a\x1b[2Jb\n", "a\ufffd[2Jb"},
		"ttml":                {`<tt><body><p begin="1s" end="2s">a&#x9b;b&#x7f;</p></body></tt>`, "a\ufffdb\ufffd"},
		"srv1":                {`<transcript><text start="1" dur="1">a&amp;#27;b</text></transcript>`, "a\ufffdb"},
		"srv3":                {`<timedtext format="3"><body><p t="1" d="1">a` + "\u0090" + `b</p></body></timedtext>`, "a\ufffdb"},
		"podcast":             {`{"segments":[{"startTime":1,"endTime":2,"body":"a\u001bb"}]}`, "a\ufffdb"},
		"whisper":             {`{"segments":[{"start":1,"end":2,"text":" a\u001bb"}]}`, "a\ufffdb"},
		"json3":               {`{"events":[{"tStartMs":1,"segs":[{"utf8":"a\u001b[2J\u0007b"}]}]}`, "a\ufffd[2J\ufffdb"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := caption.ReadAny(strings.NewReader(test.file))
			require.NoError(t, err)
			require.Len(t, f.Segments, 1)
			assert.Equal(t, test.want, f.Segments[0].Text)
		})
	}
}

func TestControlCharactersOfWordsAndSpeakers(t *testing.T) {
	t.Parallel()
	f, err := caption.ReadAny(strings.NewReader("WEBVTT\n\n00:00.000 --> 00:03.000\n<v A\x1bda>\x1ba<00:01.000><c> b\x07</c><00:02.000><c> \x7fc</c>\n"))
	require.NoError(t, err)
	require.Len(t, f.Segments, 1)
	s := f.Segments[0]
	assert.Equal(t, "A\ufffdda", s.Speaker)
	assert.Equal(t, "\ufffda b\ufffd \ufffdc", s.Text)
	assert.Equal(t, []transcript.Word{
		{Text: "\ufffda", Start: 0, End: 1}, {Text: "b\ufffd", Start: 1, End: 2}, {Text: "\ufffdc", Start: 2, End: 3},
	}, s.Words)
}
