package e2e_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSoakArrivingAtTwiceItsSpeed sends recordings at twice their speed to a recognizer of ten
// times their speed. Each text is complete soon after the last byte, and has each chunk once.
// The hour takes half an hour. By hand: -run TestSoakArrivingAtTwiceItsSpeed/6m0s -soak.
func TestSoakArrivingAtTwiceItsSpeed(t *testing.T) {
	t.Parallel()
	soak(t)
	for _, length := range []time.Duration{6 * time.Minute, time.Hour} {
		t.Run(length.String(), func(t *testing.T) {
			t.Parallel()
			recognizer := &counted{speed: 10}
			s := startService(t, recognizedBy(recognizer))
			file, err := os.ReadFile(record(t, "talk.mp3", speaking+fmt.Sprint(length.Seconds())))
			require.NoError(t, err)
			f := s.send(t, "talk.mp3")
			const pieces = 300
			piece := time.NewTicker(length / 2 / pieces)
			defer piece.Stop()
			for i := range pieces {
				<-piece.C
				_, err := f.Write(file[len(file)*i/pieces : len(file)*(i+1)/pieces])
				require.NoError(t, err)
			}
			sent, before := time.Now(), recognizer.calls.Load()
			result, err := s.Jobs.Wait(t.Context(), f.whole(t))
			require.NoError(t, err)
			took := time.Since(sent)
			segments := result.Transcript.Segments
			t.Logf("complete %v after the last byte: %d chunks, of which %d were begun before", took.Round(time.Millisecond), len(segments), before)
			assert.Less(t, took, 10*time.Second)
			assert.InDelta(t, length.Seconds(), *result.Transcript.DurationSec, 0.1)
			assert.LessOrEqual(t, int(recognizer.calls.Load()), len(segments)+1, "only the chunk of the last byte may be recognized again")
			for i := 1; i < len(segments); i++ {
				assert.InDelta(t, segments[i-1].Start+segments[i-1].Duration, segments[i].Start, 2, "a chunk is missing or is there twice")
			}
			last := segments[len(segments)-1]
			assert.InDelta(t, length.Seconds(), last.Start+last.Duration, 2)
		})
	}
}
