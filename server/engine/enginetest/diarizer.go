package enginetest

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/speech"
)

// Dialogue is a recording with the turns of its speakers.
type Dialogue struct {
	// Path is a WAV of 16 kHz, mono, 16 bit.
	Path string
	// Turns are the turns of all speakers, in any order.
	Turns []engine.Turn
	// MaxErrorRate is the largest accepted [DiarizationErrorRate] of a diarizer that gets the
	// number of speakers, and the largest accepted rate of errors of a voice detector: the time
	// that is wrongly speech or wrongly none, divided by the time of speech.
	MaxErrorRate float64
}

// audio returns the recording.
func (d Dialogue) audio(t T) engine.Audio {
	rec, err := speech.Open(d.Path)
	require.NoError(t, err)
	require.NoError(t, rec.Close())
	return engine.Audio{Path: d.Path, Duration: rec.Duration()}
}

// speakers returns how many people speak.
func (d Dialogue) speakers() int {
	numbers := map[int]bool{}
	for _, turn := range d.Turns {
		numbers[turn.Speaker] = true
	}
	return len(numbers)
}

// DiarizerCheck is a test for diarizers. Run tests d with at least one dialogue.
type DiarizerCheck struct {
	Name string
	Run  func(t T, d engine.Diarizer, dialogues []Dialogue)
}

// Diarizer runs every check of [DiarizerChecks] as a subtest. It needs at least one dialogue of at
// least two speakers.
func Diarizer(t *testing.T, d engine.Diarizer, dialogues ...Dialogue) {
	t.Helper()
	if len(dialogues) == 0 || dialogues[0].speakers() < 2 {
		t.Fatal("enginetest: a diarizer cannot be tested without a dialogue of two speakers")
	}
	for _, c := range DiarizerChecks() {
		t.Run(c.Name, func(t *testing.T) { c.Run(t, d, dialogues) })
	}
}

// DiarizerChecks returns the tests that [Diarizer] runs.
func DiarizerChecks() []DiarizerCheck {
	return []DiarizerCheck{
		{"describes itself", diarizerDescribes},
		{"is fit", func(t T, d engine.Diarizer, _ []Dialogue) { checksTwice(t, d) }},
		{"keeps the form of turns", keepsForm},
		{"tells the speakers", tellsVoices},
		{"keeps the number of speakers", keepsNumber},
		{"gives the same turns again", repeatsTurns},
		{"hears nobody in silence", hearsNobody},
		{"serves many at once", diarizesMany},
		{"stops when told", diarizerStops},
		{"fails with a code", diarizerFails},
	}
}

func diarizerDescribes(t T, d engine.Diarizer, _ []Dialogue) {
	info := d.Info()
	assert.NotEmpty(t, info.Name, "Info().Name")
	assert.Equal(t, info, d.Info(), "Info never changes")
}

func keepsForm(t T, d engine.Diarizer, dialogues []Dialogue) {
	for _, dialogue := range dialogues {
		audio := dialogue.audio(t)
		turns, err := d.Diarize(t.Context(), audio, engine.DiarizeOptions{})
		require.NoError(t, err, dialogue.Path)
		judgeTurns(t, turns, audio.Duration)
	}
}

// judgeTurns requires that turns are inside the recording and sorted. The turns of one speaker must not
// overlap. The speakers must have the numbers from 1, in the order of their first turns.
func judgeTurns(t T, turns []engine.Turn, length time.Duration) {
	ends := map[int]float64{}
	last := 0.0
	for i, turn := range turns {
		spanIsInside(t, turn.Span, length)
		assert.GreaterOrEqual(t, turn.Start, last, "turn %d begins before the turn in front of it", i)
		last = turn.Start
		end, known := ends[turn.Speaker]
		assert.True(t, known || turn.Speaker == len(ends)+1,
			"turn %d has the speaker %d, and %d speakers spoke before", i, turn.Speaker, len(ends))
		assert.LessOrEqual(t, end, turn.Start, "turn %d overlaps another turn of the speaker %d", i, turn.Speaker)
		ends[turn.Speaker] = max(end, turn.End)
	}
}

