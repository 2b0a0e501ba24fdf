package recognition_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/internal/test/speechtest"
	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
	"github.com/transcriptkit/transcriptkit/server/speech"
)

const window = 30 * second

func TestPlanFillsWindows(t *testing.T) {
	t.Parallel()
	talks := func(pause time.Duration, lengths ...time.Duration) (out []piece) {
		for i, l := range lengths {
			if i > 0 {
				out = append(out, piece{pause, hush})
			}
			out = append(out, piece{l * second, talk})
		}
		return out
	}
	tests := []struct {
		name    string
		longest time.Duration
		pieces  []piece
		want    []float64
	}{
		{"short pieces share a window", 0, talks(6*second, 8, 8), []float64{22}},
		{"many of them", 0, talks(6*second, 2, 2, 2, 2, 2, 2, 2), []float64{26.24, -31.76, 50}},
		{"not where it would be a window more", 0, talks(12*second, 20, 8), []float64{20.24, -31.76, 40}},
		{"a silence that is paid for saves a call", 5 * time.Minute, talks(10*second, 100, 100), []float64{210}},
		{"one that is not, does not", 5 * time.Minute, talks(40*second, 40, 40), []float64{40.24, -79.76, 120}},
		{"fewer windows go before a longer pause", 0, []piece{
			{14 * second, talk}, {2 * second, hush}, {13 * second, talk}, {400 * time.Millisecond, hush},
			{15 * second, talk}, {2 * second, hush}, {12 * second, talk},
		}, []float64{29.2, 58.4}},
		{"no word is cut to fill one", 2 * time.Minute, talks(second, 31), []float64{31}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.InDeltaSlice(t, tt.want, cuts(planOf(t, recognition.Lengths{Longest: tt.longest, Window: window}, tt.pieces...)), 0.05)
		})
	}
}

// windows is how many windows the chunks of speech cost.
func windows(p recognition.Plan, window time.Duration) (n int) {
	for _, c := range p.Speech() {
		n += int((c.Duration() + window - 1) / window)
	}
	return n
}

// What was paid when chunks were cut at the longest pause in the second half of what
// was allowed, and every silence was left out: 12, 18, 60, 6 and 31.
func TestWindowsOfRecordings(t *testing.T) {
	t.Parallel()
	said := recordingsOf(t,
		speechtest.Say(t, "First it looks for the places where nobody is speaking."),
		speechtest.Say(t, "Then it cuts the recording in the middle of each of them, so that no word is ever lost, however long the speaker goes on without taking a breath."),
		speechtest.Say(t, "A short one."),
		speechtest.Say(t, "The quick brown fox jumps over the lazy dog, and nobody knows why it does so every single time that somebody tests a machine."),
		speechtest.Say(t, "What was heard is put back where it was said."))
	pause := func(d time.Duration) func(int) time.Duration { return func(int) time.Duration { return d } }
	measure := func(name string, clips [][]byte, n int, pause func(int) time.Duration, most int) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var whole []byte
			for i := range n {
				whole = append(append(whole, clips[i%len(clips)]...), make([]byte, 2*speech.SampleRate*pause(i)/second)...)
			}
			rec := recording(t, whole)
			plan, err := recognition.NewPlan(t.Context(), rec, recognition.Lengths{Window: window})
			require.NoError(t, err)
			t.Logf("%d windows for %v, which fill %.1f", windows(plan, window), rec.Duration(), rec.Duration().Seconds()/window.Seconds())
			assert.LessOrEqual(t, windows(plan, window), most)
		})
	}
	measure("a talk", said, 60, pause(300*time.Millisecond), 12)
	measure("slowly", said, 60, pause(2*second), 15)
	measure("sentence by sentence", said, 60, pause(6*second), 20)

	clips, err := filepath.Glob("/usr/share/pocketsphinx/test/data/librivox/*.wav")
	require.NoError(t, err)
	if len(clips) == 0 {
		return // of Debian's package pocketsphinx-testdata
	}
	real := recordingsOf(t, clips...)
	measure("a reading", real, 30, pause(0), 6)
	measure("now and then", real, 30, func(i int) time.Duration { return time.Duration(1+i*5%13) * second }, 12)
}

// recordingsOf are the samples of recordings.
func recordingsOf(t *testing.T, paths ...string) (all [][]byte) {
	t.Helper()
	for _, path := range paths {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		all = append(all, b[44:])
	}
	return all
}

// No two neighbors could be one chunk without paying for more, unless a long silence is
// between them: then they could not be one chunk for less. Every cut lies in a pause.
func TestPlanIsCheap(t *testing.T) {
	t.Parallel()
	const longest = 12 * second
	rapid.Check(t, func(t *rapid.T) {
		window := rapid.SampledFrom([]time.Duration{second, 3 * second, longest}).Draw(t, "window")
		var pieces []piece
		var ends []float64 // of talk and pause by turns
		at := time.Duration(0)
		for i := range rapid.IntRange(1, 12).Draw(t, "pieces") {
			p := piece{time.Duration(rapid.IntRange(100, 8000).Draw(t, "ms")) * time.Millisecond, talk}
			if i%2 == 1 {
				ms := rapid.OneOf(rapid.IntRange(400, 3900), rapid.IntRange(5100, 7000)).Draw(t, "pause ms")
				p = piece{time.Duration(ms) * time.Millisecond, hush}
			}
			at += p.length
			pieces, ends = append(pieces, p), append(ends, at.Seconds())
		}
		plan, err := recognition.NewPlan(context.Background(), recording(t, pcm(pieces...)), recognition.Lengths{Longest: longest, Window: window})
		require.NoError(t, err)
		speaking := plan.Speech()
		for i := range len(speaking) - 1 {
			a, b := speaking[i], speaking[i+1]
			joined := recognition.Plan{Chunks: []recognition.Chunk{{First: a.First, Last: b.Last}}}
			apart := recognition.Plan{Chunks: []recognition.Chunk{a, b}}
			least := windows(apart, window) + 1
			if b.Start()-(a.Start()+a.Duration()) > 4500*time.Millisecond { // of the pauses above, only the long silences
				least--
			}
			require.True(t, joined.Chunks[0].Duration() > longest || windows(joined, window) >= least, "%v and %v could be one", a, b)
			require.True(t, inPause(ends, (a.Start()+a.Duration()).Seconds()), "a word is cut at %v", a.Start()+a.Duration())
		}
	})
}

// inPause reports whether a time lies in a pause: in every second stretch.
func inPause(ends []float64, at float64) bool {
	for i := 1; i < len(ends); i += 2 {
		if ends[i-1] <= at && at <= ends[i] {
			return true
		}
	}
	return false
}
