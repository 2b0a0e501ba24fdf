package recognition_test

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Two words, spoken 20 s of silence apart, come back where they were spoken.
func Example() {
	var wav bytes.Buffer
	said := pcm(piece{time.Second, talk}, piece{20 * time.Second, hush}, piece{time.Second, talk})
	if err := speech.WriteWAV(&wav, bytes.NewReader(said), int64(len(said)/2)); err != nil {
		panic(err)
	}

	rec, err := speech.NewRecording(bytes.NewReader(wav.Bytes()), int64(wav.Len()))
	if err != nil {
		panic(err)
	}
	plan, err := recognition.NewPlan(context.Background(), rec, recognition.Lengths{})
	if err != nil {
		panic(err)
	}
	var results []recognition.Result
	for _, chunk := range plan.Speech() {
		// What a recognizer says of each chunk, with times from the chunk's start.
		heard := engine.Recognition{Segments: []transcript.Segment{{Text: "word", Start: 0.25, Duration: 0.5}}}
		results = append(results, chunk.Place(heard))
	}
	text, err := recognition.Stitch(plan, results)
	if err != nil {
		panic(err)
	}
	for _, s := range text.Segments {
		fmt.Println(s.Start, s.Text)
	}
	for _, g := range text.Gaps {
		fmt.Println(g.Reason, g.Start, g.Duration)
	}
	// Output:
	// 0.25 word
	// 21.01 word
	// silence 1.24 19.52
}
