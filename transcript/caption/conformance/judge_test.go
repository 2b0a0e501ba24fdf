package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// at returns a cue.
func at(start, end float64, text string) cue { return cue{Start: start, End: &end, Text: text} }

func TestVerdicts(t *testing.T) {
	t.Parallel()
	two := answer{Cues: []cue{at(1, 2, "red"), at(3, 4, "blue\nsky")}}
	damaged := answer{Cues: two.Cues, Lost: 1}
	foreign := answer{Error: "not the format"}
	for name, test := range map[string]struct {
		want, got answer
		verdict   verdict
	}{
		"the same":                       {two, two, right},
		"other white space":              {two, answer{Cues: []cue{at(1, 2, " red"), at(3, 4, "blue  sky\n")}}, right},
		"in the order of the file":       {two, answer{Cues: []cue{two.Cues[1], two.Cues[0]}}, right},
		"a cue without text in addition": {two, answer{Cues: append([]cue{at(0, 1, " ")}, two.Cues...)}, right},
		"half a millisecond":             {two, answer{Cues: []cue{at(1.0005, 2, "red"), two.Cues[1]}}, right},
		"a warning in addition":          {two, answer{Cues: two.Cues, Lost: 1}, right},
		"a loss that is told":            {damaged, damaged, right},
		"another format":                 {foreign, answer{Error: "no"}, right},

		"an error":                          {two, answer{Error: "no"}, told},
		"a cue is missing, and counted":     {two, answer{Cues: two.Cues[:1], Lost: 1}, told},
		"markup":                            {two, answer{Cues: []cue{at(1, 2, "<i>red</i>"), two.Cues[1]}}, changed},
		"a reference":                       {answer{Cues: []cue{at(1, 2, "é")}}, answer{Cues: []cue{at(1, 2, "&eacute;")}}, changed},
		"a cue that cannot be read is read": {damaged, answer{Cues: append([]cue{at(0, 1, "green")}, two.Cues...)}, changed},
		"another time":                      {two, answer{Cues: []cue{at(1, 2.5, "red"), two.Cues[1]}}, moved},
		"two cues in one":                   {two, answer{Cues: []cue{at(1, 2, "red blue sky")}}, moved},
		"a cue is missing":                  {two, answer{Cues: two.Cues[:1]}, lost},
		"a line is missing":                 {two, answer{Cues: []cue{two.Cues[0], at(3, 4, "blue")}}, lost},
		"a loss that is not told":           {damaged, two, lost},
		"nothing of another format":         {foreign, answer{}, lost},
	} {
		e := example{answer: test.want}
		assert.Equal(t, test.verdict, e.judge(test.got), name)
	}
	speakers := two.Cues[0]
	speakers.Speaker = new(string)
	*speakers.Speaker = "Ann"
	e := example{answer: answer{Cues: []cue{speakers}}}
	assert.Equal(t, right, e.judge(answer{Cues: two.Cues[:1]}), "the reader reports no speakers")
	none := two.Cues[0]
	none.Speaker = new(string)
	assert.Equal(t, changed, e.judge(answer{Cues: []cue{none}}), "another speaker")
	e.Or = []answer{two}
	assert.Equal(t, right, e.judge(two), "the other right answer")
}

// A program may end early at one file. Its other answers count.
func TestPrograms(t *testing.T) {
	t.Parallel()
	o := other{"sh", []string{"sh", "-c", `[ "$1" = srt ] || exit 3
while read -r path; do
	case $path in
	bad) exit 1 ;;
	odd) echo no JSON ;;
	*) echo '{"cues":[{"start":1,"end":2,"text":"'"$path"'"}],"lost":2}' ;;
	esac
done`, "sh"}}
	files := []example{{path: "a"}, {path: "bad"}, {path: "odd"}, {path: "b"}}
	got, err := o.answers(t.Context(), "srt", files)
	require.NoError(t, err)
	require.Len(t, got, len(files))
	assert.Equal(t, answer{Cues: []cue{at(1, 2, "a")}, Lost: 2}, got[0])
	assert.Contains(t, got[1].Error, "the program failed: EOF")
	assert.Contains(t, got[2].Error, "the program failed: ")
	assert.Equal(t, answer{Cues: []cue{at(1, 2, "b")}, Lost: 2}, got[3])

	got, err = o.answers(t.Context(), "ttml", files)
	require.NoError(t, err)
	assert.Nil(t, got)
	_, err = (&other{"none", []string{"/does/not/exist"}}).answers(t.Context(), "srt", files)
	assert.Error(t, err)
}
