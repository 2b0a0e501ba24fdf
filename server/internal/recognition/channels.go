package recognition

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/transcriptkit/transcriptkit/server/engine"
)

// JoinChannels is the plan of a recording whose channels are recognized by themselves. plans are
// those of the channels, in order.
func JoinChannels(plans []Plan) Plan {
	joined := Plan{Chunks: []Chunk{}}
	for i, p := range plans {
		joined.Samples = max(joined.Samples, p.Samples)
		for _, c := range p.Chunks {
			c.Index, c.Channel = len(joined.Chunks), i+1
			joined.Chunks = append(joined.Chunks, c)
		}
	}
	return joined
}

// Channels is how many channels are recognized by themselves; 0: the mix is recognized.
func (p Plan) Channels() int {
	if len(p.Chunks) == 0 {
		return 0
	}
	return p.Chunks[len(p.Chunks)-1].Channel
}

// silence returns the stretches in which all channels are silent.
func (p Plan) silence() []engine.Span {
	var loud []engine.Span
	for _, c := range p.Speech() {
		from, to := c.span()
		loud = append(loud, engine.Span{Start: toSeconds(from), End: toSeconds(to)})
	}
	return without([]engine.Span{{End: p.Duration().Seconds()}}, union(loud))
}

// channelName is how the speaker of a channel is called.
func channelName(channel int) string { return fmt.Sprintf("Channel %d", channel) }

// union sorts spans and joins those that touch.
func union(spans []engine.Span) []engine.Span {
	sorted := slices.SortedFunc(slices.Values(spans), func(a, b engine.Span) int { return cmp.Compare(a.Start, b.Start) })
	var out []engine.Span
	for _, s := range sorted {
		if last := len(out) - 1; last >= 0 && s.Start <= out[last].End {
			out[last].End = max(out[last].End, s.End)
		} else if s.End > s.Start {
			out = append(out, s)
		}
	}
	return out
}

// without returns the parts of spans that are in no other span. Both are unions.
func without(spans, others []engine.Span) []engine.Span {
	var out []engine.Span
	n := 0
	for _, s := range spans {
		for n < len(others) && others[n].End <= s.Start {
			n++
		}
		for i := n; i < len(others) && others[i].Start < s.End; i++ {
			if others[i].Start > s.Start {
				out = append(out, engine.Span{Start: s.Start, End: others[i].Start})
			}
			s.Start = max(s.Start, others[i].End)
		}
		if s.Start < s.End {
			out = append(out, s)
		}
	}
	return out
}

// lengthOf is the length of a union in seconds.
func lengthOf(spans []engine.Span) (seconds float64) {
	for _, s := range spans {
		seconds += s.End - s.Start
	}
	return seconds
}
