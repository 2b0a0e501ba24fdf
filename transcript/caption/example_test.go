package caption_test

import (
	"fmt"
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// Of rolling captions each line comes once, whatever the file's format.
func Example() {
	file := strings.NewReader("WEBVTT\n\n" +
		"00:00.000 --> 00:02.000\nso<00:01.000><c> today</c>\n\n" +
		"00:02.000 --> 00:02.010\nso today\n\n" +
		"00:02.010 --> 00:04.000\nso today\nwe bake\n")
	f, err := caption.ReadAny(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range caption.Unroll(f.Segments) {
		fmt.Println(s.Start, s.Text)
	}
	// Output:
	// 0 so today
	// 2.01 we bake
}

func ExampleReadWebVTT() {
	file := strings.NewReader(`WEBVTT

00:11.000 --> 00:13.500 align:start
<v Roger>We are in <b>New York</b> City

00:14.000 --> 00:16.000
<v Roger>at the Lucern Hotel.
`)
	f, err := caption.ReadWebVTT(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range f.Segments {
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

func ExampleReadTTML() {
	file := strings.NewReader(`<tt xmlns="http://www.w3.org/ns/ttml"><body begin="10s"><div>
  <p begin="00:00:01.000" end="00:00:03.500">We are in<br/>New York City</p>
  <p begin="4s" dur="2s">at the Lucern Hotel.</p>
</div></body></tt>`)
	f, err := caption.ReadTTML(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range f.Segments {
		fmt.Printf("%4.1f %q\n", s.Start, s.Text)
	}
	// Output:
	// 11.0 "We are in\nNew York City"
	// 14.0 "at the Lucern Hotel."
}

// Automatic captions tell when each word is spoken.
func ExampleReadSRV3() {
	file := strings.NewReader(`<timedtext format="3"><body>
<p t="160" d="4560" w="1"><s ac="0">so</s><s t="320" ac="0"> here</s><s t="560" ac="252"> we</s></p>
</body></timedtext>`)
	f, err := caption.ReadSRV3(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, w := range f.Segments[0].Words {
		fmt.Println(w.Start, w.Text)
	}
	// Output:
	// 0.16 so
	// 0.48 here
	// 0.72 we
}

func ExampleReadSRV1() {
	file := strings.NewReader(`<transcript><text start="1.54" dur="4.16">it&amp;#39;s &lt;i&gt;late&lt;/i&gt;</text></transcript>`)
	f, err := caption.ReadSRV1(file)
	fmt.Println(f.Segments[0].Text, err)
	// Output: it's late <nil>
}

func ExampleReadJSON3() {
	file := strings.NewReader(`{"wireMagic":"pb3","events":[
{"tStartMs":0,"dDurationMs":9000,"id":1},
{"tStartMs":160,"dDurationMs":4560,"segs":[{"utf8":"so"},{"utf8":" here","tOffsetMs":320}]}]}`)
	f, err := caption.ReadJSON3(file)
	fmt.Println(len(f.Segments), f.Segments[0].Words[1].Start, err)
	// Output: 1 0.48 <nil>
}