// spanIsInside requires that a span is in the recording, and not empty.
func spanIsInside(t T, s engine.Span, length time.Duration) {
	assert.GreaterOrEqual(t, s.Start, 0.0, "a stretch begins before the recording")
	assert.Less(t, s.Start, s.End, "a stretch is empty")
	assert.LessOrEqual(t, s.End, length.Seconds(), "a stretch ends after the recording")
}

func tellsVoices(t T, d engine.Diarizer, dialogues []Dialogue) {
	for _, dialogue := range dialogues {
		turns, err := d.Diarize(t.Context(), dialogue.audio(t), engine.DiarizeOptions{Speakers: dialogue.speakers()})
		require.NoError(t, err, dialogue.Path)
		assert.LessOrEqual(t, DiarizationErrorRate(dialogue.Turns, turns), dialogue.MaxErrorRate, "the error rate of %s", dialogue.Path)
	}
}

func keepsNumber(t T, d engine.Diarizer, dialogues []Dialogue) {
	audio := dialogues[0].audio(t)
	for _, most := range []int{1, 2, engine.MaxSpeakers} {
		turns, err := d.Diarize(t.Context(), audio, engine.DiarizeOptions{Speakers: most})
		require.NoError(t, err, "%d speakers", most)
		assert.NotEmpty(t, turns, "the turns of %d speakers", most)
		assert.LessOrEqual(t, Dialogue{Turns: turns}.speakers(), most, "speakers, of %d", most)
		judgeTurns(t, turns, audio.Duration)
	}
}

func repeatsTurns(t T, d engine.Diarizer, dialogues []Dialogue) {
	audio := dialogues[0].audio(t)
	for _, o := range []engine.DiarizeOptions{{}, {Speakers: 2}} {
		first, err := d.Diarize(t.Context(), audio, o)
		require.NoError(t, err)
		second, err := d.Diarize(t.Context(), audio, o)
		require.NoError(t, err)
		assert.Equal(t, first, second, "the turns of the same recording, with %+v", o)
	}
}

func hearsNobody(t T, d engine.Diarizer, _ []Dialogue) {
	for _, length := range []time.Duration{0, 10 * time.Millisecond, 3 * time.Second} {
		for _, o := range []engine.DiarizeOptions{{}, {Speakers: 2}} {
			turns, err := d.Diarize(t.Context(), silence(t, length), o)
			require.NoError(t, err, "%v of silence", length)
			assert.Empty(t, turns, "%v of silence", length)
		}
	}
}

func diarizesMany(t T, d engine.Diarizer, dialogues []Dialogue) {
	const calls = 3
	audio := dialogues[0].audio(t)
	var turns [calls][]engine.Turn
	var errs [calls]error
	var wg sync.WaitGroup
	for i := range calls {
		wg.Go(func() { turns[i], errs[i] = d.Diarize(t.Context(), audio, engine.DiarizeOptions{}) })
	}
	wg.Wait()
	for i := range calls {
		require.NoError(t, errs[i])
		assert.Equal(t, turns[0], turns[i], "the turns of calls at once")
	}
}

func diarizerStops(t T, d engine.Diarizer, dialogues []Dialogue) {
	audio := dialogues[0].audio(t)
	stopsWhenTold(t, "Diarize", func(ctx context.Context) error {
		_, err := d.Diarize(ctx, audio, engine.DiarizeOptions{})
		return err
	})
}

func diarizerFails(t T, d engine.Diarizer, _ []Dialogue) {
	failsOnFiles(t, func(audio engine.Audio) error {
		_, err := d.Diarize(t.Context(), audio, engine.DiarizeOptions{})
		return err
	})
}

// bySpeaker returns the frames in which each speaker speaks, of the given length in seconds.
func bySpeaker(turns []engine.Turn, frames int, length float64) [][]bool {
	number := map[int]int{}
	var all [][]bool
	for _, turn := range slices.Clone(turns) {
		n, known := number[turn.Speaker]
		if !known {
			n = len(all)
			number[turn.Speaker] = n
			all = append(all, make([]bool, frames))
		}
		for i := max(frameAt(turn.Start, length), 0); i < min(frameAt(turn.End, length), frames); i++ {
			all[n][i] = true
		}
	}
	return all
}
