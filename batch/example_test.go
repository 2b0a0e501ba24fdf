package batch_test

import (
	"fmt"

	"github.com/transcriptkit/transcriptkit/batch"
)

func ExampleCounts_Skipped() {
	n := batch.Counts{Total: 40, Pending: 3, Success: 30, Failed: 2}
	fmt.Println(n.Skipped(), "were there twice")
	// Output: 5 were there twice
}
