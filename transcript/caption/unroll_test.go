package caption_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// cues reads "0-2 one line/another" as a cue from second 0 to second 2, and a word
// "so@1.5" in one as a word from then to the next time, or the end.
func cues(all ...string) (segments []transcript.Segment) {
	for _, cue := range all {
		when, text, _ := strings.Cut(cue, " ")
		from, to, _ := strings.Cut(when, "-")
		start, _ := strconv.ParseFloat(from, 64)
		end, _ := strconv.ParseFloat(to, 64)
		s := transcript.Segment{Start: start, Duration: round(end - start)}
		if strings.Contains(text, "@") {
			s.Words, text = timed(text, start, end)
		}
		s.Text = strings.ReplaceAll(text, "/", "\n")
		segments = append(segments, s)
	}
	return segments
}

func timed(text string, start, end float64) (words []transcript.Word, plain string) {
	at := start
	for _, field := range strings.Fields(strings.ReplaceAll(text, "/", " / ")) {
		word, mark, marked := strings.Cut(field, "@")
		if marked {
			at, _ = strconv.ParseFloat(mark, 64)
			text = strings.Replace(text, "@"+mark, "", 1)
		}
		if word != "/" {
			words = append(words, transcript.Word{Text: word, Start: at, End: end})
		}
	}
	for i := len(words) - 2; i >= 0; i-- {
		words[i].End = words[i+1].End
		if words[i+1].Start > words[i].Start {
			words[i].End = words[i+1].Start
		}
	}
	return words, text
}

func round(sec float64) float64 {
	sec, _ = strconv.ParseFloat(strconv.FormatFloat(sec, 'f', 3, 64), 64)
	return sec
}

// brief writes segments as cues reads them, without the times of words.
func brief(segments []transcript.Segment) (all []string) {
	for _, s := range segments {
		all = append(all, fmt.Sprintf("%g-%g %s", s.Start, round(s.End()), strings.ReplaceAll(s.Text, "\n", "/")))
	}
	return all
}

