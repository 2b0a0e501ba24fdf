package recognition_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/speechtest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// saying is a segment of somebody, in short.
func saying(speaker string, from, to float64) transcript.Segment {
	return transcript.Segment{Text: fmt.Sprintf("words at %v", from), Speaker: speaker, Start: from, Duration: to - from}
}

// each are the speakers of segments, one after the other.
func each(segments []transcript.Segment) (all []string) {
	for _, s := range segments {
		all = append(all, s.Speaker)
	}
	return all
}

func speakersOf(segments []transcript.Segment) string { return strings.Join(each(segments), " ") }

// clipOf is the part of a talk, in seconds.
func clipOf(talk []byte, from, to float64) []byte {
	return talk[2*int(from*speech.SampleRate) : 2*int(to*speech.SampleRate)]
}

func samplesOf(t *testing.T, wav []byte) []byte {
	t.Helper()
	rec, err := speech.NewRecording(bytes.NewReader(wav), int64(len(wav)))
	require.NoError(t, err)
	pcm, err := io.ReadAll(rec.PCM(0, rec.Samples()))
	require.NoError(t, err)
	return pcm
}

// admit admits what was heard in a chunk of a talk, which begins at a second of the media.
func admit(t *testing.T, cast, offered recognition.Cast, talk []byte, at int64, segments ...transcript.Segment) (recognition.Cast, recognition.Result) {
	t.Helper()
	chunk := recognition.Chunk{Index: int(at), First: at * speech.SampleRate, Last: at*speech.SampleRate + int64(len(talk)/2)}
	r := chunk.Place(engine.Recognition{Segments: segments})
	before := hashOf(t, cast)
	cast2, err := cast.Admit(chunk, &r, offered, recording(t, talk))
	require.NoError(t, err)
	assert.Equal(t, before, hashOf(t, cast), "the cast before was changed")
	return cast2, r
}

// hashOf is of a cast with all its clips, which are long.
func hashOf(t *testing.T, cast recognition.Cast) [sha256.Size]byte {
	t.Helper()
	whole, err := json.Marshal(cast)
	require.NoError(t, err)
	return sha256.Sum256(whole)
}

func TestCastNames(t *testing.T) {
	t.Parallel()
	talk := speechtest.Talk(speechtest.Turn{Person: 1, For: 40 * time.Second})
	cast, r := admit(t, nil, nil, talk, 0, saying("A", 0, 5), saying("B", 5, 8), saying("", 8, 9), saying("A", 9, 10))
	assert.Equal(t, "A B  A", speakersOf(r.Segments))
	assert.True(t, r.Named)
	require.Len(t, cast, 2)
	assert.Equal(t, []float64{6, 3}, []float64{cast[0].Spoken, cast[1].Spoken})

	// B is not offered, so whoever is new may not be B.
	cast, r = admit(t, cast, cast[:1], talk, 40, saying("A", 0, 3), saying("voice_1", 3, 4), saying("B", 4, 8), saying("C", 8, 9), saying("SPEAKER_07", 9, 20))
	assert.Equal(t, "C A D E SPEAKER_07", speakersOf(r.Segments))
	assert.Equal(t, "SPEAKER_07 A D B C E", names(cast), "who has spoken most is first")

	cast, r = admit(t, cast, cast[:1], talk, 80, saying("voice_1", 0, 1), saying("SPEAKER_07", 1, 2), saying("voice_2", 2, 3))
	assert.Equal(t, "SPEAKER_07 SPEAKER_07 2 voice_2", speakersOf(r.Segments))

	// Nobody is one of the voices: they may be anybody.
	same, r := admit(t, cast, cast[:1], talk, 120, saying("A", 0, 3), saying("B", 3, 4))
	assert.Equal(t, "A B", speakersOf(r.Segments))
	assert.False(t, r.Named)
	assert.Equal(t, cast, same)
}

func names(cast recognition.Cast) string {
	var all []string
	for _, s := range cast {
		all = append(all, s.Name)
	}
	return strings.Join(all, " ")
}

