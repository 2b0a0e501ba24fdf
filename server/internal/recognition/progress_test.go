package recognition_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// fourSeconds has two chunks of speech and one of silence between them.
var fourSeconds = recognition.Plan{Samples: 64000, Chunks: []recognition.Chunk{
	{Index: 0, First: 0, Last: 16000}, {Index: 1, First: 16000, Last: 32000, Silent: true}, {Index: 2, First: 32000, Last: 64000},
}}

func TestProgress(t *testing.T) {
	t.Parallel()
	at := func(fraction, sec float64) transcript.Progress {
		return transcript.Progress{Fraction: fraction, ProcessedSec: sec, TotalSec: 4}
	}
	p := recognition.NewProgress(fourSeconds)
	assert.Equal(t, at(0.25, 1), p.Now(), "silence is done")
	assert.Equal(t, at(0.375, 1.5), p.Set(2, 500*time.Millisecond))
	assert.Equal(t, at(0.375, 1.5), p.Set(2, 0), "a second attempt does not go back")
	assert.Equal(t, at(0.375, 1.5), p.Set(2, -time.Second))
	assert.Equal(t, at(0.375, 1.5), p.Set(3, time.Second), "no such chunk")
	assert.Equal(t, at(0.625, 2.5), p.Set(0, time.Hour), "at most the chunk")
	assert.Equal(t, at(0.9998, 3.999), p.Set(2, 1999400*time.Microsecond), "not 1 before the end")
	assert.Equal(t, at(1, 4), p.Finish(2))
	assert.Equal(t, at(1, 4), p.Now())
}

func TestProgressOfNothing(t *testing.T) {
	t.Parallel()
	assert.Equal(t, transcript.Progress{Fraction: 1}, recognition.NewProgress(recognition.Plan{}).Now())
}

func TestProgressOnlyGrows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := recognition.NewProgress(fourSeconds)
		last := p.Now()
		for range 20 {
			now := p.Set(rapid.IntRange(-1, 3).Draw(t, "chunk"), time.Duration(rapid.Int64Range(-1e9, 3e9).Draw(t, "done")))
			require.GreaterOrEqual(t, now.Fraction, last.Fraction)
			require.GreaterOrEqual(t, now.ProcessedSec, last.ProcessedSec)
			require.LessOrEqual(t, now.Fraction, 1.0)
			require.LessOrEqual(t, now.ProcessedSec, now.TotalSec)
			last = now
		}
	})
}

func TestProgressFromManySides(t *testing.T) {
	t.Parallel()
	p := recognition.NewProgress(fourSeconds)
	var wg sync.WaitGroup
	for _, chunk := range []int{0, 2} {
		wg.Go(func() {
			for ms := range 2000 {
				p.Set(chunk, time.Duration(ms)*time.Millisecond)
			}
			p.Finish(chunk)
		})
	}
	wg.Wait()
	assert.Equal(t, 1.0, p.Now().Fraction)
}
