package library_test

import (
	"encoding/json"
	"fmt"
	"log"

	"github.com/transcriptkit/transcriptkit/library"
)

// A program branches on the kind of a row: a library also lists work and batches.
func ExampleItem() {
	body := `{"transcripts": [
		{"kind": "transcript", "platform": "video_site", "externalId": "dQw4w9WgXcQ", "lang": "en", "title": "A talk", "words": 312},
		{"kind": "pending", "platform": "upload", "externalId": "8f14e45fceea167a5a36dedd4bea2543", "lang": "und", "jobStatus": "processing"}
	], "total": 2, "page": 1, "pageSize": 24, "langs": ["en"]}`
	var page library.Page
	if err := json.Unmarshal([]byte(body), &page); err != nil {
		log.Fatal(err)
	}
	for _, item := range page.Transcripts {
		switch item.Kind {
		case library.KindTranscript:
			fmt.Println(*item.Title, item.Words, "words")
		case library.KindPending:
			fmt.Println(item.Platform, item.JobStatus)
		}
	}
	// Output:
	// A talk 312 words
	// upload processing
}

// A form offers the formats of a download.
func ExampleDownloadFormats() {
	fmt.Println(library.DownloadFormats())
	// Output:
	// [txt srt vtt json md vtt-words podcast lrc docx html]
}
