package caption_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// speech is what somebody says: lines of words, one after another, each with its
// time.
type speech [][]transcript.Word

func (l speech) end(n int) float64 { return l[n][len(l[n])-1].End }

func lineOf(words []transcript.Word) string {
	var texts []string
	for _, w := range words {
		texts = append(texts, w.Text)
	}
	return strings.Join(texts, " ")
}

// speaking draws a speech. Its lines differ from each other unless lines may be
// said again.
func speaking(t *rapid.T, again bool) speech {
	vocabulary := []string{"so", "so", "we", "go", "no", "[Music]", "שלום", "\u200fעולם", "你好", "l'été", "a&b", "<3",
		"[\u00A0__\u00A0]", "東京\u3000大阪", "5\u2009km", "a\u2003b\u202Fc", "«\u00A0oui\u00A0»"}
	now := int64(0)
	var said speech
	for n := range rapid.IntRange(1, 12).Draw(t, "lines") {
		var line []transcript.Word
		for range rapid.IntRange(1, 5).Draw(t, "words") {
			length := rapid.Int64Range(100, 900).Draw(t, "ms")
			word := rapid.SampledFrom(vocabulary).Draw(t, "word")
			line = append(line, transcript.Word{Text: word, Start: float64(now) / 1000, End: float64(now+length) / 1000})
			now += length
		}
		if !again {
			line[0].Text += fmt.Sprint(n)
		}
		said = append(said, line)
		if rapid.Bool().Draw(t, "pause") {
			now += rapid.Int64Range(0, 3000).Draw(t, "ms")
		}
	}
	return said
}

// timedLine gives each word a quarter of a second.
func timedLine(texts []string, at float64) (line []transcript.Word) {
	for _, text := range texts {
		line = append(line, transcript.Word{Text: text, Start: round(at), End: round(at + 0.25)})
		at += 0.25
	}
	return line
}

// spaced cuts the words of a line at the spaces within them.
func spaced(line []transcript.Word) (words []transcript.Word) {
	for _, w := range line {
		for text := range strings.FieldsSeq(w.Text) {
			words = append(words, transcript.Word{Text: text, Start: w.Start, End: w.End})
		}
	}
	return words
}

// wire writes a time as WebVTT does.
func wire(sec float64) string {
	ms := int64(sec*1000 + 0.5)
	return fmt.Sprintf("%02d:%02d:%02d.%03d", ms/3600000, ms/60000%60, ms/1000%60, ms%1000)
}

// rollingFile is the speech as the big video site writes it as WebVTT. After so
// many seconds of silence no line stays above the next one.
func (l speech) rollingFile(silence float64) string {
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", "\u00A0", "&nbsp;")
	var b strings.Builder
	b.WriteString("WEBVTT\nKind: captions\nLanguage: en\n\n")
	above := " "
	for n, line := range l {
		fmt.Fprintf(&b, "%s --> %s align:start position:0%%\n%s\n", wire(line[0].Start), wire(l.end(n)), above)
		for i, w := range line {
			if i == 0 {
				b.WriteString(escape.Replace(w.Text))
			} else {
				fmt.Fprintf(&b, "<%s><c> %s</c>", wire(w.Start), escape.Replace(w.Text))
			}
		}
		above = escape.Replace(lineOf(line))
		until := l.end(n) + 0.01
		fmt.Fprintf(&b, "\n\n%s --> %s align:start position:0%%\n%s\n \n\n", wire(l.end(n)), wire(until), above)
		if n+1 < len(l) && l[n+1][0].Start-until > silence {
			above = " "
		}
	}
	return b.String()
}

// rollUp shows so many lines at once, the last of them new, without words.
func (l speech) rollUp(rows int) (all []transcript.Segment) {
	for n := range l {
		var texts []string
		for _, line := range l[max(0, n-rows+1) : n+1] {
			texts = append(texts, lineOf(line))
		}
		until := l.end(n)
		if n+1 < len(l) {
			until = l[n+1][0].Start // it stays until the next one
		}
		all = append(all, transcript.Segment{Text: strings.Join(texts, "\n"), Start: l[n][0].Start, Duration: round(until - l[n][0].Start)})
	}
	return all
}

