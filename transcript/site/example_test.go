package site_test

import (
	"fmt"
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript/site"
)

func ExampleTable_Detect() {
	match, err := site.Default().Detect("https://youtu.be/dQw4w9WgXcQ?t=42")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(match.Platform, match.ExternalID, match.URL)
	// Output: video_site dQw4w9WgXcQ https://www.youtube.com/watch?v=dQw4w9WgXcQ
}

func ExampleTable_Override() {
	table, err := site.Default().Override(strings.NewReader(`{
		"video_site": {"hosts": ["videos.example"], "base": "https://videos.example"}
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	match, err := table.Detect("videos.example/shorts/dQw4w9WgXcQ")
	fmt.Println(match.URL, err)
	// Output: https://videos.example/watch?v=dQw4w9WgXcQ <nil>
}
