package caption

import (
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/internal/cleaning"
)

// Unroll removes the repetitions from rolling captions, which speech recognition
// produces. The cues of such a track show the last lines again above the new line,
// build a line word by word, or stay on the screen while the next cue is spoken. The
// result has each line once, as a segment of its own, without overlaps. segments must
// be sorted by start, as readers return them. Unroll does not change segments. If there
// are no rolling captions, it returns segments.
//
// A line is a repetition if it is at the top of a cue, was the last line of the
// previous cue, and the previous cue ended shortly before: at most 5 s earlier if a new
// line follows, and at most 0.25 s earlier otherwise. To compare lines, Unroll folds
// spaces, including U+00A0, and ignores characters of zero width. If a line consists of
// several joined rows, Unroll compares its beginning: a row of the previous cues, or at
// least two words. A line whose words have times of their own is spoken again, and
// stays. If less than a quarter of the cues roll, the repetitions are refrains, and
// stay. Two equal cues in a row become one.
//
// If the words have times, a line lasts from its first word to the end of its last
// word. Otherwise the line has the time of the cue. If the cue has several new lines,
// each line has its share by length. In rolling tracks, and in tracks in which half of
// the cues overlap, a line ends at the latest when the next line starts.
//
// Do not use Unroll for captions that people have written.
func Unroll(segments []transcript.Segment) []transcript.Segment { return cleaning.Unroll(segments) }

// DropSounds removes descriptions of sounds, which readers keep: everything in square
// brackets ("[Applause]"), a whole line of up to five words in round brackets
// ("(LAUGHTER)", also after a dash), and the notes around a sung text ("♪ la la ♪"
// becomes "la la"). DropSounds decides only by this form: it also removes a speaker's
// name in square brackets, and keeps ">>". It then leaves out lines without a letter or
// digit, and segments without a line. The other segments keep their times. DropSounds
// does not change the caller's segments. If there is no sound, it returns them.
func DropSounds(segments []transcript.Segment) []transcript.Segment {
	return cleaning.DropSounds(segments)
}
