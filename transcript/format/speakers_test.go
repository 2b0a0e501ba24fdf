package format_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

func TestNameSpeakers(t *testing.T) {
	t.Parallel()
	segs := []transcript.Segment{
		{Text: " \n", Start: 0, Duration: 1, Speaker: "Nobody yet"},
		{Text: "\n Hello.", Start: 1, Duration: 1, Speaker: "Ada"},
		{Text: "Good evening.", Start: 2, Duration: 1, Speaker: "Ada"},
		{Text: "", Start: 3, Duration: 1, Speaker: "Bob"}, // says nothing
		{Text: "Again I.", Start: 4, Duration: 1, Speaker: " Ada "},
		{Text: "And I.", Start: 5, Duration: 1, Speaker: "Bob\n the\tSecond"},
		{Text: "(laughter)", Start: 6, Duration: 1},
		{Text: "I again.", Start: 7, Duration: 1, Speaker: "Bob the Second"},
	}
	before := append([]transcript.Segment(nil), segs...)
	named := format.NameSpeakers(segs)
	assert.Equal(t, before, segs, "left alone")
	assert.Equal(t, "[00:00:01] Ada: Hello.\n[00:00:02] Good evening.\n[00:00:04] Again I.\n"+
		"[00:00:05] Bob the Second: And I.\n[00:00:06] (laughter)\n[00:00:07] Bob the Second: I again.",
		string(format.AppendText(nil, named, true)))
	for i := range segs {
		assert.Equal(t, segs[i].Start, named[i].Start)
		assert.Equal(t, segs[i].Duration, named[i].Duration)
	}
	assert.Empty(t, format.NameSpeakers(nil))

	// A name takes its columns like any text, and is no syntax.
	cue := []transcript.Segment{{Text: "forty columns of text, or very nearly so", Duration: 4, Speaker: "<i>-->"}}
	assert.Equal(t, "1\n00:00:00,000 --> 00:00:04,000\n< i>-- >: forty columns of\ntext, or very nearly so\n",
		string(format.AppendSRT(nil, format.NameSpeakers(cue))))
}
