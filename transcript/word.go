package transcript

import (
	"encoding/json"
	"fmt"
	"math"
)

// Word is one word with its time in the media. In JSON it has a duration instead of an
// end, as segments do, and its times are rounded to milliseconds.
type Word struct {
	Text       string
	Start, End float64 // seconds from the start of the media
	Confidence float64 // 0 to 1; 0 if not known
}

type wordWire struct {
	Text       string  `json:"text"`
	Start      float64 `json:"start" minimum:"0"`    // seconds from the start of the media
	Duration   float64 `json:"duration" minimum:"0"` // seconds
	Confidence float64 `json:"confidence,omitempty" minimum:"0" maximum:"1"`
}

// MarshalJSON returns the word with its duration.
func (w Word) MarshalJSON() ([]byte, error) {
	start := milliseconds(w.Start)
	length := max(milliseconds(w.End)-start, 0)
	return json.Marshal(wordWire{w.Text, float64(start) / 1000, float64(length) / 1000, w.Confidence})
}

// UnmarshalJSON reads a word with its duration and replaces all of w. It ignores
// unknown members.
func (w *Word) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	var wire wordWire
	if err := json.Unmarshal(data, &wire); err != nil {
		return fmt.Errorf("transcript: word: %w", err)
	}
	end := milliseconds(wire.Start) + milliseconds(wire.Duration)
	*w = Word{wire.Text, wire.Start, float64(end) / 1000, wire.Confidence}
	return nil
}

// milliseconds rounds a time in seconds. A negative value or NaN becomes 0.
func milliseconds(seconds float64) int64 {
	if !(seconds > 0) {
		return 0
	}
	return int64(math.Round(min(seconds, 1e12) * 1000))
}
