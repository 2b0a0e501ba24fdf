package format_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/width"
	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

// readSRT reads what AppendSRT writes, and nothing else.
func readSRT(file string) ([]transcript.Segment, error) {
	if file == "" {
		return nil, nil
	}
	var segs []transcript.Segment
	for i, block := range strings.Split(strings.TrimSuffix(file, "\n"), "\n\n") {
		index, rest, _ := strings.Cut(block, "\n")
		times, text, ok := strings.Cut(rest, "\n")
		if !ok || index != fmt.Sprint(i+1) {
			return nil, fmt.Errorf("cue %d: %q", i+1, block)
		}
		var h, m, s, ms, h2, m2, s2, ms2 int64
		if _, err := fmt.Sscanf(times, "%d:%02d:%02d,%03d --> %d:%02d:%02d,%03d", &h, &m, &s, &ms, &h2, &m2, &s2, &ms2); err != nil {
			return nil, fmt.Errorf("cue %d: %q: %w", i+1, times, err)
		}
		from, to := ((h*60+m)*60+s)*1000+ms, ((h2*60+m2)*60+s2)*1000+ms2
		segs = append(segs, transcript.Segment{Text: text, Start: float64(from) / 1000, Duration: float64(to-from) / 1000})
	}
	return segs, nil
}

// joined is the text of all segments. Where a word of more than 42 characters is
// broken no reader can know of it, so white space does not count.
func joined(segs []transcript.Segment) string {
	var b strings.Builder
	for _, s := range segs {
		for _, r := range s.Text {
			if unicode.IsSpace(r) {
				continue
			}
			if unicode.IsControl(r) {
				r = unicode.ReplacementChar
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}

// words is the text of all segments, joined by spaces.
func words(segs []transcript.Segment) string {
	var b strings.Builder
	for _, s := range segs {
		b.WriteString(s.Text + " ")
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func checkClean(t require.TestingT, cues []transcript.Segment, kind string) {
	end := 0.0
	for i, c := range cues {
		start, stop := math.Round(c.Start*1000), math.Round(c.End()*1000)
		require.GreaterOrEqual(t, start, end, "%s cue %d overlaps", kind, i)
		require.Greater(t, stop, start, "%s cue %d lasts", kind, i)
		if stop-start < 200 {
			require.Less(t, i+1, len(cues), "%s: the last has room", kind)
			require.LessOrEqual(t, math.Round(cues[i+1].Start*1000), stop, "%s cue %d has room", kind, i)
		}
		end = stop
		lines := strings.Split(c.Text, "\n")
		require.LessOrEqual(t, len(lines), 2, "%s cue %d", kind, i)
		for _, l := range lines {
			require.NotEmpty(t, l)
			require.LessOrEqual(t, columns(l), 42, "%s cue %d: %q", kind, i, l)
		}
	}
}

// columns counts the columns of a line. TestWideRunes compares the table of widths with another.
func columns(line string) (n int) {
	for g := uniseg.NewGraphemes(line); g.Next(); n++ {
		first := g.Runes()[0]
		kind := width.LookupRune(first).Kind()
		if kind == width.EastAsianWide || kind == width.EastAsianFullwidth || strings.ContainsRune(g.Str(), '\uFE0F') || '🇦' <= first && first <= '🇿' {
			n++
		}
	}
	return n
}

func checkFile(t require.TestingT, file []byte) {
	require.False(t, bytes.ContainsFunc(file, func(r rune) bool { return r != '\n' && unicode.IsControl(r) }), "%q", file)
	for i, l := range strings.Split(string(file), "\n") {
		if strings.Contains(l, "-->") {
			require.Regexp(t, `^\d{2,}:\d\d:\d\d[.,]\d{3} --> \d{2,}:\d\d:\d\d[.,]\d{3}$`, l, "line %d", i)
		}
	}
	require.False(t, strings.HasPrefix(string(file), "\ufeff"))
}

// checkCues holds what is written of any segments to what AppendSRT and AppendVTT promise.
func checkCues(t require.TestingT, segs []transcript.Segment) {
	segs = slices.Clone(segs)
	for i := range segs {
		segs[i].Text, segs[i].Speaker = visible(segs[i].Text), visible(segs[i].Speaker)
	}
	checkFile(t, format.AppendSRT(nil, segs))
	checkFile(t, format.AppendVTT(nil, segs))
	srt, vtt := written(t, segs)
	checkClean(t, srt, "srt")
	checkClean(t, vtt, "vtt")
	require.Len(t, vtt, strings.Count(string(format.AppendVTT(nil, segs)), " --> "), "no cue is lost")
	require.Equal(t, joined(segs), joined(srt))
	require.Equal(t, joined(segs), joined(vtt))
	require.Equal(t, speakers(segs), speakers(vtt))
}

// visible is a text without the characters that readers leave out.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("\u200B\u200C\u200D\u2060\uFEFF", r) {
			return -1
		}
		return r
	}, text)
}

// speakers are those who speak, each as often as they take over, without spaces.
func speakers(segs []transcript.Segment) (all []string) {
	for _, s := range segs {
		name := joined([]transcript.Segment{{Text: s.Speaker}})
		if strings.TrimSpace(s.Text) != "" && (len(all) == 0 || all[len(all)-1] != name) {
			all = append(all, name)
		}
	}
	return all
}

// anyText is text with what is hard: spaces, marks, emoji, syntax, controls.
func anyText() *rapid.Generator[string] {
	part := rapid.OneOf(
		rapid.SampledFrom([]string{" ", " ", " ", "\n", "a", "word", "--", ">", "-->", "<", "<i>", "&amp;", "&", "{\\an8}", "e\u0301", "\u0301", "👨‍👩‍👧", "🇨🇭", "東京", "か\u3099", "한", "\u200d", "\u00a0", "\u3000", "\r\n", "\u2028", "\x00", "NOTE", "42", "\x1b[2J", "\x7f", "]]>", "-", "<0:1>", "{y:i}", strings.Repeat("x", 50)}),
		rapid.StringN(0, 30, -1),
		rapid.StringMatching(`[a-z]{1,12}( [a-z]{1,12}){0,12}`),
	)
	return rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(part, 0, 12).Draw(t, "parts"), "") })
}