// The chunk begins at the 100th second of the media.
func TestClipIsOfOneAlone(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		segments []transcript.Segment
		from, to float64 // of A's clip in the chunk; none: there is none
	}{
		{"a segment", []transcript.Segment{saying("A", 1, 4)}, 1, 4},
		{"the longest", []transcript.Segment{saying("A", 1, 4), saying("B", 4, 5), saying("A", 5, 9), saying("B", 9, 10), saying("A", 10, 12)}, 5, 9},
		{"the middle of a long one", []transcript.Segment{saying("A", 2, 22)}, 8, 16},
		{"a turn of short ones", []transcript.Segment{saying("A", 1, 2), saying("A", 2.5, 3), saying("A", 3.9, 5), saying("A", 6.5, 8)}, 1, 5},
		{"too short", []transcript.Segment{saying("A", 1, 2.9), saying("B", 3, 9)}, 0, 0},
		{"talked over", []transcript.Segment{saying("A", 1, 6), saying("B", 4, 10)}, 1, 4},
		{"talks over", []transcript.Segment{saying("B", 1, 6), saying("A", 4, 10)}, 6, 10},
		{"two talk over", []transcript.Segment{saying("B", 0, 8), saying("C", 1, 3), saying("A", 2, 11), saying("D", 11, 12)}, 8, 11},
		{"somebody unknown", []transcript.Segment{saying("", 0, 3), saying("A", 1, 6)}, 3, 6},
		{"one who was talked over goes on", []transcript.Segment{saying("A", 0, 20), saying("B", 3, 4), saying("A", 5, 9)}, 5, 9},
		{"not in order", []transcript.Segment{saying("B", 4, 10), saying("A", 1, 6)}, 1, 4},
		{"beyond the end", []transcript.Segment{saying("A", 28, 99)}, 28, 30},
	}
	talk := speechtest.Talk(speechtest.Turn{Person: 1, For: 30 * time.Second})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cast, _ := admit(t, nil, nil, talk, 100, tt.segments...)
			with := cast.WithClip(9)
			at := strings.Index(names(with)+" ", "A ")
			if tt.to == 0 {
				assert.Negative(t, at)
				return
			}
			require.GreaterOrEqual(t, at, 0)
			assert.True(t, bytes.Equal(clipOf(talk, tt.from, tt.to), samplesOf(t, with[at/2].Clip)), "another piece, of %d samples", len(with[at/2].Clip)/2)
		})
	}
}

// A longer clip takes the place of a shorter one, and no other.
func TestClipBecomesBetter(t *testing.T) {
	t.Parallel()
	talk := speechtest.Talk(speechtest.Turn{Person: 1, For: 30 * time.Second})
	cast, _ := admit(t, nil, nil, talk, 0, saying("A", 0, 3))
	for _, next := range []struct{ from, to, clipFrom, clipTo float64 }{
		{10, 12, 0, 3}, {10, 13, 0, 3}, {10, 15, 10, 15}, {2, 10, 2, 10}, {10, 29, 2, 10},
	} {
		cast, _ = admit(t, cast, cast.WithClip(4), talk, 0, saying("voice_1", next.from, next.to))
		require.Len(t, cast, 1)
		assert.True(t, bytes.Equal(clipOf(talk, next.clipFrom, next.clipTo), samplesOf(t, cast[0].Clip)), "after %v", next)
	}
}

func TestWithClip(t *testing.T) {
	t.Parallel()
	clip := []byte{1}
	cast := recognition.Cast{{Name: "A"}, {Name: "B", Clip: clip}, {Name: "C", Clip: clip}, {Name: "D"}, {Name: "E", Clip: clip}}
	assert.Equal(t, "B C", names(cast.WithClip(2)))
	assert.Equal(t, "B C E", names(cast.WithClip(4)))
	assert.Empty(t, cast.WithClip(0))
	assert.Empty(t, recognition.Cast(nil).WithClip(4))
}

