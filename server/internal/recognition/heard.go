package recognition

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// leastWordless is the shortest speech without words that is a gap, in seconds. Shorter ones are
// breaths, laughter and words that the recognizer ends too early.
const leastWordless = 3

// Sound is what is known of a recording before it is recognized. A service stores it as JSON until
// the text is complete.
type Sound struct {
	transcript.Sound // without Heard, which the words decide
	// SilentSec is how many seconds have no sound.
	SilentSec float64 `json:"silentSec"`
	// Speech has the stretches with speech. nil means that there is no voice detector.
	Speech []engine.Span `json:"speech"`
	// Untold reports that the diarizer has not heard the recording yet.
	Untold bool `json:"untold,omitempty"`
	// Turns are the turns of the speakers. nil means that there is no diarizer.
	Turns []engine.Turn `json:"turns,omitempty"`
}

// SilentSeconds measures how many seconds of a recording have no sound. It reads the recording
// once. The error is the context's or the reader's.
func SilentSeconds(ctx context.Context, rec *speech.Recording) (float64, error) {
	levels, err := levelsOf(ctx, rec, 0, rec.Samples())
	if err != nil {
		return 0, err
	}
	below, silent := silenceLevel-quietRecording(levels), 0
	for _, l := range levels {
		if l < below {
			silent++
		}
	}
	const frame = float64(frameSamples) / speech.SampleRate
	return round(float64(silent) * frame), nil
}

// Hear notes where a voice is heard in a channel (0: the mix), and marks the chunks of the plan
// without speech as silent: recognizers invent words for music, tones and noise. nil: nothing
// detects voices.
func (s *Sound) Hear(plan Plan, channel int, voice []engine.Span) {
	if voice == nil {
		return
	}
	s.Speech = union(append(s.Speech, voice...))
	if s.Speech == nil {
		s.Speech = []engine.Span{}
	}
	plan.hush(channel, voice)
}

// Hush marks the chunks of a mix in which no voice is heard as silent.
func (s *Sound) Hush(plan Plan) {
	if s.Speech != nil && plan.Channels() == 0 {
		plan.hush(0, s.Speech)
	}
}

func (p Plan) hush(channel int, voice []engine.Span) {
	for i, c := range p.Chunks {
		from, to := c.span()
		silent := !slices.ContainsFunc(voice, func(v engine.Span) bool { return v.Start < toSeconds(to) && v.End > toSeconds(from) })
		if c.Channel == channel && silent {
			p.Chunks[i].Silent = true
		}
	}
}

// Tell names the speakers of a text, adds the gaps of speech without words to it, and returns what
// the transcript says of the sound.
func (s *Sound) Tell(text *Transcription) *transcript.Sound {
	text.Segments = NameSpeakers(text.Segments, s.Turns)
	told := s.Sound
	if s.Speech != nil {
		told.Heard = s.measure(text)
	}
	return &told
}

// measure compares the speech with the words.
func (s *Sound) measure(text *Transcription) *transcript.Heard {
	var worded []engine.Span
	for _, segment := range text.Segments {
		worded = append(worded, engine.Span{Start: segment.Start, End: segment.End()})
	}
	worded = union(worded)
	wordless := without(s.Speech, worded)
	spoken := lengthOf(s.Speech)
	known := spansOf(text.Gaps)
	for _, w := range without(wordless, known) {
		if w.End-w.Start > leastWordless {
			text.Gaps = append(text.Gaps, gapOf(w, ReasonNoWords))
		}
	}
	slices.SortStableFunc(text.Gaps, func(a, b Gap) int { return cmp.Compare(a.Start, b.Start) })
	return &transcript.Heard{HeardSec: round(spoken - lengthOf(wordless)), SpeechSec: round(spoken), SilentSec: s.SilentSec}
}

func spansOf(gaps []Gap) []engine.Span {
	spans := make([]engine.Span, len(gaps))
	for i, g := range gaps {
		spans[i] = engine.Span{Start: g.Start, End: g.Start + g.Duration}
	}
	return union(spans)
}

func gapOf(s engine.Span, reason string) Gap {
	return Gap{Start: round(s.Start), Duration: round(s.End - s.Start), Reason: reason}
}

// round rounds seconds to milliseconds.
func round(seconds float64) float64 { return math.Round(seconds*1000) / 1000 }