// joined shows so many lines at once, as one line. After a second of silence none
// stays.
func (l speech) joined(rows int) (all []transcript.Segment) {
	first := 0 // of the lines that are shown
	for n := range l {
		if n > 0 && l[n][0].Start-l.end(n-1) > 1 {
			first = n
		}
		var texts []string
		for _, line := range l[max(first, n-rows+1) : n+1] {
			texts = append(texts, lineOf(line))
		}
		until := l.end(n)
		if n+1 < len(l) && l[n+1][0].Start-until <= 1 {
			until = l[n+1][0].Start
		}
		all = append(all, transcript.Segment{Text: strings.Join(texts, " "), Start: l[n][0].Start, Duration: round(until - l[n][0].Start)})
	}
	return all
}

// growing shows each line word by word, below the one before.
func (l speech) growing() (all []transcript.Segment) {
	for n, line := range l {
		for i := range line {
			text := lineOf(line[:i+1])
			if n > 0 {
				text = lineOf(l[n-1]) + "\n" + text
			}
			until := line[i].End
			if i+1 == len(line) && n+1 < len(l) {
				until = l[n+1][0].Start
			}
			all = append(all, transcript.Segment{Text: text, Start: line[i].Start, Duration: round(until - line[i].Start)})
		}
	}
	return all
}

// staying has a cue with words for each line, which stays while the next is spoken.
func (l speech) staying() (all []transcript.Segment) {
	for n, line := range l {
		until := l.end(n)
		if n+1 < len(l) {
			until = max(until, l.end(n+1))
		}
		words := spaced(line)
		words[len(words)-1].End = until
		all = append(all, transcript.Segment{Text: lineOf(line), Start: line[0].Start, Duration: round(until - line[0].Start), Words: words})
	}
	return all
}

func clean(l speech) (all []transcript.Segment) {
	for n, line := range l {
		all = append(all, transcript.Segment{Text: lineOf(line), Start: line[0].Start, Duration: round(l.end(n) - line[0].Start), Words: spaced(line)})
	}
	return all
}

// trackForms are the forms in which machines write a speech.
var trackForms = map[string]struct {
	again bool // lines may be said again
	cues  func(t *rapid.T, l speech) []transcript.Segment
}{
	"file": {true, func(t *rapid.T, l speech) []transcript.Segment {
		silence := rapid.SampledFrom([]float64{0, 0.1, 1, 6}).Draw(t, "silence")
		segments, err := segmentsOf(caption.ReadWebVTT(strings.NewReader(l.rollingFile(silence))))
		require.NoError(t, err)
		return segments
	}},
	"two rows joined":   {false, func(_ *rapid.T, l speech) []transcript.Segment { return l.joined(2) }},
	"three rows joined": {false, func(_ *rapid.T, l speech) []transcript.Segment { return l.joined(3) }},
	"two rows":          {false, func(_ *rapid.T, l speech) []transcript.Segment { return l.rollUp(2) }},
	"three rows":        {false, func(_ *rapid.T, l speech) []transcript.Segment { return l.rollUp(3) }},
	"growing":           {false, func(_ *rapid.T, l speech) []transcript.Segment { return l.growing() }},
	"staying":           {true, func(_ *rapid.T, l speech) []transcript.Segment { return l.staying() }},
	"clean":             {true, func(_ *rapid.T, l speech) []transcript.Segment { return clean(l) }},
}

// The words of the result are the words spoken, in order, once; its segments do
// not overlap and lie where they were spoken; and they do not roll.
func TestUnrollKeepsWhatIsSpoken(t *testing.T) {
	t.Parallel()
	for name, form := range trackForms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				said := speaking(t, form.again)
				got := caption.Unroll(form.cues(t, said))
				var want, have []string
				for _, line := range said {
					want = append(want, strings.Fields(lineOf(line))...)
				}
				for i, s := range got {
					have = append(have, strings.Fields(s.Text)...)
					if i > 0 {
						require.LessOrEqual(t, got[i-1].End(), s.Start+0.0001, "%v and %v", got[i-1], s)
					}
				}
				require.Equal(t, want, have)
				require.InDelta(t, said[0][0].Start, got[0].Start, 0.0001)
				require.LessOrEqual(t, got[len(got)-1].End(), said.end(len(said)-1)+0.0101)
				inTime(t, got)
				if form.again {
					require.Equal(t, got, caption.Unroll(got))
				}
			})
		})
	}
}
