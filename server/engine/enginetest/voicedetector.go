package enginetest

import (
	"context"
	"encoding/binary"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/speechtest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/speech"
)

// VoiceDetectorCheck is a test for voice detectors. Run tests v with at least one dialogue.
type VoiceDetectorCheck struct {
	Name string
	Run  func(t T, v engine.VoiceDetector, dialogues []Dialogue)
}

// VoiceDetector runs every check of [VoiceDetectorChecks] as a subtest. It needs at least one
// dialogue, which can have a single speaker.
func VoiceDetector(t *testing.T, v engine.VoiceDetector, dialogues ...Dialogue) {
	t.Helper()
	if len(dialogues) == 0 || dialogues[0].speakers() == 0 {
		t.Fatal("enginetest: a voice detector cannot be tested without speech")
	}
	for _, c := range VoiceDetectorChecks() {
		t.Run(c.Name, func(t *testing.T) { c.Run(t, v, dialogues) })
	}
}

// VoiceDetectorChecks returns the tests that [VoiceDetector] runs.
func VoiceDetectorChecks() []VoiceDetectorCheck {
	return []VoiceDetectorCheck{
		{"is fit", func(t T, v engine.VoiceDetector, _ []Dialogue) { checksTwice(t, v) }},
		{"finds the speech", findsSpeech},
		{"finds quiet speech", findsQuietSpeech},
		{"finds nothing in silence", findsNoSilence},
		{"finds nothing in tones and noise", findsNoTones},
		{"serves many at once", findsForMany},
		{"stops when told", detectorStops},
		{"fails with a code", detectorFails},
	}
}

// judgeSpans requires that spans are inside the recording, sorted, and do not overlap.
func judgeSpans(t T, spans []engine.Span, length time.Duration) {
	last := 0.0
	for i, s := range spans {
		spanIsInside(t, s, length)
		assert.GreaterOrEqual(t, s.Start, last, "stretch %d begins before the end of the stretch in front of it", i)
		last = s.End
	}
}

// speechErrorRate is the time that is wrongly speech or wrongly none, divided by the time of speech.
func speechErrorRate(want []engine.Turn, got []engine.Span) float64 {
	one := make([]engine.Turn, len(want))
	for i, turn := range want {
		one[i] = engine.Turn{Span: turn.Span, Speaker: 1}
	}
	found := make([]engine.Turn, len(got))
	for i, s := range got {
		found[i] = engine.Turn{Span: s, Speaker: 1}
	}
	return DiarizationErrorRate(one, found)
}

func findsSpeech(t T, v engine.VoiceDetector, dialogues []Dialogue) {
	for _, d := range dialogues {
		audio := d.audio(t)
		spans, err := v.Speech(t.Context(), audio)
		require.NoError(t, err, d.Path)
		judgeSpans(t, spans, audio.Duration)
		assert.LessOrEqual(t, speechErrorRate(d.Turns, spans), d.MaxErrorRate, "the error rate of %s", d.Path)
		again, err := v.Speech(t.Context(), audio)
		require.NoError(t, err, d.Path)
		assert.Equal(t, spans, again, "the speech of the same recording")
	}
}

// quiet is how much softer than the dialogue its copy is.
const quiet = -30 // dB

func findsQuietSpeech(t T, v engine.VoiceDetector, dialogues []Dialogue) {
	d := dialogues[0]
	rec, err := speech.Open(d.Path)
	require.NoError(t, err)
	defer func() { _ = rec.Close() }() // it was only read
	pcm := make([]byte, 2*rec.Samples())
	_, err = io.ReadFull(rec.PCM(0, rec.Samples()), pcm)
	require.NoError(t, err)
	factor := math.Pow(10, quiet/20.0)
	audio := sounding(t, rec.Duration(), func(i int) float64 {
		return factor * float64(int16(binary.LittleEndian.Uint16(pcm[2*i:]))) / math.MaxInt16
	})
	spans, err := v.Speech(t.Context(), audio)
	require.NoError(t, err)
	assert.LessOrEqual(t, speechErrorRate(d.Turns, spans), d.MaxErrorRate, "the error rate at %d dB", quiet)
}

