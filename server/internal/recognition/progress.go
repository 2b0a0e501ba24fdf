package recognition

import (
	"math"
	"sync"
	"time"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Progress adds up the progress of a plan's chunks. It never decreases, even if a chunk starts
// again. Silent chunks are done from the start. Safe for concurrent use.
type Progress struct {
	plan Plan
	mu   sync.Mutex
	done []int64 // samples of each chunk
}

// NewProgress starts counting for plan.
func NewProgress(plan Plan) *Progress {
	p := &Progress{plan: plan, done: make([]int64, len(plan.Chunks))}
	for i, c := range plan.Chunks {
		if c.Silent {
			p.done[i] = c.Last - c.First
		}
	}
	return p
}

// Set records the finished length of the chunk with that index, and returns the sum. It ignores
// an index that the plan does not have.
func (p *Progress) Set(chunk int, done time.Duration) transcript.Progress {
	p.mu.Lock()
	defer p.mu.Unlock()
	if chunk >= 0 && chunk < len(p.done) {
		c := p.plan.Chunks[chunk]
		p.done[chunk] = max(p.done[chunk], min(toSamples(done), c.Last-c.First))
	}
	return p.sum()
}

// Finish records that the chunk with that index is done, and returns the sum.
func (p *Progress) Finish(chunk int) transcript.Progress {
	return p.Set(chunk, math.MaxInt64)
}

// Now returns the sum.
func (p *Progress) Now() transcript.Progress {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sum()
}

func (p *Progress) sum() transcript.Progress {
	var done int64
	for _, n := range p.done {
		done += n
	}
	fraction := 1.0
	if p.plan.Samples > 0 {
		fraction = float64(done) / float64(p.plan.Samples)
	}
	return transcript.Progress{
		Fraction:     math.Floor(fraction*10000) / 10000, // 1 only if everything is done
		ProcessedSec: toSeconds(toMillis(toDuration(done).Seconds())),
		TotalSec:     toSeconds(toMillis(p.plan.Duration().Seconds())),
	}
}