func TestSpeakersAreCleanAndFew(t *testing.T) {
	t.Parallel()
	chunk := recognition.Chunk{Last: 600 * speech.SampleRate}
	segments := []transcript.Segment{
		saying(" Ada\r\nLovelace\x00\u202e ", 0, 1), saying("\x1b\t", 1, 2), saying(strings.Repeat("é", 9999), 2, 3), saying("\xff", 3, 4),
	}
	r := chunk.Place(engine.Recognition{Segments: segments})
	assert.Equal(t, []string{"Ada Lovelace", "", strings.Repeat("é", 100), "\ufffd"}, each(r.Segments))

	segments = nil
	for i := range 40 { // the first say the least
		segments = append(segments, saying(fmt.Sprint("p", i), float64(5*i), float64(5*i)+1+float64(i)/10))
	}
	r = chunk.Place(engine.Recognition{Segments: segments})
	require.Len(t, r.Segments, 40)
	assert.Equal(t, []string{"", "p8"}, each(r.Segments[7:9]))

	talk := make([]byte, 2*600*speech.SampleRate)
	cast, _ := admit(t, nil, nil, talk, 0, segments...)
	assert.Len(t, cast, 32)
	cast, r = admit(t, cast, cast[:1], talk, 0, saying("voice_1", 0, 1), saying("somebody else", 1, 2))
	assert.Len(t, cast, 32)
	assert.Equal(t, "p39 ", speakersOf(r.Segments), "one too many has no name")
}

func TestStitchMarksNamesOfOneChunk(t *testing.T) {
	t.Parallel()
	plan := recognition.Plan{Samples: 40 * speech.SampleRate}
	for i := range 4 {
		plan.Chunks = append(plan.Chunks, recognition.Chunk{Index: i, First: int64(i) * 10 * speech.SampleRate, Last: int64(i+1) * 10 * speech.SampleRate, Silent: i == 1})
	}
	named := func(r recognition.Result) recognition.Result { r.Named = true; return r }
	of := func(chunk int, speakers ...string) recognition.Result {
		r := recognition.Result{Chunk: chunk}
		for _, s := range speakers {
			r.Segments = append(r.Segments, saying(s, float64(10*chunk), float64(10*chunk+1)))
		}
		return r
	}
	tests := []struct {
		name    string
		results []recognition.Result
		want    string
	}{
		{"the same names everywhere", []recognition.Result{named(of(0, "A", "B")), named(of(2, "B")), named(of(3, "A", "C"))}, "A B B A C"},
		{"each its own", []recognition.Result{of(0, "A", "B"), of(2, "A"), of(3, "A", "")}, "A (part 1) B (part 1) A (part 2) A (part 3) "},
		{"the first is alone with its names", []recognition.Result{named(of(0, "A", "B")), of(2, "A"), of(3, "")}, "A (part 1) B (part 1) A (part 2) "},
		{"one of its own", []recognition.Result{named(of(0, "A")), of(2, "A"), named(of(3, "A"))}, "A A (part 2) A"},
		{"speakers in one only", []recognition.Result{of(0, ""), of(2, "A", "B"), of(3)}, " A B"},
		{"nobody known", []recognition.Result{of(0, ""), named(of(2)), of(3, "")}, " "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			before, err := json.Marshal(tt.results)
			require.NoError(t, err)
			text, err := recognition.Stitch(plan, tt.results)
			require.NoError(t, err)
			assert.Equal(t, tt.want, speakersOf(text.Segments))
			after, err := json.Marshal(tt.results)
			require.NoError(t, err)
			assert.JSONEq(t, string(before), string(after), "the results were changed")
		})
	}
}

// What loops is dropped, and what is left keeps its speaker.
func TestLoopsKeepSpeakers(t *testing.T) {
	t.Parallel()
	segments := []transcript.Segment{{Text: "Hello.", Speaker: "A", Duration: 1}}
	for i := range 12 {
		segments = append(segments, transcript.Segment{Text: "no", Speaker: "B", Start: float64(i + 1), Duration: 1})
	}
	r := recognition.Chunk{Last: 60 * speech.SampleRate}.Place(engine.Recognition{Segments: append(segments, saying("C", 20, 21))})
	assert.Equal(t, "A B C", speakersOf(r.Segments))
	assert.Len(t, r.Gaps, 1)
}

func TestEarlySegments(t *testing.T) {
	t.Parallel()
	heard := recognition.Result{Segments: []transcript.Segment{{Text: "Hello.", Speaker: "A"}, {Text: "Hi."}}}
	assert.Equal(t, []transcript.Segment{{Text: "Hello.", Speaker: "A (part 3)"}, {Text: "Hi."}}, heard.Early(3))
	assert.Equal(t, "A", heard.Segments[0].Speaker, "the result stays as it is")
	heard.Named = true
	assert.Equal(t, heard.Segments, heard.Early(3))
}