func anySegments() *rapid.Generator[[]transcript.Segment] {
	step := rapid.OneOf(rapid.SampledFrom([]float64{0, 0, 0.001, 0.1, 0.2, 1, 2}), rapid.Float64Range(0, 5))
	return rapid.Custom(func(t *rapid.T) []transcript.Segment {
		now := 0.0
		segs := make([]transcript.Segment, rapid.IntRange(0, 8).Draw(t, "n"))
		for i := range segs {
			now += step.Draw(t, "step")
			segs[i] = transcript.Segment{Text: anyText().Draw(t, "text"), Start: now, Duration: step.Draw(t, "duration"), Speaker: rapid.OneOf(rapid.Just(""), rapid.Just("Ada"), anyText()).Draw(t, "speaker")}
		}
		return segs
	})
}

func TestCuesOfAnything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { checkCues(t, anySegments().Draw(t, "segments")) })
}

// TestCuesSplitNoWord holds that only words of more than a line are broken.
func TestCuesSplitNoWord(t *testing.T) {
	t.Parallel()
	word := rapid.SliceOfN(rapid.StringMatching(`([a-zéд]{1,42}|[한가]{1,21})[ \n]`), 1, 40)
	rapid.Check(t, func(t *rapid.T) {
		var segs []transcript.Segment
		for i := range rapid.IntRange(1, 4).Draw(t, "n") {
			segs = append(segs, seg(float64(i), float64(i)+1, strings.Join(word.Draw(t, "words"), "")))
		}
		srt, vtt := written(t, segs)
		require.Equal(t, words(segs), words(srt))
		require.Equal(t, words(segs), words(vtt))
	})
}

// TestCuesRoundTrip: what is a cue already comes back as it was.
func TestCuesRoundTrip(t *testing.T) {
	t.Parallel()
	text := rapid.StringMatching(`([a-zA-Z0-9,.!?дé-]{1,20}|東{1,10})([ \n][a-zA-Z0-9,.!?дé-]{1,20})?`)
	rapid.Check(t, func(t *rapid.T) {
		now := int64(0)
		var segs []transcript.Segment
		for range rapid.IntRange(1, 20).Draw(t, "n") {
			now += rapid.Int64Range(0, 10_000).Draw(t, "gap")
			length := rapid.Int64Range(200, 10_000).Draw(t, "length")
			segs = append(segs, transcript.Segment{Text: text.Draw(t, "text"), Start: float64(now) / 1000, Duration: float64(length) / 1000})
			now += length
		}
		srt, vtt := written(t, segs)
		require.Equal(t, brief(segs), brief(srt))
		require.Equal(t, brief(segs), brief(vtt))
	})
}

// TestCuesBreakBetweenCharacters: a word is broken into full lines, never within a
// grapheme cluster.
func TestCuesBreakBetweenCharacters(t *testing.T) {
	t.Parallel()
	letters := rapid.RuneFrom(nil, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Hangul,
		unicode.Devanagari, unicode.Arabic, unicode.Mn, emoji)
	rapid.Check(t, func(t *rapid.T) {
		word := "x" + rapid.StringOfN(letters, 0, 200, -1).Draw(t, "word") // no mark to begin with
		srt, _ := written(t, []transcript.Segment{seg(0, 9, word)})
		var lines []string
		for _, c := range srt {
			lines = append(lines, strings.Split(c.Text, "\n")...)
		}
		for i, l := range lines {
			if i+1 < len(lines) {
				require.GreaterOrEqual(t, columns(l), 41, "the next one may be wide")
			}
		}
		require.Equal(t, word, strings.Join(lines, ""))
		clusters := 0
		for _, l := range lines {
			clusters += uniseg.GraphemeClusterCount(l)
		}
		require.Equal(t, uniseg.GraphemeClusterCount(word), clusters)
	})
}

