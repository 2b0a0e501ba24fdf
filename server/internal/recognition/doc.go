// Package recognition cuts a recording into chunks at its silences, and puts the text that a
// recognizer heard in the chunks back on the media clock. It does so once, for every
// [engine.Recognizer].
//
//	rec, err := speech.Open(audio.Path)
//	plan, err := recognition.NewPlan(ctx, rec, recognition.LengthsFor(recognizer.Info()))
//	for _, chunk := range plan.Speech() {
//		err = chunk.Write(file, rec)                  // a complete WAV
//		heard, err := recognizer.Recognize(ctx, …)    // times from the chunk's start
//		results = append(results, chunk.Place(heard)) // times from the media's start
//	}
//	text, err := recognition.Stitch(plan, results)
//
// Every stage stands alone: [Plan], [Chunk] and [Result] can be encoded as JSON. So a service
// may store them between the stages, and recognize chunks in any order, at the same time, or on
// different machines.
//
// The package runs no recognizer, creates no file and knows no jobs.
package recognition

import (
	"cmp"
	"math"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/speech"
)

// DefaultChunk is the longest chunk if the recognizer names no shorter one. A recognizer
// loads its model for each chunk, so shorter chunks cost time. A crash loses the running
// chunk, so longer chunks cost work.
const DefaultChunk = 30 * time.Second

// Lengths are the lengths of chunks that a recognizer wants.
type Lengths struct {
	// Longest is the length of the longest chunk; 0 means [DefaultChunk]. It is at least a
	// second.
	Longest time.Duration
	// Window is the unit of payment for audio; 0 means that a chunk costs as much as it is
	// long.
	Window time.Duration
}

// LengthsFor returns the lengths for a recognizer. Longest is the recognizer's best length,
// else [DefaultChunk], but at most its MaxChunk.
func LengthsFor(info engine.RecognizerInfo) Lengths {
	longest := cmp.Or(info.Chunk, DefaultChunk)
	if info.MaxChunk > 0 {
		longest = min(longest, info.MaxChunk)
	}
	return Lengths{longest, info.Window}
}

// bytesPerSample is the size of a 16-bit sample of one channel.
const bytesPerSample = 2

func toSamples(d time.Duration) int64 {
	return int64(d/time.Second)*speech.SampleRate + int64(d%time.Second)*speech.SampleRate/int64(time.Second)
}

func toDuration(samples int64) time.Duration {
	const perSample = time.Second / speech.SampleRate // 62.5 µs, exact in nanoseconds
	return time.Duration(samples) * perSample
}

// toMillis returns the millisecond nearest to a time in seconds.
func toMillis(seconds float64) int64 { return int64(math.Round(seconds * 1000)) }

// toSeconds returns the float nearest to a number of milliseconds. It prints with at most three
// decimals.
func toSeconds(millis int64) float64 { return float64(millis) / 1000 }
