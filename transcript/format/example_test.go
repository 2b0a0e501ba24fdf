package format_test

import (
	"encoding/json"
	"fmt"
	"os"

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

func ExampleAppendJSON() {
	b, err := format.AppendJSON(nil, &transcript.Transcript{Lang: "en", Segments: talk})
	if err != nil {
		fmt.Println(err)
		return
	}
	var back transcript.Transcript
	fmt.Println(json.Unmarshal(b, &back), back.Lang, back.Segments[0].Text)
	// Output: <nil> en Good evening.
}

func ExampleAppendSRT() {
	fmt.Printf("%s", format.AppendSRT(nil, talk[1:]))
	// Output:
	// 1
	// 00:00:01,500 --> 00:00:03,500
	// Thank you all for coming.
	//
	// 2
	// 00:01:05,000 --> 00:01:06,250
	// Now, to business.
}

func ExampleAppendVTT() {
	fmt.Printf("%s", format.AppendVTT(nil, []transcript.Segment{
		{Text: "Q & A is next, for as long as the room is ours.", Start: 1.5, Duration: 3, Speaker: "Ada"},
	}))
	// Output:
	// WEBVTT
	//
	// 00:00:01.500 --> 00:00:04.500
	// <v Ada>Q &amp; A is next, for as
	// long as the room is ours.
}

func ExampleWriteSRT() {
	if err := format.WriteSRT(os.Stdout, talk[:1]); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 1
	// 00:00:00,000 --> 00:00:01,500
	// Good evening.
}

func ExampleAppendMarkdown() {
	title, source := "The opening", "https://example.com/watch?v=1"
	t := &transcript.Transcript{Title: &title, SourceURL: &source, Lang: "en", Segments: talk}
	fmt.Printf("%s", format.AppendMarkdown(nil, t, true))
	// Output:
	// # The opening
	//
	// <https://example.com/watch?v=1>
	//
	// en
	//
	// [00:00:00] Good evening. Thank you all for coming.
	//
	// [00:01:05] Now, to business.
}
