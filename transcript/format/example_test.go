package format_test

import (
	"fmt"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

var talk = []transcript.Segment{
	{Text: "Good evening.", Start: 0, Duration: 1.5},
	{Text: "Thank you all for coming.", Start: 1.5, Duration: 2},
	{Text: "Now, to business.", Start: 65, Duration: 1.25},
}

func ExampleAppendText() {
	fmt.Printf("%s\n\n", format.AppendText(nil, talk, true))
	fmt.Printf("%s\n", format.AppendText(nil, talk, false))
	// Output:
	// [00:00:00] Good evening.
	// [00:00:01] Thank you all for coming.
	// [00:01:05] Now, to business.
	//
	// Good evening. Thank you all for coming.
	//
	// Now, to business.
}

func ExampleAppendSegments() {
	fmt.Printf("%s\n", format.AppendSegments(nil, talk[:2]))
	// Output:
	// [{"text":"Good evening.","start":0,"duration":1.5},{"text":"Thank you all for coming.","start":1.5,"duration":2}]
}
