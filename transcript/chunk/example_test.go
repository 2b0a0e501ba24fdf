package chunk_test

import (
	"fmt"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/chunk"
)

// Pieces for a language model end where sentences do.
func ExampleCut() {
	t := &transcript.Transcript{Platform: transcript.VideoSite, ExternalID: "dQw4w9WgXcQ", Lang: "en", Segments: []transcript.Segment{
		{Text: "Good evening. We begin", Start: 0.5, Duration: 2.2},
		{Text: "with the weather.", Start: 3, Duration: 2},
	}}
	for c := range chunk.Cut(t, transcript.ChunkOptions{MaxChars: 30}) {
		fmt.Printf("%s at %.1f s: %s\n", c.ID, c.Start, c.Text)
	}
	// Output:
	// c_8c2bf9c636a0ac9f at 0.5 s: Good evening.
	// c_e385abefd76a06cb at 1.8 s: We begin with the weather.
}
