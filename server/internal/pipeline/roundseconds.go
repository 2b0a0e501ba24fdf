package pipeline

import "math"

// roundSeconds rounds a length in seconds half up, as Transcript.DurationSec
// holds it. What is no length, negative or not a number, is 0.
func roundSeconds(seconds float64) int {
	if !(seconds > 0) {
		return 0
	}
	return int(math.Round(min(seconds, math.MaxInt32)))
}
