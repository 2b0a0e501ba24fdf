package format_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

// said is a segment whose words last a time each, with a speaker.
func said(start, each float64, speaker string, words ...string) transcript.Segment {
	s := transcript.Segment{Text: strings.Join(words, " "), Start: start, Duration: each * float64(len(words)), Speaker: speaker}
	for i, w := range words {
		s.Words = append(s.Words, transcript.Word{Text: w, Start: start + each*float64(i), End: start + each*float64(i+1)})
	}
	return s
}

func TestGoldenWordVTT(t *testing.T) {
	t.Parallel()
	cut := said(20, 0.5, "", strings.Fields("this is a long line that goes on and on until it takes the space of two cues or more, which begin with their first words")...)
	corrected := said(40, 1, "", "for", "score")
	corrected.Text = "four score"
	golden(t, "words.vtt", format.AppendWordVTT(nil, []transcript.Segment{
		said(0, 1, "Ada & Co", "Good", "morning,", "<b>world</b>"), said(10, 0.25, "", "a", "&", "amp"), cut, corrected, {Text: "no words", Start: 50, Duration: 1},
	}))
}

// Without words the file is the usual one.
func TestWordVTTWithoutWords(t *testing.T) {
	t.Parallel()
	for _, segs := range [][]transcript.Segment{nil, sample().Segments, long().Segments} {
		for i := range segs {
			segs[i].Words = nil
		}
		assert.Equal(t, string(format.AppendVTT(nil, segs)), string(format.AppendWordVTT(nil, segs)))
	}
}

// Our own reader finds each word at its time.
func TestWordVTTIsReadBack(t *testing.T) {
	t.Parallel()
	want := said(1, 0.5, "Ada", "Good", "morning,", "world,", "my", "<friend>", "&", "all")
	file, err := caption.ReadWebVTT(bytes.NewReader(format.AppendWordVTT(nil, []transcript.Segment{want})))
	require.NoError(t, err)
	got := file.Segments
	require.Len(t, got, 1)
	assert.Equal(t, want.Text, got[0].Text)
	require.Len(t, got[0].Words, len(want.Words))
	for i, w := range got[0].Words {
		assert.Equal(t, want.Words[i].Text, w.Text)
		assert.InDelta(t, want.Words[i].Start, w.Start, 0.001)
	}
}

var (
	cueTimes = regexp.MustCompile(`^(\d{2,}:\d\d:\d\d\.\d{3}) --> (\d{2,}:\d\d:\d\d\.\d{3})$`)
	stamp    = regexp.MustCompile(`<(\d{2,}:\d\d:\d\d\.\d{3})>`)
)

// Whatever the words and times are, the text stays, the times in a cue grow and lie in the cue,
// and no time stands within a reference.
func TestWordVTTIsValid(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var segs []transcript.Segment
		start := 0.0
		for range rapid.IntRange(0, 5).Draw(t, "segments") {
			words := rapid.SliceOfN(rapid.StringMatching(`[a-z&<>;.\-éあ]{1,12}|amp|lt|-->|<c>|&amp;|<00:00:01\.000>`), 1, 40).Draw(t, "words")
			s := said(start, rapid.Float64Range(-0.1, 1).Draw(t, "each"), rapid.SampledFrom(append(hostile, "")).Draw(t, "speaker"), words...)
			if rapid.Bool().Draw(t, "other words") {
				s.Words = s.Words[rapid.IntRange(0, len(s.Words)).Draw(t, "from"):]
			}
			for i := range s.Words {
				s.Words[i].Start += rapid.Float64Range(-2, 2).Draw(t, "off")
			}
			segs = append(segs, s)
			start += rapid.Float64Range(0, 10).Draw(t, "later")
		}
		file := string(format.AppendWordVTT(nil, segs))
		last, end := "", ""
		for line := range strings.SplitSeq(file, "\n") {
			if times := cueTimes.FindStringSubmatch(line); times != nil {
				last, end = times[1], times[2]
				continue
			}
			for _, at := range stamp.FindAllStringSubmatch(line, -1) {
				if at[1] <= last || at[1] >= end {
					t.Fatalf("%s is not between %s and %s", at[1], last, end)
				}
				last = at[1]
			}
			for _, part := range strings.Split(stamp.ReplaceAllString(line, "\x00"), "\x00")[1:] {
				if regexp.MustCompile(`^(amp|lt|gt);`).MatchString(part) && strings.Contains(line, "&<") {
					t.Fatalf("a time stands within a reference: %s", line)
				}
			}
		}
		var want, got strings.Builder
		for _, s := range segs {
			want.WriteString(strings.Join(strings.Fields(s.Text), ""))
		}
		read, err := caption.ReadWebVTT(strings.NewReader(file))
		if err != nil && len(segs) > 0 {
			t.Fatal(err)
		}
		for _, s := range read.Segments {
			got.WriteString(strings.Join(strings.Fields(s.Text), ""))
		}
		if want.String() != got.String() {
			t.Fatalf("%q became %q in %s", want.String(), got.String(), file)
		}
	})
}

func TestGoldenPodcast(t *testing.T) {
	t.Parallel()
	golden(t, "podcast.json", format.AppendPodcast(nil, sample().Segments))
	assert.JSONEq(t, `{"version": "1.0.0", "segments": []}`, string(format.AppendPodcast(nil, []transcript.Segment{{Text: " \n"}})))
	assert.JSONEq(t, `{"version": "1.0.0", "segments": [{"speaker": "Ada L", "startTime": 1.5, "endTime": 3.001, "body": "a \"b\" </script> c"}]}`,
		string(format.AppendPodcast(nil, []transcript.Segment{{Text: " a \"b\"\n</script> c ", Speaker: "Ada\nL", Start: 1.5, Duration: 1.5009}})))
}