var emoji = &unicode.RangeTable{R32: []unicode.Range32{{Lo: 0x1F1E6, Hi: 0x1F1FF, Stride: 1}, {Lo: 0x1F600, Hi: 0x1F64F, Stride: 1}}}

// TestCuesOfUnspacedText: scripts without spaces are broken where their rules let
// a line end, and nowhere else as long as they do so once a line.
func TestCuesOfUnspacedText(t *testing.T) {
	t.Parallel()
	part := rapid.StringMatching(`[東京字あいアィ]{1,8}([、。！？」』）]|[「『（][東字]{1,3}[」』）]|ー|っ|々|[a-zA-Z]{1,9}| )?`)
	rapid.Check(t, func(t *rapid.T) {
		text := strings.TrimSpace("字" + strings.Join(rapid.SliceOfN(part, 1, 40).Draw(t, "parts"), ""))
		srt, vtt := written(t, []transcript.Segment{seg(0, 9, text)})
		checkClean(t, srt, "srt")
		require.Equal(t, brief(srt), brief(vtt))
		for _, c := range srt {
			for l := range strings.SplitSeq(c.Text, "\n") {
				require.False(t, strings.HasPrefix(l, " ") || strings.HasSuffix(l, " "), "%q", l)
				first, _ := utf8.DecodeRuneInString(l)
				last, _ := utf8.DecodeLastRuneInString(l)
				require.NotContains(t, "、。！？」』）ー々", string(first), "%q", c.Text)
				require.NotContains(t, "「『（", string(last), "%q", c.Text)
			}
		}
		require.Equal(t, joined([]transcript.Segment{{Text: text}}), joined(srt))
	})
}

// TestCuesOfOtherLetters: letters of several bytes are set as those of one.
func TestCuesOfOtherLetters(t *testing.T) {
	t.Parallel()
	word := rapid.StringMatching(`[eaf]{1,15}[ \n]{1,2}`)
	letters := strings.NewReplacer("e", "e\u0301", "a", "д", "f", "कि")
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(word, 1, 40).Draw(t, "words"), "")
		length := rapid.Float64Range(0, 20).Draw(t, "length")
		one := format.AppendVTT(nil, []transcript.Segment{seg(0, length, text), seg(5, 6, text)})
		other := format.AppendVTT(nil, []transcript.Segment{seg(0, length, letters.Replace(text)), seg(5, 6, letters.Replace(text))})
		head, body, _ := strings.Cut(string(one), "\n")
		require.Equal(t, head+"\n"+letters.Replace(body), string(other))
	})
}

// TestCuesTwice: cues are segments that need no change.
func TestCuesTwice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var segs []transcript.Segment
		for i := range rapid.IntRange(0, 5).Draw(t, "n") {
			text := rapid.StringMatching(`([a-z&<]{1,9} ){0,60}`).Draw(t, "text")
			segs = append(segs, seg(float64(i)*3, float64(i)*3+rapid.Float64Range(0, 9).Draw(t, "length"), text))
		}
		_, once := written(t, segs)
		require.Equal(t, string(format.AppendVTT(nil, segs)), string(format.AppendVTT(nil, once)))
	})
}

// checkLegible holds that a text has no control characters but line feeds.
func checkLegible(t require.TestingT, text string) {
	require.False(t, strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && unicode.IsControl(r) }), "%q", text)
	require.True(t, utf8.ValidString(text), "%q", text)
}

func FuzzCues(f *testing.F) {
	f.Add("one --> two", "<i>a</i>\n\n{\\an8}", "Ada", 0.0, 1.5, 0.5)
	f.Add(strings.Repeat("word ", 60), "\xff\x00", ">", 3.0, 1.0, 1.0)
	f.Add(strings.Repeat("e\u0301👨‍👩‍👧", 60), " \u0301 ", "\n", 0.0, 0.0, 0.0)
	f.Fuzz(func(t *testing.T, one, two, speaker string, start, first, second float64) {
		if math.Abs(start) > 1e9 || math.Abs(first) > 1e9 || math.Abs(second) > 1e9 {
			t.Skip("readers know no such times")
		}
		checkCues(t, []transcript.Segment{
			{Text: one, Speaker: speaker, Duration: first},
			{Text: two, Start: start, Duration: second},
			{Text: one, Start: start + second, Duration: first},
		})
		md := string(format.AppendMarkdown(nil, &transcript.Transcript{Title: &two, Segments: []transcript.Segment{{Text: one, Speaker: speaker}}}, false))
		checkLegible(t, md)
		for _, stamps := range []bool{false, true} {
			checkLegible(t, string(format.AppendText(nil, []transcript.Segment{{Text: one}, {Text: two}}, stamps)))
		}
	})
}
