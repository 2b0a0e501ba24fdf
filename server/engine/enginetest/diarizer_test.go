package enginetest_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/speechtest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The voices of these tests are loud or soft, and say 0 in each seventh sample. A tenth of a second
// has one voice or none.
const (
	loud, soft = 10000, 4000
	frame      = speech.SampleRate / 10
)

// conversation writes a dialogue of two voices, with a pause.
func conversation(t *testing.T) enginetest.Dialogue {
	t.Helper()
	d := enginetest.Dialogue{Path: filepath.Join(t.TempDir(), "conversation.wav"), MaxErrorRate: 0.01}
	var pcm []byte
	for i, said := range []int16{loud, soft, 0, loud, soft} {
		start := float64(i)
		if said != 0 {
			d.Turns = append(d.Turns, engine.Turn{Span: engine.Span{Start: start, End: start + 1}, Speaker: int(said)})
		}
		for range speech.SampleRate {
			sample := said
			if len(pcm)/2%7 == 3 {
				sample = 0
			}
			pcm = binary.LittleEndian.AppendUint16(pcm, uint16(sample))
		}
	}
	require.NoError(t, speechtest.WriteFile(d.Path, pcm))
	return d
}

// loudness returns the loudness of the voice in each tenth of a second of a recording; 0: no voice.
func loudness(ctx context.Context, path string) ([]int16, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	rec, err := speech.Open(path)
	if err != nil {
		return nil, transcript.Errorf(transcript.Internal, "unreadable").Because(err)
	}
	defer rec.Close()
	pcm, err := io.ReadAll(rec.PCM(0, rec.Samples()))
	if err != nil {
		return nil, err
	}
	var found []int16
	for start := 0; start+frame <= len(pcm)/2; start += frame {
		most, sounds, voice := int16(0), 0, true
		for i := start; i < start+frame; i++ {
			sample := int16(binary.LittleEndian.Uint16(pcm[2*i:]))
			if i%7 == 3 {
				voice = voice && sample == 0
			} else if sample > 0 {
				sounds++
			}
			most = max(most, sample)
		}
		if !voice || sounds < frame/2 {
			most = 0
		}
		found = append(found, most)
	}
	return found, nil
}

// soundDiarizer keeps every promise. It is also a detector of voices.
type soundDiarizer struct{}

func (soundDiarizer) Info() engine.DiarizerInfo { return engine.DiarizerInfo{Name: "sound"} }

func (soundDiarizer) Diarize(ctx context.Context, audio engine.Audio, o engine.DiarizeOptions) ([]engine.Turn, error) {
	found, err := loudness(ctx, audio.Path)
	var turns []engine.Turn
	numbers := map[int16]int{}
	for i, most := range found {
		if most == 0 {
			continue
		}
		if o.Speakers == 1 {
			most = 1
		}
		if numbers[most] == 0 {
			numbers[most] = len(numbers) + 1
		}
		start, end := float64(i)/10, float64(i+1)/10
		if n := len(turns); n > 0 && turns[n-1].Speaker == numbers[most] && turns[n-1].End == start {
			turns[n-1].End = end
			continue
		}
		turns = append(turns, engine.Turn{Span: engine.Span{Start: start, End: end}, Speaker: numbers[most]})
	}
	return turns, err
}

func (s soundDiarizer) Speech(ctx context.Context, audio engine.Audio) ([]engine.Span, error) {
	turns, err := s.Diarize(ctx, audio, engine.DiarizeOptions{Speakers: 1})
	var spans []engine.Span
	for _, turn := range turns {
		spans = append(spans, turn.Span)
	}
	return spans, err
}

// changed is a sound diarizer, or detector, but for what the functions change. Each may be nil.
type changed struct {
	soundDiarizer
	info    func() engine.DiarizerInfo
	check   func() error
	context func(context.Context) context.Context
	turns   func(o engine.DiarizeOptions, audio engine.Audio, turns []engine.Turn) []engine.Turn
	spans   func(audio engine.Audio, spans []engine.Span) []engine.Span
	failure func(error) error
}

func (c changed) Info() engine.DiarizerInfo {
	if c.info != nil {
		return c.info()
	}
	return c.soundDiarizer.Info()
}

func (c changed) Check(context.Context) error {
	if c.check != nil {
		return c.check()
	}
	return nil
}

func (c changed) of(ctx context.Context) context.Context {
	if c.context != nil {
		return c.context(ctx)
	}
	return ctx
}

func (c changed) wrong(ctx context.Context, err error) error {
	if err != nil && c.failure != nil && ctx.Err() == nil {
		return c.failure(err)
	}
	return err
}

func (c changed) Diarize(ctx context.Context, audio engine.Audio, o engine.DiarizeOptions) ([]engine.Turn, error) {
	turns, err := c.soundDiarizer.Diarize(c.of(ctx), audio, o)
	if c.turns != nil && err == nil {
		turns = c.turns(o, audio, turns)
	}
	return turns, c.wrong(ctx, err)
}

