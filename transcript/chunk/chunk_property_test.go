package chunk_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/rivo/uniseg"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/chunk"
)

// drawTranscript makes segments of everything that is hard to cut.
func drawTranscript(t *rapid.T) *transcript.Transcript {
	bits := rapid.SampledFrom([]string{
		"a", "word", "Sea", "incomprehensibilities", ".", ". ", "! ", "?", "...", "3.14", "e.g. ", ",", " ", " ", " ", "\n", "\r\n", "\u00a0", "\u2028", "-",
		"👨‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪", "🇫", "e\u0301", "\u0301", "\u200d", "각", "\u1100\u1161\u11a8", "\u1100", "中文", "。", "、", "ไทย", "नमस्ते", "।",
		"مرحبا", "؟", "\u0600", "\u0903", "(", ")", "“", "”", "\x00", "\xff", "\ufffd",
	})
	n := rapid.IntRange(0, 12).Draw(t, "segments")
	tr := &transcript.Transcript{Platform: transcript.VideoSite, ExternalID: "dQw4w9WgXcQ", Lang: "en"}
	at := 0.0
	for range n {
		text := strings.Join(rapid.SliceOfN(bits, 0, rapid.SampledFrom([]int{3, 12, 60}).Draw(t, "longest")).Draw(t, "text"), "")
		s := segment(at, float64(rapid.IntRange(0, 5000).Draw(t, "ms"))/1000, text)
		if rapid.Bool().Draw(t, "words") {
			for i, w := range strings.Fields(text) {
				s.Words = append(s.Words, transcript.Word{Text: w, Start: at + float64(i)/10, End: at + float64(i+1)/10})
			}
		}
		tr.Segments = append(tr.Segments, s)
		at += float64(rapid.IntRange(0, 4000).Draw(t, "pause")) / 1000
	}
	var chapters []transcript.Chapter
	for i := range rapid.IntRange(0, 3).Draw(t, "chapters") {
		chapters = append(chapters, transcript.Chapter{Title: string(rune('A' + i)), Start: float64(i) * 5})
	}
	if chapters != nil {
		tr.Metadata = map[string]any{"chapters": chapters}
	}
	return tr
}

func drawOptions(t *rapid.T) transcript.ChunkOptions {
	return transcript.ChunkOptions{
		MaxChars:     rapid.SampledFrom([]int{1, 2, 3, 5, 10, 20, 50, 200}).Draw(t, "maxChars"),
		OverlapChars: rapid.SampledFrom([]int{0, 0, 1, 2, 5, 10, 50}).Draw(t, "overlapChars"),
	}
}

// squeezed is the text without white space; ends are where its characters end, as they
// stand in their segments.
func squeezed(tr *transcript.Transcript) (text string, ends map[int]bool) {
	ends = map[int]bool{0: true}
	for _, s := range tr.Segments {
		folded := strings.Join(strings.Fields(string([]rune(s.Text))), " ")
		for rest, state := folded, -1; rest != ""; {
			var letter string
			letter, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
			text += squeeze(letter)
			ends[len(text)] = true
		}
	}
	return text, ends
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }

// checkChunks holds chunks against all that is promised of them.
func checkChunks(t require.TestingT, tr *transcript.Transcript, o transcript.ChunkOptions, chunks []transcript.Chunk) {
	text, ends := squeezed(tr)
	done, ids := map[int]bool{0: true}, map[string]bool{} // done: up to where, for all that can be known
	for i, c := range chunks {
		require.Equal(t, i, c.Index)
		first, _, _, _ := uniseg.FirstGraphemeClusterInString(c.Text, -1) // a mark may stand on a space
		require.NotContains(t, []string{"", " "}, first)
		require.False(t, strings.HasSuffix(c.Text, " ") && !strings.HasSuffix(c.Text, "\u0600 "), "%q", c.Text)
		require.LessOrEqual(t, uniseg.GraphemeClusterCount(c.Text), o.MaxChars, "%q", c.Text)
		require.False(t, c.Start < 0 || c.Duration < 0 || math.IsNaN(c.Start+c.Duration) || math.IsInf(c.Start+c.Duration, 0), "%v", c)
		require.True(t, i == 0 || chunks[i-1].Start <= c.Start, "%v", c)
		require.False(t, ids[c.ID], "%q", c.Text)
		ids[c.ID] = true

		// It goes on where the last one has ended, or somewhat before, and further.
		own, next := squeeze(c.Text), map[int]bool{}
		for before := range done {
			for at := before; at >= 0; at-- {
				if ends[at] && uniseg.GraphemeClusterCount(text[at:before]) > o.OverlapChars {
					break
				}
				if end := at + len(own); ends[at] && ends[end] && end > before && strings.HasPrefix(text[at:], own) {
					next[end] = true
				}
			}
		}
		require.NotEmpty(t, next, "%q does not go on after %v bytes of %q, or is cut out of a character", c.Text, done, text)
		done = next
		if i > 0 && chunks[i-1].Chapter != c.Chapter {
			require.Less(t, chunks[i-1].Chapter, c.Chapter, "chapters are in order")
		}
	}
	require.True(t, done[len(text)], "text is lost: %v bytes of %q", done, text)
}

func TestChunksProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tr, o := drawTranscript(t), drawOptions(t)
		chunks := slices.Collect(chunk.Cut(tr, o))
		checkChunks(t, tr, o, chunks)

		// What is read again has the same ids.
		data, err := json.Marshal(tr)
		require.NoError(t, err)
		var again transcript.Transcript
		require.NoError(t, json.Unmarshal(data, &again))
		again.ID, again.UpdatedAt = "another", transcript.Time{}
		require.Equal(t, chunks, slices.Collect(chunk.Cut(&again, o)))
	})
}

// Chunks that do not overlap are the whole text, when they are joined as they say.
func TestChunksJoin(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tr, o := drawTranscript(t), drawOptions(t)
		o.OverlapChars = 0
		var whole []string
		for _, s := range tr.Segments {
			whole = append(whole, strings.Fields(string([]rune(s.Text)))...)
		}
		var joined strings.Builder
		chapter := ""
		for chunk := range chunk.Cut(tr, o) {
			begins := chunk.Index > 0 && chunk.Chapter != chapter && !strings.HasSuffix(joined.String(), " ")
			require.Equal(t, begins, chunk.Joiner == transcript.JoinLine)
			chapter = chunk.Chapter
			joined.WriteString(chunk.Joiner + chunk.Text)
		}
		require.Equal(t, strings.Join(whole, " "), strings.ReplaceAll(joined.String(), "\n", " "))
	})
}

// A sentence that fits is not cut, and a chunk has all the sentences that fit.
func TestChunksAreFull(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var segments []transcript.Segment
		for i, n := range rapid.SliceOfN(rapid.IntRange(1, 30), 1, 40).Draw(t, "lengths") {
			segments = append(segments, segment(float64(i), 1, "A"+strings.Repeat("a", n-1)+"."))
		}
		o := transcript.ChunkOptions{MaxChars: 40, OverlapChars: rapid.SampledFrom([]int{0, 15}).Draw(t, "overlap")}
		chunks := chunksOf(o, segments...)
		for i, c := range chunks {
			require.Regexp(t, `^(A?a*\. )?(Aa*\.( |$))+$`, c.Text)
			if i > 0 && o.OverlapChars == 0 {
				next, _, _ := strings.Cut(c.Text, " ")
				require.Greater(t, len(chunks[i-1].Text)+1+len(next), o.MaxChars)
			}
		}
	})
}

func FuzzChunks(f *testing.F) {
	f.Add("One. Two.\nthree", uint16(5), uint16(2))
	f.Add("👨‍👩‍👧‍👦👨‍👩‍👧‍👦\n\u0301 \u0600 中文。", uint16(1), uint16(1))
	f.Fuzz(func(t *testing.T, text string, most, overlap uint16) {
		tr := &transcript.Transcript{}
		for i, line := range strings.Split(text, "\n") {
			tr.Segments = append(tr.Segments, segment(float64(i), 1, line))
		}
		o := transcript.ChunkOptions{MaxChars: max(int(most), 1), OverlapChars: int(overlap)}
		checkChunks(t, tr, o, slices.Collect(chunk.Cut(tr, o)))
	})
}
