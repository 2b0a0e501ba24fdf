package format_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

func TestLRC(t *testing.T) {
	t.Parallel()
	line := func(text string, start, duration float64) transcript.Segment {
		return transcript.Segment{Text: text, Start: start, Duration: duration}
	}
	for rule, test := range map[string]struct {
		segments []transcript.Segment
		want     string
	}{
		"nothing":                        {nil, ""},
		"minutes, seconds, hundredths":   {[]transcript.Segment{line("a", 61.234, 1), line("b", 62.5, 1)}, "[01:01.23]a\n[01:02.50]b\n"},
		"hundredths are rounded":         {[]transcript.Segment{line("a", 59.996, 1)}, "[01:00.00]a\n"},
		"minutes go on after an hour":    {[]transcript.Segment{line("a", 6000, 1)}, "[100:00.00]a\n"},
		"sorted by start":                {[]transcript.Segment{line("b", 2, 1), line("a", 1, 1)}, "[00:01.00]a\n[00:02.00]b\n"},
		"a segment is one line":          {[]transcript.Segment{line(" a\n b\tc", 1, 1)}, "[00:01.00]a b c\n"},
		"a segment without text":         {[]transcript.Segment{line(" \n", 1, 1)}, ""},
		"a bracket is no time":           {[]transcript.Segment{line("[00:01.00]a", 1, 1)}, "[00:01.00] [00:01.00]a\n"},
		"a pause ends a line":            {[]transcript.Segment{line("a", 1, 1.5), line("b", 4.5, 1)}, "[00:01.00]a\n[00:02.50]\n[00:04.50]b\n"},
		"a short pause does not":         {[]transcript.Segment{line("a", 1, 1.5), line("b", 4.4, 1)}, "[00:01.00]a\n[00:04.40]b\n"},
		"a line that lasts longer":       {[]transcript.Segment{line("a", 1, 9), line("b", 2, 1), line("c", 8, 1)}, "[00:01.00]a\n[00:02.00]b\n[00:08.00]c\n"},
		"control characters are no text": {[]transcript.Segment{line("a\x1bb", 1, 1)}, "[00:01.00]a\ufffdb\n"},
	} {
		assert.Equal(t, test.want, string(format.AppendLRC(nil, test.segments)), rule)
	}
}
