package recognition

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/transcriptkit/transcriptkit/server/speech"
)

// Plan is a cut list: its chunks cover the recording from the first sample to the last, or each
// of its channels, one after the other. Its JSON is its whole state.
type Plan struct {
	Samples int64   `json:"samples"` // length of the recording
	Chunks  []Chunk `json:"chunks"`  // in order, channel by channel; empty for an empty recording
}

// Chunk is a stretch of a recording, in samples.
type Chunk struct {
	Index int   `json:"index"` // its place in the plan, from 0
	First int64 `json:"first"` // the first sample
	Last  int64 `json:"last"`  // the sample after the last one
	// Silent reports that the chunk has no speech and is not recognized.
	Silent bool `json:"silent,omitempty"`
	// Channel is the channel of the recording whose sound the chunk is, from 1; 0: the mix.
	Channel int `json:"channel,omitempty"`
}

// Gap is a stretch of the media without text, and its reason.
type Gap struct {
	Start    float64 `json:"start"`    // seconds from the start of the media
	Duration float64 `json:"duration"` // seconds
	Reason   string  `json:"reason"`
}

// The reasons of gaps.
const (
	ReasonSilence    = "silence"    // no speech
	ReasonRepetition = "repetition" // the recognizer repeated itself
	ReasonNoWords    = "no_words"   // a voice is heard, and the recognizer has no words for it
)

// NewPlan measures a recording and cuts it into chunks of speech, in the middle of pauses, and
// into silent chunks of any length. Among all such plans it chooses one with the fewest
// windows, then the fewest chunks, then the longest pauses at its cuts. Only a stretch that is
// longer than a chunk and has no pause is cut elsewhere. Silences of 5 s and more become silent
// chunks. The exception is a silence that fits into windows that are needed anyway, if that
// saves a window.
//
// NewPlan reads the recording once. It keeps 50 bytes for each second and a few more for each
// pause. The error is the context's or the reader's.
func NewPlan(ctx context.Context, rec *speech.Recording, l Lengths) (Plan, error) {
	levels, err := levelsOf(ctx, rec, 0, rec.Samples())
	if err != nil {
		return Plan{}, err
	}
	longest := max(cmp.Or(l.Longest, DefaultChunk), time.Second)
	plan := Plan{Samples: rec.Samples(), Chunks: []Chunk{}}
	for i, s := range cut(levels, 0, toFrames(longest), max(toFrames(l.Window), 1)) {
		plan.Chunks = append(plan.Chunks, chunkOf(i, s, plan.Samples))
	}
	return plan, nil
}

// chunkOf is the chunk of a stretch in a recording of that many samples: its last frame may be
// short.
func chunkOf(index int, s stretch, samples int64) Chunk {
	return Chunk{Index: index, First: int64(s.from) * frameSamples, Last: min(int64(s.to)*frameSamples, samples), Silent: s.silent}
}

func toFrames(d time.Duration) int { return int(toSamples(d) / frameSamples) }

// Duration returns the length of the recording.
func (p Plan) Duration() time.Duration { return toDuration(p.Samples) }

// Speech returns the chunks to recognize.
func (p Plan) Speech() []Chunk {
	out := make([]Chunk, 0, len(p.Chunks))
	for _, c := range p.Chunks {
		if !c.Silent {
			out = append(out, c)
		}
	}
	return out
}

// Gaps returns the silent stretches; neighboring silent chunks are one gap. If the channels are
// recognized by themselves, a stretch is silent if all channels are.
func (p Plan) Gaps() []Gap {
	out := []Gap{}
	if p.Channels() > 0 {
		for _, s := range p.silence() {
			out = append(out, gapOf(s, ReasonSilence))
		}
		return out
	}
	for i := 0; i < len(p.Chunks); i++ {
		if !p.Chunks[i].Silent {
			continue
		}
		whole := p.Chunks[i]
		for i+1 < len(p.Chunks) && p.Chunks[i+1].Silent {
			i++
			whole.Last = p.Chunks[i].Last
		}
		from, to := whole.span()
		out = append(out, Gap{Start: toSeconds(from), Duration: toSeconds(to - from), Reason: ReasonSilence})
	}
	return out
}

// Start returns the start of the chunk on the media clock.
func (c Chunk) Start() time.Duration { return toDuration(c.First) }

// Duration returns the length of the chunk.
func (c Chunk) Duration() time.Duration { return toDuration(c.Last - c.First) }

// Write writes the chunk of a recording as a complete WAV.
func (c Chunk) Write(w io.Writer, rec *speech.Recording) error {
	if c.First < 0 || c.Last < c.First || c.Last > rec.Samples() {
		return fmt.Errorf("recognition: chunk of samples %d to %d is not in a recording of %d", c.First, c.Last, rec.Samples())
	}
	return speech.WriteWAV(w, rec.PCM(c.First, c.Last), c.Last-c.First)
}

// span returns the whole milliseconds inside the chunk.
func (c Chunk) span() (from, to int64) {
	const perMilli = speech.SampleRate / 1000
	return (c.First + perMilli - 1) / perMilli, c.Last / perMilli
}