func (c changed) Speech(ctx context.Context, audio engine.Audio) ([]engine.Span, error) {
	spans, err := c.soundDiarizer.Speech(c.of(ctx), audio)
	if c.spans != nil && err == nil {
		spans = c.spans(audio, spans)
	}
	return spans, c.wrong(ctx, err)
}

// each changes turns that are there.
func each(change func(turns []engine.Turn) []engine.Turn) changed {
	return changed{turns: func(_ engine.DiarizeOptions, _ engine.Audio, turns []engine.Turn) []engine.Turn {
		if len(turns) < 2 {
			return turns
		}
		return change(turns)
	}}
}

// eachSpan changes stretches that are there.
func eachSpan(change func(spans []engine.Span) []engine.Span) changed {
	return changed{spans: func(_ engine.Audio, spans []engine.Span) []engine.Span {
		if len(spans) == 0 {
			return spans
		}
		return change(spans)
	}}
}

func TestDiarizerSuite(t *testing.T) {
	t.Parallel()
	d := conversation(t)
	var calls atomic.Int64
	const form, tells, number, again, silent, many = "keeps the form of turns", "tells the speakers", "keeps the number of speakers", "gives the same turns again", "hears nobody in silence", "serves many at once"
	for name, tt := range map[string]struct {
		diarizer engine.Diarizer
		fails    []string
	}{
		"sound":          {soundDiarizer{}, nil},
		"sound, checked": {changed{}, nil},
		"no name":        {changed{info: func() engine.DiarizerInfo { return engine.DiarizerInfo{} }}, []string{"describes itself"}},
		"another name each time": {changed{info: func() engine.DiarizerInfo {
			return engine.DiarizerInfo{Name: string(rune('a' + calls.Add(1)%2))}
		}}, []string{"describes itself"}},
		"not fit": {changed{check: func() error { return errors.New("no") }}, []string{"is fit"}},
		"ends after the recording": {each(func(turns []engine.Turn) []engine.Turn {
			turns[len(turns)-1].End += 0.02
			return turns
		}), []string{form, number}},
		"begins before the recording": {each(func(turns []engine.Turn) []engine.Turn {
			turns[0].Start -= 0.01
			return turns
		}), []string{form, number}},
		"an empty turn": {each(func(turns []engine.Turn) []engine.Turn {
			last := turns[len(turns)-1]
			last.Start = last.End
			return append(turns, last)
		}), []string{form, number}},
		"not sorted": {each(func(turns []engine.Turn) []engine.Turn {
			turns[len(turns)-1], turns[len(turns)-2] = turns[len(turns)-2], turns[len(turns)-1]
			return turns
		}), []string{form, number}},
		"one speaker overlaps": {each(func(turns []engine.Turn) []engine.Turn {
			again := turns[0]
			again.Start += 0.5
			return slices.Insert(turns, 1, again)
		}), []string{form, number}},
		"numbers from 0": {each(func(turns []engine.Turn) []engine.Turn {
			for i := range turns {
				turns[i].Speaker--
			}
			return turns
		}), []string{form, number}},
		"numbers not in order": {each(func(turns []engine.Turn) []engine.Turn {
			for i := range turns {
				turns[i].Speaker = 3 - turns[i].Speaker
			}
			return turns
		}), []string{form, number}},
		"one speaker is two": {each(func(turns []engine.Turn) []engine.Turn {
			for i := range turns {
				turns[i].Speaker = 1
			}
			return turns
		}), []string{tells}},
		"misses a turn": {each(func(turns []engine.Turn) []engine.Turn { return turns[:len(turns)-1] }), []string{tells}},
		"more speakers than asked for": {changed{turns: func(o engine.DiarizeOptions, a engine.Audio, turns []engine.Turn) []engine.Turn {
			if o.Speakers == 1 {
				turns, _ = soundDiarizer{}.Diarize(context.Background(), a, engine.DiarizeOptions{}) // the file is there
			}
			return turns
		}}, []string{number}},
		"other turns each time": {each(func(turns []engine.Turn) []engine.Turn {
			turns[0].End -= float64(calls.Add(1)%1000) / 1e6
			return turns
		}), []string{again, many}},
		"speech in silence": {changed{turns: func(_ engine.DiarizeOptions, a engine.Audio, turns []engine.Turn) []engine.Turn {
			if len(turns) == 0 && a.Duration > 0 {
				return []engine.Turn{{Span: engine.Span{End: a.Duration.Seconds()}, Speaker: 1}}
			}
			return turns
		}}, []string{silent}},
		"goes on":                 {changed{context: context.WithoutCancel}, []string{"stops when told"}},
		"an error without a code": {changed{failure: func(error) error { return errors.New("no") }}, []string{"fails with a code"}},
		"no error":                {changed{failure: func(error) error { return nil }}, []string{"fails with a code"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var failed []string
			for _, c := range enginetest.DiarizerChecks() {
				if fails(t, func(w enginetest.T) { c.Run(w, tt.diarizer, []enginetest.Dialogue{d}) }) {
					failed = append(failed, c.Name)
				}
			}
			assert.Equal(t, tt.fails, failed)
		})
	}
}

