package transcript

import (
	"fmt"
	"math"
)

// RoundSeconds rounds a length in seconds half up, as Transcript.DurationSec
// holds it. What is no length, negative or not a number, is 0.
func RoundSeconds(seconds float64) int {
	if !(seconds > 0) {
		return 0
	}
	return int(math.Round(min(seconds, math.MaxInt32)))
}

// LengthText writes a length in seconds as M:SS, from one hour on as H:MM:SS.
// A negative length is 0:00.
func LengthText(seconds int) string {
	s := max(seconds, 0)
	if s < 3600 {
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}