func findsNoSilence(t T, v engine.VoiceDetector, _ []Dialogue) {
	for _, length := range []time.Duration{0, 10 * time.Millisecond, 3 * time.Second} {
		spans, err := v.Speech(t.Context(), silence(t, length))
		require.NoError(t, err, "%v of silence", length)
		assert.Empty(t, spans, "%v of silence", length)
	}
}

func findsNoTones(t T, v engine.VoiceDetector, _ []Dialogue) {
	wave := func(hertz float64, i int) float64 {
		return math.Sin(2 * math.Pi * hertz * float64(i) / speech.SampleRate)
	}
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the noise is the same in each run
	for name, sample := range map[string]func(i int) float64{
		"a tone of 440 Hz":           func(i int) float64 { return wave(440, i) / 2 },
		"a soft tone of 1 kHz":       func(i int) float64 { return wave(1000, i) / 100 },
		"the tone of a busy line":    func(i int) float64 { return wave(425, i) / 4 * float64(i/(speech.SampleRate/2)%2) },
		"a chord":                    func(i int) float64 { return (wave(220, i) + wave(277, i) + wave(330, i)) / 8 },
		"loud white noise":           func(int) float64 { return max(min(random.NormFloat64()/4, 1), -1) },
		"white noise of a recorder":  func(int) float64 { return random.NormFloat64() / 300 },
		"the click of a needle":      func(i int) float64 { return float64(1-min(i%(speech.SampleRate*2), 1)) / 2 },
		"the least sound, a bit":     func(i int) float64 { return float64(i%2) / math.MaxInt16 },
		"a constant voltage":         func(int) float64 { return 0.3 },
		"a tone at the highest rate": func(i int) float64 { return float64(i%2)/2 - 0.25 },
	} {
		spans, err := v.Speech(t.Context(), sounding(t, 10*time.Second, sample))
		require.NoError(t, err, name)
		assert.Empty(t, spans, name)
	}
}

func findsForMany(t T, v engine.VoiceDetector, dialogues []Dialogue) {
	const calls = 3
	audio := dialogues[0].audio(t)
	var spans [calls][]engine.Span
	var errs [calls]error
	var wg sync.WaitGroup
	for i := range calls {
		wg.Go(func() { spans[i], errs[i] = v.Speech(t.Context(), audio) })
	}
	wg.Wait()
	for i := range calls {
		require.NoError(t, errs[i])
		assert.Equal(t, spans[0], spans[i], "the speech of calls at once")
	}
}

func detectorStops(t T, v engine.VoiceDetector, dialogues []Dialogue) {
	audio := dialogues[0].audio(t)
	stopsWhenTold(t, "Speech", func(ctx context.Context) error {
		_, err := v.Speech(ctx, audio)
		return err
	})
}

func detectorFails(t T, v engine.VoiceDetector, _ []Dialogue) {
	failsOnFiles(t, func(audio engine.Audio) error {
		_, err := v.Speech(t.Context(), audio)
		return err
	})
}

// sounding writes a recording of samples from -1 to 1.
func sounding(t T, length time.Duration, sample func(i int) float64) engine.Audio {
	pcm := make([]byte, 2*int(length.Seconds()*speech.SampleRate))
	for i := range len(pcm) / 2 {
		binary.LittleEndian.PutUint16(pcm[2*i:], uint16(int16(math.Round(sample(i)*math.MaxInt16)))) //nolint:gosec // the bits of a sample
	}
	path := filepath.Join(t.TempDir(), "sounding.wav")
	require.NoError(t, speechtest.WriteFile(path, pcm))
	return engine.Audio{Path: path, Duration: length}
}
