package recognition_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func turn(speaker int, start, end float64) engine.Turn {
	return engine.Turn{Span: engine.Span{Start: start, End: end}, Speaker: speaker}
}

// line is a segment whose words are as long as each other.
func line(start, end float64, text string, words ...string) transcript.Segment {
	s := transcript.Segment{Text: text, Start: start, Duration: end - start}
	each := (end - start) / float64(max(len(words), 1))
	for i, w := range words {
		from := start + float64(i)*each
		s.Words = append(s.Words, transcript.Word{Text: w, Start: from, End: from + each})
	}
	return s
}

type said struct {
	speaker, text string
	start, end    float64
}

func TestNameSpeakers(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		turns []engine.Turn
		in    []transcript.Segment
		want  []said
	}{
		"no turns": {nil, []transcript.Segment{line(0, 1, "a", "a")}, []said{{"", "a", 0, 1}}},
		"without words, the turn that covers most": {
			[]engine.Turn{turn(1, 0, 2), turn(2, 2, 9)}, []transcript.Segment{line(1, 4, "a b")}, []said{{"Speaker 2", "a b", 1, 4}},
		},
		"cut between the words": {
			[]engine.Turn{turn(1, 0, 2), turn(2, 2, 4)}, []transcript.Segment{line(0, 4, "Is it? It is.", "Is", "it?", "It", "is.")},
			[]said{{"Speaker 1", "Is it?", 0, 2}, {"Speaker 2", "It is.", 2, 4}},
		},
		"near a turn": {
			[]engine.Turn{turn(1, 0, 1), turn(2, 5, 6)}, []transcript.Segment{line(1.2, 1.4, "a", "a"), line(4.6, 4.8, "b", "b")},
			[]said{{"Speaker 1", "a", 1.2, 1.4}, {"Speaker 2", "b", 4.6, 4.8}},
		},
		"far from every turn, with the word before": {
			[]engine.Turn{turn(1, 0, 1)}, []transcript.Segment{line(0, 4, "a b c d", "a", "b", "c", "d")}, []said{{"Speaker 1", "a b c d", 0, 4}},
		},
		"far from every turn, alone": {[]engine.Turn{turn(1, 0, 1)}, []transcript.Segment{line(8, 9, "a", "a")}, []said{{"", "a", 8, 9}}},
		"before the first turn": {
			[]engine.Turn{turn(2, 3, 4)}, []transcript.Segment{line(0, 4, "a b c d", "a", "b", "c", "d")}, []said{{"Speaker 2", "a b c d", 0, 4}},
		},
		"two at once: the longer share": {
			[]engine.Turn{turn(1, 0, 1.5), turn(2, 1, 4)}, []transcript.Segment{line(1, 2, "a", "a")}, []said{{"Speaker 2", "a", 1, 2}},
		},
		"a long turn over short ones": {
			[]engine.Turn{turn(1, 0, 100), turn(2, 10, 11), turn(2, 20, 21)}, []transcript.Segment{line(90, 91, "a", "a")}, []said{{"Speaker 1", "a", 90, 91}},
		},
		"a recognizer that names somebody is right": {
			[]engine.Turn{turn(1, 0, 4)}, []transcript.Segment{{Text: "a", Duration: 1, Speaker: "A"}, line(2, 3, "b", "b")},
			[]said{{"A", "a", 0, 1}, {"", "b", 2, 3}},
		},
		"words that are not those of the text": {
			[]engine.Turn{turn(1, 0, 3), turn(2, 3, 4)}, []transcript.Segment{line(0, 4, "ein Satz", "a", "b", "c", "d")}, []said{{"Speaker 1", "ein Satz", 0, 4}},
		},
		"words with spaces and a text without": {
			[]engine.Turn{turn(1, 0, 1), turn(2, 1, 2)}, []transcript.Segment{line(0, 2, "東京駅です", "東京駅", " です")},
			[]said{{"Speaker 1", "東京駅", 0, 1}, {"Speaker 2", "です", 1, 2}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []said
			words := 0
			for _, s := range recognition.NameSpeakers(tt.in, tt.turns) {
				got = append(got, said{s.Speaker, s.Text, s.Start, s.End()})
				words += len(s.Words)
			}
			assert.Equal(t, tt.want, got)
			for _, s := range tt.in {
				words -= len(s.Words)
			}
			assert.Zero(t, words, "each word stays, once")
		})
	}
}

