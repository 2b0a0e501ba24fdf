package caption_test

import (
	"fmt"
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

func ExampleReadWebVTT() {
	file := strings.NewReader(`WEBVTT

00:11.000 --> 00:13.500 align:start
<v Roger>We are in <b>New York</b> City

00:14.000 --> 00:16.000
<v Roger>at the Lucern Hotel.
`)
	segments, err := caption.ReadWebVTT(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range segments {
		fmt.Printf("%4.1f %s: %s\n", s.Start, s.Speaker, s.Text)
	}
	// Output:
	// 11.0 Roger: We are in New York City
	// 14.0 Roger: at the Lucern Hotel.
}

// One cue at a time, and none more than is wanted.
func ExampleWebVTT() {
	file := strings.NewReader("WEBVTT\n\n00:01.000 --> 00:02.000\nhello\n\n00:02.000 --> 00:03.000\nthere\n")
	for s, err := range caption.WebVTT(file) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(s.Text)
		break
	}
	// Output: hello
}
