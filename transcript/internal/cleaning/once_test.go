package cleaning_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/internal/cleaning"
)

func TestOnce(t *testing.T) {
	t.Parallel()
	type line struct {
		text       string
		start, end float64
		look       uint64
	}
	for rule, test := range map[string]struct {
		lines []line
		want  string
	}{
		"a shadow":                         {[]line{{"a", 1, 3, 1}, {"a", 1, 3, 2}, {"a", 1, 3, 3}}, "a 1-3"},
		"a shadow that is a little late":   {[]line{{"a", 1, 3, 1}, {"a", 1.04, 3.04, 2}}, "a 1-3.04"},
		"shadows of two lines":             {[]line{{"a", 1, 3, 1}, {"b", 1, 3, 1}, {"a", 1, 3, 2}, {"b", 1, 3, 2}}, "a 1-3, b 1-3"},
		"a line that rolls up":             {[]line{{"a", 1, 4, 1}, {"a", 2.5, 6, 1}}, "a 1-4, a 2.5-6"},
		"layers that move":                 {[]line{{"a", 1, 4, 1}, {"a", 2, 5, 2}, {"a", 3, 6, 3}}, "a 1-6"},
		"a line that grows":                {[]line{{"a", 1, 2, 1}, {"a", 1, 3, 1}}, "a 1-3"},
		"an animation":                     {[]line{{"a", 1, 1.1, 1}, {"a", 1.1, 1.2, 2}, {"a", 1.24, 1.3, 3}, {"a", 1.3, 4, 4}}, "a 1-4"},
		"an animation that ends as it was": {[]line{{"a", 1, 1.1, 1}, {"a", 1.1, 3, 2}, {"a", 3, 3.1, 1}}, "a 1-3.1"},
		"karaoke":                          {[]line{{"a b", 1, 1.4, 1}, {"a b", 1.4, 2.9, 2}, {"a b", 2.9, 3.5, 3}}, "a b 1-3.5"},
		"karaoke that is sung again":       {[]line{{"a b", 1, 1.4, 1}, {"a b", 1.4, 2, 2}, {"a b", 2, 2.4, 1}, {"a b", 2.4, 3, 2}}, "a b 1-2, a b 2-3"},
		"a chorus":                         {[]line{{"a", 1, 3, 1}, {"a", 3, 5, 1}, {"b", 5, 6, 1}, {"a", 6, 8, 1}}, "a 1-3, a 3-5, b 5-6, a 6-8"},
		"a chorus in two colors":           {[]line{{"a", 1, 3, 1}, {"a", 3, 5, 2}}, "a 1-3, a 3-5"},
		"a chorus that overlaps a little":  {[]line{{"a", 1, 3.3, 1}, {"a", 3, 5, 1}}, "a 1-3.3, a 3-5"},
		"short words that are drawn alike": {[]line{{"No.", 1, 1.2, 1}, {"No.", 1.2, 1.4, 1}}, "No. 1-1.2, No. 1.2-1.4"},
		"short words after a pause":        {[]line{{"No.", 1, 1.2, 1}, {"No.", 1.4, 1.6, 1}}, "No. 1-1.2, No. 1.4-1.6"},
		"another text":                     {[]line{{"a", 1, 3, 1}, {"b", 1, 3, 1}}, "a 1-3, b 1-3"},
	} {
		var segments []transcript.Segment
		var looks []uint64
		for _, l := range test.lines {
			segments = append(segments, transcript.Segment{Text: l.text, Start: l.start, Duration: l.end - l.start})
			looks = append(looks, l.look)
		}
		var got []string
		for _, s := range cleaning.Once(segments, looks) {
			got = append(got, fmt.Sprintf("%s %.4g-%.4g", s.Text, s.Start, s.End()))
		}
		assert.Equal(t, test.want, strings.Join(got, ", "), rule)
	}
	spoken := []transcript.Segment{{Text: "a", Speaker: "A", Duration: 1}, {Text: "a", Speaker: "B", Duration: 1}}
	assert.Len(t, cleaning.Once(spoken, nil), 2, "two speakers")
	words := []transcript.Segment{{Text: "a", Duration: 2, Words: []transcript.Word{{Text: "a", End: 1}}}, {Text: "a", Start: 1, Duration: 2}}
	assert.Len(t, cleaning.Once(words, nil), 2, "words with times")
}