func TestSoundTellsOfSpeechWithoutWords(t *testing.T) {
	t.Parallel()
	sound := recognition.Sound{SilentSec: 2, Speech: []engine.Span{{Start: 1, End: 5}, {Start: 10, End: 20}, {Start: 30, End: 32}}}
	text := recognition.Transcription{
		Segments: []transcript.Segment{line(1, 4.5, "a", "a"), line(10, 12, "b", "b"), line(11, 13, "c", "c"), line(40, 41, "d", "d")},
		Gaps:     []recognition.Gap{{Start: 18, Duration: 1, Reason: recognition.ReasonRepetition}},
	}
	told := sound.Tell(&text)
	assert.Equal(t, &transcript.Heard{HeardSec: 6.5, SpeechSec: 16, SilentSec: 2}, told.Heard)
	assert.Equal(t, []recognition.Gap{
		{Start: 13, Duration: 5, Reason: recognition.ReasonNoWords}, {Start: 18, Duration: 1, Reason: recognition.ReasonRepetition},
	}, text.Gaps, "short ones are none, and what has a reason keeps it")
}

func TestSoundWithoutVoiceDetector(t *testing.T) {
	t.Parallel()
	text := recognition.Transcription{Segments: []transcript.Segment{line(1, 2, "a", "a")}}
	assert.Nil(t, (&recognition.Sound{SilentSec: 1}).Tell(&text).Heard, "it is not guessed")
	assert.Empty(t, text.Gaps)
}

func TestHearHushesChunksWithoutVoice(t *testing.T) {
	t.Parallel()
	l := recognition.Lengths{Longest: 10 * time.Second}
	plan := planOf(t, l, piece{8 * time.Second, talk}, piece{8 * time.Second, hush}, piece{8 * time.Second, talk})
	require.Len(t, plan.Speech(), 2)
	var sound recognition.Sound
	sound.Hear(plan, 0, nil)
	require.Len(t, plan.Speech(), 2, "nothing detects voices")
	sound.Hear(plan, 0, []engine.Span{{Start: 17, End: 20}})
	require.Len(t, plan.Speech(), 1)
	assert.InDelta(t, 16, plan.Speech()[0].Start().Seconds(), 0.5)
	text, err := recognition.Stitch(plan, []recognition.Result{{Chunk: 0}, {Chunk: 2}}) // the first was recognized before
	require.NoError(t, err)
	assert.Len(t, text.Gaps, 1)
	var silent recognition.Sound
	silent.Hear(plan, 0, []engine.Span{})
	assert.Empty(t, plan.Speech())
	assert.NotNil(t, silent.Tell(&text).Heard, "nobody speaks, and that is known")
}

func TestJoinChannels(t *testing.T) {
	t.Parallel()
	l := recognition.Lengths{Longest: 10 * time.Second}
	first := planOf(t, l, piece{8 * time.Second, talk}, piece{11 * time.Second, hush})
	second := planOf(t, l, piece{10 * time.Second, hush}, piece{9 * time.Second, talk})
	plan := recognition.JoinChannels([]recognition.Plan{first, second})
	assert.Equal(t, 19*time.Second, plan.Duration())
	assert.Equal(t, 2, plan.Channels())
	require.Len(t, plan.Speech(), 2)
	assert.Len(t, plan.Gaps(), 1, "between the two speakers, both are silent")

	a := plan.Speech()[0].Place(engine.Recognition{Segments: []transcript.Segment{{Text: "early", Start: 1, Duration: 1, Speaker: "X"}, {Text: "late", Start: 7, Duration: 1}}})
	b := plan.Speech()[1].Place(engine.Recognition{Segments: []transcript.Segment{{Text: "answer", Start: 0, Duration: 1}}})
	text, err := recognition.Stitch(plan, []recognition.Result{b, a})
	require.NoError(t, err)
	var order []string
	for _, s := range text.Segments {
		order = append(order, s.Speaker+": "+s.Text)
	}
	assert.Equal(t, []string{"Channel 1: early", "Channel 1: late", "Channel 2: answer"}, order)
	_, err = recognition.Stitch(plan, []recognition.Result{a})
	assert.Error(t, err, "a channel is missing")
}

func TestSilentSeconds(t *testing.T) {
	t.Parallel()
	silent, err := recognition.SilentSeconds(t.Context(), recording(t, pcm(piece{2 * time.Second, talk}, piece{3 * time.Second, hush}, piece{time.Second, noise})))
	require.NoError(t, err)
	assert.InDelta(t, 3, silent, 0.05)
}
