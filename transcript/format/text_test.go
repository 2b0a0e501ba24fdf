package format_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

func TestGoldenText(t *testing.T) {
	t.Parallel()
	segs := sample().Segments
	golden(t, "timestamps.txt", format.AppendText(nil, segs, true))
	golden(t, "plain.txt", format.AppendText(nil, segs, false))
}

func TestAppendText(t *testing.T) {
	t.Parallel()
	seg := func(start, duration float64, text string) transcript.Segment {
		return transcript.Segment{Text: text, Start: start, Duration: duration}
	}
	for name, test := range map[string]struct {
		segs         []transcript.Segment
		lines, plain string
	}{
		"nothing":  {nil, "", ""},
		"no words": {[]transcript.Segment{seg(0, 1, ""), seg(1, 1, " \n")}, "", ""},
		"one":      {[]transcript.Segment{seg(61, 1, "One.")}, "[00:01:01] One.", "One."},
		"close together": {
			[]transcript.Segment{seg(0, 1, "One."), seg(2.999, 1, "Two.")},
			"[00:00:00] One.\n[00:00:02] Two.", "One. Two.",
		},
		"two seconds apart": {
			[]transcript.Segment{seg(0, 1.1, "One."), seg(3.1, 1, "Two.")}, // 3.1-1.1 < 2 in floating point would be a fault
			"[00:00:00] One.\n[00:00:03] Two.", "One.\n\nTwo.",
		},
		"a long one goes on under a short one": {
			[]transcript.Segment{seg(0, 10, "One."), seg(1, 1, "Two."), seg(11, 1, "Three.")},
			"[00:00:00] One.\n[00:00:01] Two.\n[00:00:11] Three.", "One. Two. Three.",
		},
		"a wordless one is silence": {
			[]transcript.Segment{seg(0, 1, "One."), seg(1, 2, " "), seg(3, 1, "Two.")},
			"[00:00:00] One.\n[00:00:03] Two.", "One.\n\nTwo.",
		},
		"folded": {
			[]transcript.Segment{seg(0, 1, "\u3000a \r\n\t b\u2028c\u0085\u00a0d  e\v\f")},
			"[00:00:00] a b c \u00a0d e", "a b c \u00a0d e",
		},
		"an escape of a terminal": {[]transcript.Segment{seg(0, 1, "a\x1b[2Jb\u009bc\x7f\x07")}, "[00:00:00] a\ufffd[2Jb\ufffdc\ufffd\ufffd", "a\ufffd[2Jb\ufffdc\ufffd\ufffd"},
		"many hours": {
			[]transcript.Segment{seg(35_999, 1, "9 h."), seg(36_000, 1, "10 h."), seg(360_000, 1, "100 h.")},
			"[09:59:59] 9 h.\n[10:00:00] 10 h.\n[100:00:00] 100 h.", "9 h. 10 h.\n\n100 h.",
		},
		"a time that rounds up": {[]transcript.Segment{seg(59.9996, 1, "One.")}, "[00:01:00] One.", "One."},
		"before the start":      {[]transcript.Segment{seg(-3, 1, "One.")}, "[00:00:00] One.", "One."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.lines, string(format.AppendText(nil, test.segs, true)))
			assert.Equal(t, test.plain, string(format.AppendText(nil, test.segs, false)))
		})
	}
}

func TestAppendTextAppends(t *testing.T) {
	t.Parallel()
	segs := []transcript.Segment{{Text: "One."}}
	assert.Equal(t, "# T\n[00:00:00] One.", string(format.AppendText([]byte("# T\n"), segs, true)))
	assert.Equal(t, "# T\nOne.", string(format.AppendText([]byte("# T\n"), segs, false)))
}

func FuzzAppendText(f *testing.F) {
	f.Add("a \n b", "\u2028c ", 1.5, true)
	f.Fuzz(func(t *testing.T, one, two string, start float64, timestamps bool) {
		text := string(format.AppendText(nil, []transcript.Segment{{Text: one}, {Text: two, Start: start}}, timestamps))
		for _, line := range strings.Split(text, "\n") {
			assert.Equal(t, strings.TrimRight(line, " \t\r"), line)
		}
		assert.True(t, utf8.ValidString(text))
		assert.LessOrEqual(t, strings.Count(text, "\n"), 2)
	})
}
