package corrections

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// maxText limits the lines of a corrected text, in bytes of JSON.
const maxText = 16 << 20

// linesOf returns the lines of a text that was read with its words.
func linesOf(t *db.Transcript) (lines []transcript.Segment, err error) {
	segments, err := t.SegmentsJSON.Plain()
	if err != nil {
		return nil, err
	}
	words, err := t.WordsJSON.Plain()
	if err != nil {
		return nil, err
	}
	if segments, err = wire.WithWords(segments, words); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(segments, &lines); err != nil {
		return nil, fmt.Errorf("corrections: segments of transcript %s: %w", t.ID, err)
	}
	return lines, nil
}

// compared is a text with other lines than the current one; nil if the lines, their words and
// their source are the same.
func compared(present *Text, next *db.Transcript, lines []transcript.Segment, kind library.RevisionKind) (*revised, error) {
	before, err := linesOf(present.Transcript)
	if err != nil {
		return nil, err
	}
	if next.Source == present.Source && reflect.DeepEqual(before, lines) {
		return nil, nil
	}
	return &revised{next, kind, len(before), len(lines), differing(before, lines)}, nil
}

// differing returns how many lines are new or gone, wherever the other lines are.
func differing(before, lines []transcript.Segment) int {
	type said struct{ text, speaker string }
	left := map[said]int{}
	for _, line := range before {
		left[said{line.Text, line.Speaker}]++
	}
	same := 0
	for _, line := range lines {
		if one := (said{line.Text, line.Speaker}); left[one] > 0 {
			left[one]--
			same++
		}
	}
	return max(len(lines), len(before)) - same
}

// setLines gives a text its lines. If the text would be too large, the error is
// INVALID_REQUEST.
func setLines(t *db.Transcript, lines []transcript.Segment) error {
	segments := wire.AppendSegments(nil, lines)
	if len(segments) > max(maxText, t.SegmentsJSON.Len()) {
		return invalid("segments", fmt.Sprintf("would make a text of more than %d bytes: shorten the lines", maxText))
	}
	t.SegmentsJSON, t.WordsJSON = packed.Pack(segments), packed.Pack(wire.AppendWords(nil, lines))
	return nil
}
