package enginetest_test

import (
	"fmt"

	"github.com/transcriptkit/transcriptkit/server/engine/enginetest"
)

// In a test of a recognizer, enginetest.Recognizer(t, recognizer, samples...) runs
// all of these.
func ExampleRecognizerChecks() {
	for _, check := range enginetest.RecognizerChecks()[:3] {
		fmt.Println(check.Name)
	}
	// Output:
	// describes itself
	// is fit
	// hears the samples
}
