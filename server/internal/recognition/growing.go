package recognition

import (
	"cmp"
	"context"
	"time"

	"github.com/transcriptkit/transcriptkit/server/speech"
)

// Growing cuts a recording that still grows. It makes each chunk as long as it can, at the
// pauses at which [NewPlan] cuts too. Not safe for concurrent use.
type Growing struct {
	longest int // frames
	levels  []level
	chunks  []Chunk
	cut     int // the frame up to which the chunks reach
}

// NewGrowing begins to cut a recording that is still empty.
func NewGrowing(l Lengths) *Growing {
	return &Growing{longest: toFrames(max(cmp.Or(l.Longest, DefaultChunk), time.Second))}
}

// Cut measures the part of the recording that has come since the last call. It returns the
// chunks that this part makes certain, in order, and each chunk once. A chunk is certain when
// five seconds follow the longest chunk that could begin at the same place. The error is the
// context's or the reader's.
func (g *Growing) Cut(ctx context.Context, rec *speech.Recording) ([]Chunk, error) {
	if err := g.measure(ctx, rec, rec.Samples()-rec.Samples()%frameSamples); err != nil {
		return nil, err
	}
	before := len(g.chunks)
	for len(g.levels)-g.cut >= g.longest+apartMin && g.next() {
	}
	return g.chunks[before:], nil
}

// Rest returns the measured sound after the last certain chunk, as the chunk that it would be now.
func (g *Growing) Rest() Chunk {
	s := stretch{from: g.cut, to: len(g.levels)}
	s.silent = s.to == s.from || newCutter(g.levels[g.cut:], g.levels, g.longest).isSilent(stretch{to: s.to - s.from})
	return chunkOf(len(g.chunks), s, int64(len(g.levels))*frameSamples)
}

// End measures the rest of the recording, which is whole now, and returns its plan. The plan
// begins with the chunks from Cut.
func (g *Growing) End(ctx context.Context, rec *speech.Recording) (Plan, error) {
	if err := g.measure(ctx, rec, rec.Samples()); err != nil {
		return Plan{}, err
	}
	plan := Plan{Samples: rec.Samples(), Chunks: g.chunks}
	for _, s := range cut(g.levels, g.cut, g.longest, 1) {
		plan.Chunks = append(plan.Chunks, chunkOf(len(plan.Chunks), s, plan.Samples))
	}
	return plan, nil
}

func (g *Growing) measure(ctx context.Context, rec *speech.Recording, to int64) error {
	levels, err := levelsOf(ctx, rec, int64(len(g.levels))*frameSamples, to)
	g.levels = append(g.levels, levels...)
	return err
}

// next adds the chunk after the last one. It reports whether there is one that is certain: a
// silence that lasts until now may go on.
func (g *Growing) next() bool {
	c := newCutter(g.levels[g.cut:], g.levels, g.longest)
	pieces := c.pieces()
	whole := pieces[0].stretch
	for _, p := range pieces[1:] {
		if whole.silent || p.silent || p.to > g.longest {
			break
		}
		whole.to = p.to
	}
	if whole.to == len(c.levels) {
		return false
	}
	whole.silent = c.isSilent(whole)
	whole.from, whole.to = whole.from+g.cut, whole.to+g.cut
	g.chunks = append(g.chunks, chunkOf(len(g.chunks), whole, int64(len(g.levels))*frameSamples))
	g.cut = whole.to
	return true
}
