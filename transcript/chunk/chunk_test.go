package chunk_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/chunk"
)

func segment(start, duration float64, text string) transcript.Segment {
	return transcript.Segment{Text: text, Start: start, Duration: duration}
}

func chunksOf(o transcript.ChunkOptions, segments ...transcript.Segment) []transcript.Chunk {
	return slices.Collect(chunk.Cut(&transcript.Transcript{Platform: transcript.VideoSite, ExternalID: "dQw4w9WgXcQ", Lang: "en", Segments: segments}, o))
}

func texts(chunks []transcript.Chunk) (all []string) {
	for _, c := range chunks {
		all = append(all, c.Text)
	}
	return all
}

func TestChunksAreOfSentences(t *testing.T) {
	t.Parallel()
	got := chunksOf(transcript.ChunkOptions{MaxChars: 30},
		segment(0, 2, "The first one. The"), segment(2, 2, "second\none.  And"), segment(4, 4, "a third."))
	require.Len(t, got, 2)
	for i := range got {
		assert.Regexp(t, `^c_[0-9a-f]{16}$`, got[i].ID)
		got[i].ID = ""
	}
	assert.Equal(t, []transcript.Chunk{
		{Index: 0, Start: 0, Duration: 3.5, Text: "The first one. The second one."},
		{Index: 1, Start: 3.5, Duration: 4.5, Joiner: transcript.JoinSpace, Text: "And a third."},
	}, got)
}

func TestChunksOfWhatHasNoSentences(t *testing.T) {
	t.Parallel()
	t.Run("are of segments", func(t *testing.T) {
		t.Parallel()
		got := chunksOf(transcript.ChunkOptions{MaxChars: 12}, segment(0, 1, "so we go"), segment(1, 1, "to"), segment(2, 1, "the sea"), segment(3, 1, "now"))
		assert.Equal(t, []string{"so we go to", "the sea now"}, texts(got))
		assert.Equal(t, 2.0, got[1].Start)
		assert.Equal(t, 2.0, got[1].Duration)
	})
	t.Run("end where a line may", func(t *testing.T) {
		t.Parallel()
		got := chunksOf(transcript.ChunkOptions{MaxChars: 10}, segment(0, 10, "so we go to the sea"))
		assert.Equal(t, []string{"so we go", "to the sea"}, texts(got))
		assert.Equal(t, 4.737, got[1].Start) // 9 of 19 characters
	})
	t.Run("end anywhere else", func(t *testing.T) {
		t.Parallel()
		family := "👨‍👩‍👧"
		got := chunksOf(transcript.ChunkOptions{MaxChars: 3}, segment(0, 5, family+family+family+family+family))
		assert.Equal(t, []string{family + family + family, family + family}, texts(got))
		assert.Equal(t, 3.0, got[1].Start)
		assert.Equal(t, 2.0, got[1].Duration)
	})
}

func TestChunksFollowWords(t *testing.T) {
	t.Parallel()
	s := segment(10, 10, "Yes. No, really not.")
	s.Words = []transcript.Word{
		{Text: "Yes.", Start: 10.25, End: 10.5}, {Text: "No,", Start: 15, End: 16}, {Text: "really", Start: 16, End: 18}, {Text: "not.", Start: 18, End: 19.5},
	}
	got := chunksOf(transcript.ChunkOptions{MaxChars: 15}, s)
	require.Equal(t, []string{"Yes.", "No, really not."}, texts(got))
	assert.Equal(t, []float64{10, 0.5, 15, 5}, []float64{got[0].Start, got[0].Duration, got[1].Start, got[1].Duration})

	s.Words[1].Text = "Maybe," // then they are of another text
	got = chunksOf(transcript.ChunkOptions{MaxChars: 15}, s)
	assert.Equal(t, 12.5, got[1].Start)
}

func TestChunksOverlap(t *testing.T) {
	t.Parallel()
	segments := []transcript.Segment{segment(0, 1, "One and two."), segment(1, 1, "Three."), segment(2, 1, "Four and five."), segment(3, 1, "Six.")}
	for _, c := range []struct {
		name         string
		max, overlap int
		want         []string
	}{
		{"none", 25, 0, []string{"One and two. Three.", "Four and five. Six."}},
		{"whole sentences", 25, 8, []string{"One and two. Three.", "Three. Four and five.", "five. Six."}},
		{"words", 25, 5, []string{"One and two. Three.", "Four and five. Six."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, texts(chunksOf(transcript.ChunkOptions{MaxChars: c.max, OverlapChars: c.overlap}, segments...)))
		})
	}
}

func TestChunksNeverCrossChapters(t *testing.T) {
	t.Parallel()
	for name, chapters := range map[string]any{
		"as made": []transcript.Chapter{{Title: "Intro", Start: 1}, {Title: "Nothing", Start: 3.5}, {Title: "Sea", Start: 3.9}},
		"as read": []any{map[string]any{"title": "Intro", "start": 1.0}, map[string]any{"title": "Nothing", "start": 3.5},
			"garbage", map[string]any{"title": "Sea", "start": 3.9}, map[string]any{"title": "Back", "start": 2}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := &transcript.Transcript{Metadata: map[string]any{"chapters": chapters}, Segments: []transcript.Segment{
				segment(0, 1, "before"), segment(1, 1, "so we"), segment(2, 1, "go to"), segment(3.6, 1, "the sea"), segment(5, 1, "now"),
			}}
			got := slices.Collect(chunk.Cut(tr, transcript.ChunkOptions{OverlapChars: 500}))
			assert.Equal(t, []string{"before", "so we go to", "the sea now"}, texts(got))
			assert.Equal(t, []string{"", "Intro", "Sea"}, []string{got[0].Chapter, got[1].Chapter, got[2].Chapter})
		})
	}
}

func TestChunksOfNothing(t *testing.T) {
	t.Parallel()
	assert.Empty(t, chunksOf(transcript.ChunkOptions{}))
	assert.Empty(t, chunksOf(transcript.ChunkOptions{}, segment(0, 1, ""), segment(1, 1, " \n")))
}

// Texts without times, whose chunks all begin at once, have different ids all the same.
func TestChunkIDsDiffer(t *testing.T) {
	t.Parallel()
	ids := map[string]bool{}
	for _, c := range chunksOf(transcript.ChunkOptions{MaxChars: 5}, slices.Repeat([]transcript.Segment{segment(0, 0, "again")}, 100)...) {
		ids[c.ID] = true
	}
	assert.Len(t, ids, 100)
}

// A reader of one page need not wait for all.
func TestChunksStop(t *testing.T) {
	t.Parallel()
	n := 0
	for range chunk.Cut(&transcript.Transcript{Segments: slices.Repeat([]transcript.Segment{segment(0, 1, strings.Repeat("word ", 50))}, 10)}, transcript.ChunkOptions{}) {
		if n++; n == 1 {
			break
		}
	}
	assert.Equal(t, 1, n)
}

func TestSpeakersOfChunks(t *testing.T) {
	t.Parallel()
	text := transcript.Transcript{Segments: []transcript.Segment{
		{Text: "One two.", Start: 0, Duration: 1, Speaker: "Ann"}, {Text: "Three four.", Start: 1, Duration: 1, Speaker: "Lee"},
		{Text: "Five.", Start: 2, Duration: 1, Speaker: "Ann"}, {Text: "Six seven.", Start: 3, Duration: 1},
	}}
	var all [][]string
	for c := range chunk.Cut(&text, transcript.ChunkOptions{MaxChars: 26}) {
		all = append(all, c.Speakers)
	}
	require.Equal(t, [][]string{{"Ann", "Lee"}, nil}, all)
}