func TestVoiceDetectorSuite(t *testing.T) {
	t.Parallel()
	d := conversation(t)
	const finds, quiet, many = "finds the speech", "finds quiet speech", "serves many at once"
	var calls atomic.Int64
	for name, tt := range map[string]struct {
		detector engine.VoiceDetector
		fails    []string
	}{
		"sound":            {soundDiarizer{}, nil},
		"not fit":          {changed{check: func() error { return errors.New("no") }}, []string{"is fit"}},
		"misses a stretch": {eachSpan(func(spans []engine.Span) []engine.Span { return spans[1:] }), []string{finds, quiet}},
		"all is speech": {changed{spans: func(a engine.Audio, _ []engine.Span) []engine.Span {
			return []engine.Span{{End: a.Duration.Seconds()}}
		}}, []string{finds, quiet, "finds nothing in silence", "finds nothing in tones and noise"}},
		"speech in tones": {changed{spans: func(a engine.Audio, spans []engine.Span) []engine.Span {
			if len(spans) == 0 && a.Duration.Seconds() > 5 {
				return []engine.Span{{End: 1}}
			}
			return spans
		}}, []string{"finds nothing in tones and noise"}},
		"deaf for quiet speech": {changed{spans: func(a engine.Audio, spans []engine.Span) []engine.Span {
			if filepath.Base(a.Path) == "sounding.wav" {
				return nil
			}
			return spans
		}}, []string{quiet}},
		"not sorted": {eachSpan(func(spans []engine.Span) []engine.Span {
			slices.Reverse(spans)
			return spans
		}), []string{finds}},
		"overlaps": {eachSpan(func(spans []engine.Span) []engine.Span {
			return append(spans[:1:1], spans...)
		}), []string{finds}},
		"ends after the recording": {eachSpan(func(spans []engine.Span) []engine.Span {
			spans[len(spans)-1].End += 0.02
			return spans
		}), []string{finds}},
		"other speech each time": {eachSpan(func(spans []engine.Span) []engine.Span {
			spans[0].End -= float64(calls.Add(1)%1000) / 1e6
			return spans
		}), []string{finds, many}},
		"goes on":                 {changed{context: context.WithoutCancel}, []string{"stops when told"}},
		"an error without a code": {changed{failure: func(error) error { return errors.New("no") }}, []string{"fails with a code"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var failed []string
			for _, c := range enginetest.VoiceDetectorChecks() {
				if fails(t, func(w enginetest.T) { c.Run(w, tt.detector, []enginetest.Dialogue{d}) }) {
					failed = append(failed, c.Name)
				}
			}
			assert.Equal(t, tt.fails, failed)
		})
	}
}

func TestDiarizationErrorRate(t *testing.T) {
	t.Parallel()
	turn := func(start, end float64, speaker int) engine.Turn {
		return engine.Turn{Span: engine.Span{Start: start, End: end}, Speaker: speaker}
	}
	want := []engine.Turn{turn(0, 4, 1), turn(4, 8, 2), turn(7, 10, 3)} // two speak from 7 to 8
	for name, tt := range map[string]struct {
		got  []engine.Turn
		rate float64
	}{
		"equal":             {want, 0},
		"other names":       {[]engine.Turn{turn(0, 4, 9), turn(4, 8, 1), turn(7, 10, 2)}, 0},
		"nothing":           {nil, 1},
		"one speaker":       {[]engine.Turn{turn(0, 10, 1)}, 7.0 / 11},
		"no overlap":        {[]engine.Turn{turn(0, 4, 1), turn(4, 7, 2), turn(7, 10, 3)}, 1.0 / 11},
		"one is two":        {[]engine.Turn{turn(0, 3, 1), turn(3, 4, 4), turn(4, 8, 2), turn(7, 10, 3)}, 1.0 / 11},
		"too much":          {append(slices.Clone(want), turn(10, 21, 1)), 1},
		"exceeds the whole": {[]engine.Turn{turn(10, 21, 1)}, 2},
	} {
		assert.InDelta(t, tt.rate, enginetest.DiarizationErrorRate(want, tt.got), 1e-9, name)
	}
	assert.Zero(t, enginetest.DiarizationErrorRate(nil, nil))
	assert.Equal(t, 1.0, enginetest.DiarizationErrorRate(nil, want))
}