func TestUnroll(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ in, want []string }{
		"nothing": {},
		"two lines, each ended in an instant": {
			[]string{"0-2 so@0.1 we@0.5 go", "2-2.01 so we go", "2.01-4 so we go/to@2.5 the@3 sea", "4-4.01 to the sea", "4.01-6 to the sea/[Music]"},
			[]string{"0.1-2.01 so we go", "2.5-4.01 to the sea", "4.01-6 [Music]"},
		},
		"without the times of words": {
			[]string{"0-2 so we go", "2-2.01 so we go", "2.01-4 so we go/to the sea", "4-4.01 to the sea", "5-6 over there"},
			[]string{"0-2.01 so we go", "2.01-4.01 to the sea", "5-6 over there"},
		},
		"two lines that roll": {
			[]string{"0-2 one", "2-4 one/two", "4-6 two/three", "6-8 three/four"},
			[]string{"0-2 one", "2-4 two", "4-6 three", "6-8 four"},
		},
		"three lines that roll": {
			[]string{"0-2 one", "2-4 one/two", "4-6 one/two/three", "6-8 two/three/four", "8-9 three/four/one"},
			[]string{"0-2 one", "2-4 two", "4-6 three", "6-8 four", "8-9 one"},
		},
		"two new lines at once": {
			[]string{"0-2 one", "2-4 one/two", "4-8 two/four/five"},
			[]string{"0-2 one", "2-4 two", "4-6 four", "6-8 five"},
		},
		"growing": {
			[]string{"0-1 I", "1-2 I am", "2-3 I am here", "3-4 I am here/and", "4-5 I am here/and there"},
			[]string{"0-3 I am here", "3-5 and there"},
		},
		"growing and rolling": {
			[]string{"0-1 one/a", "1-2 one/a b", "2-3 one/a b c", "3-4 a b c/d", "4-5 a b c/d e"},
			[]string{"0-0.75 one", "0.75-3 a b c", "3-5 d e"},
		},
		"spaces and characters of no width": {
			[]string{"0-2 so we go", "2-4 \u200bso\u00a0we  go/to the sea", "4-6 to\u00a0the sea\u200b/over there"},
			[]string{"0-2 so we go", "2-4 to the sea", "4-6 over there"},
		},
		"other scripts": {
			[]string{"0-2 שלום לכם", "2-4 שלום לכם/\u200fמה שלומכם", "4-6 \u200fמה שלומכם/这是中文", "6-8 这是中文/这是中"},
			[]string{"0-2 שלום לכם", "2-4 \u200fמה שלומכם", "4-6 这是中文", "6-8 这是中"},
		},
		"a line that is said again": {
			[]string{"0-2 yes", "2-2.01 yes", "2.01-4 yes/yes", "4-4.01 yes", "4.01-6 yes/no"},
			[]string{"0-2.01 yes", "2.01-4.01 yes", "4.01-6 no"},
		},
		"a line whose words are said again": {
			[]string{"0-2 one", "2-4 one/so@2.5 it@3 is", "4-6 so it@4.5 is/now@5.5", "6-8 now/then@6.5 again@7"},
			[]string{"0-2 one", "2.5-4 so it is", "4-5.5 so it is", "5.5-6 now", "6.5-8 then again"},
		},
		"what stays longer": {
			[]string{"0-2 one", "2-4 one/two", "4-7 one/two", "7-8 two/three"},
			[]string{"0-2 one", "2-4 two", "7-8 three"},
		},
		"spaces of every kind within": {
			[]string{"0-2 what@0.1 the@0.5 [\u00a0__\u00a0]@1", "2-2.01 what the [\u00a0__\u00a0]", "2.01-4 what the [\u00a0__\u00a0]/東京\u3000大阪@2.01 is@3", "4-4.01 東京\u3000大阪 is",
				"4.01-6 東京\u3000大阪 is/5\u2009km@4.01 away@5"},
			[]string{"0.1-2.01 what the [\u00a0__\u00a0]", "2.01-4.01 東京\u3000大阪 is", "4.01-6 5\u2009km away"},
		},
		"a word that is said again when its line has ended": {
			[]string{"0-1 no", "1-1.01 no", "1.1-2 no", "2-2.01 no", "2.1-3 no no@2.5", "3-3.01 no no"},
			[]string{"0-1.01 no", "1.1-2.01 no", "2.1-3.01 no no"},
		},
		"two rows joined": {
			[]string{"0-2 so we go", "2-4 so we go to the sea", "4-6 to the sea over\u00a0there", "6-8 over there now", "8-9 now\u3000yes", "9-10 yes", "10-11 yes no"},
			[]string{"0-4 so we go to the sea", "4-6 over\u00a0there", "6-8 now", "8-11 yes no"},
		},
		"rows joined before the first cue": {
			[]string{"0-2 so we go to the sea", "2-4 to the sea over there", "4-6 over there now and", "6-8 now and then"},
			[]string{"0-2 so we go to the sea", "2-4 over there", "4-6 now and", "6-8 then"},
		},
		"a word that ends a line and begins the next": {
			[]string{"0-2 we said no", "2-4 no way back", "4-6 back to you", "6-8 you know so", "8-10 so it goes"},
			[]string{"0-2 we said no", "2-4 no way back", "4-6 back to you", "6-8 you know so", "8-10 so it goes"},
		},
		"a line of spaces": {
			[]string{"0-2 \u00a0/so we go", "2-4 so we go/\u3000/to the sea", "4-6 \u200b/to the sea/on"},
			[]string{"0-2 so we go", "2-4 to the sea", "4-6 on"},
		},
		"after a pause a line is new": {
			[]string{"0-2 one", "2-4 one/two", "9-10 two", "10-11 two/three", "11-12 three/four"},
			[]string{"0-2 one", "2-4 two", "9-10 two", "10-11 three", "11-12 four"},
		},
		"a refrain": {
			[]string{"0-2 la la la", "2-4 la la la", "4-6 la la la", "6-8 oh/yes", "8-10 oh", "10-12 oh/no", "12-14 no/oh", "14-16 so", "16-18 it/goes", "18-20 on"},
			[]string{"0-2 la la la", "2-4 la la la", "4-6 la la la", "6-8 oh/yes", "8-10 oh", "10-12 oh/no", "12-14 no/oh", "14-16 so", "16-18 it/goes", "18-20 on"},
		},
		"two who speak at once": {
			[]string{"0-2 one", "1-3 two", "3-4 three", "4-5 four", "5-6 five"},
			[]string{"0-2 one", "1-3 two", "3-4 three", "4-5 four", "5-6 five"},
		},
		"what stays while the next is spoken": {
			[]string{"0-4 one", "2-6 two", "4-8 three", "9-10 four"},
			[]string{"0-2 one", "2-4 two", "4-8 three", "9-10 four"},
		},
		"with the times of words": {
			[]string{"0-4 so@0 we@1 go@3", "2-6 to@2 the@3 sea", "5-8 now"},
			[]string{"0-2 so we go", "2-5 to the sea", "5-8 now"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := cues(test.in...)
			got := caption.Unroll(in)
			assert.Equal(t, test.want, brief(got))
			assert.Equal(t, cues(test.in...), in, "the segments of the caller are changed")
			inTime(t, got)
			if name != "a refrain" && name != "two who speak at once" {
				assert.Equal(t, got, caption.Unroll(got), "clean ones stay as they are")
			}
		})
	}
}

// inTime sees that words lie in their segments.
func inTime(t require.TestingT, segments []transcript.Segment) {
	for _, s := range segments {
		at := s.Start
		for _, w := range s.Words {
			require.LessOrEqual(t, at-0.0011, w.Start, "%v", s)
			require.LessOrEqual(t, w.Start, w.End, "%v", s)
			require.LessOrEqual(t, w.End, s.End()+0.0011, "%v", s)
			at = w.Start
		}
		if len(s.Words) > 0 {
			var words []string
			for _, w := range s.Words {
				words = append(words, w.Text)
			}
			require.Equal(t, strings.Join(strings.Fields(s.Text), ""), strings.Join(words, ""), "words of the text")
		}
	}
}

// Tracks of one talk in each of the forms that machines write.
func TestUnrollFiles(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"rolling.vtt", "rolling.json3", "rolling.srv3", "rolling.srv1", "rollup.srt", "growing.vtt"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, err := os.Open("testdata/" + name)
			require.NoError(t, err)
			defer file.Close()
			segments, err := segmentsOf(caption.ReadAny(file))
			require.NoError(t, err)
			clean := caption.Unroll(segments)
			inTime(t, clean)
			got := strings.Join(brief(clean), "\n") + "\n"
			golden := "testdata/" + name + ".unrolled"
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), got)
		})
	}
}

// Lines that look the same may have characters of no width, and more bytes.
func TestUnrollOfRowsThatAreShorter(t *testing.T) {
	t.Parallel()
	wide := strings.Repeat("\u200b", 30)
	texts := []string{"a b", "a b c d" + wide, "c d" + wide + " e f", "c d e f", "e f g h", "g h i j"}
	var cues []transcript.Segment
	for i, text := range texts {
		cues = append(cues, transcript.Segment{Text: text, Start: float64(i), Duration: 1})
	}
	assert.NotPanics(t, func() { caption.Unroll(cues) })
}
