package batch_test

import (
	"encoding/json"
	"fmt"
	"log"

	"github.com/transcriptkit/transcriptkit/batch"
)

// A program that gets a batch decides whether there is something to read.
func Example() {
	body := `{"id": "019321a0-7c11-7c3e-9a55-2f6d1f0c9b11", "mode": "playlist", "title": "Talks", "status": "completed",
		"total": 40, "done": 40, "failed": 2, "counts": {"total": 40, "pending": 0, "success": 38, "failed": 2}}`
	var b batch.Job
	if err := json.Unmarshal([]byte(body), &b); err != nil {
		log.Fatal(err)
	}
	if b.Status.Terminal() && b.Counts.Success > 0 {
		fmt.Println(b.Title, b.Counts.Success, "texts,", b.Failed, "failed")
	}
	// Output:
	// Talks 38 texts, 2 failed
}

func ExampleCounts_Skipped() {
	n := batch.Counts{Total: 40, Pending: 3, Success: 30, Failed: 2}
	fmt.Println(n.Skipped(), "were there twice")
	// Output: 5 were there twice
}

// A form offers the formats of an export.
func ExampleExportFormats() {
	fmt.Println(batch.ExportFormats())
	// Output:
	// [txt csv json srt vtt zip]
}
