package caption

import (
	"bytes"
	"fmt"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/internal/cleaning"
)

// File is the content of a caption file.
type File struct {
	// Segments are the cues, sorted by start. Cues with the same start keep the order
	// of the file. Segments may be empty. A line that the file draws several times, as a
	// shadow, an animation or karaoke, comes once and lasts as long as all of its drawings;
	// so does a cue that the pieces of a live stream repeat at their borders. A line that
	// is sung again comes again.
	Segments []transcript.Segment
	// Lost reports the cues that could not be read. It is nil if there are none.
	Lost *LostError
}

// LostError reports cues that could not be read: their times cannot be parsed, their text
// is outside of any cue, or something else of them is not shown. Players do not show such
// cues either. With [NoGuess], it also reports cues that may be wrong. A function that
// returns a [File] puts the LostError into File.Lost. If all cues are lost, it returns
// the LostError as its error, so that the file does not look empty. A sequence yields
// the LostError as its last pair, after the cues that it could read.
type LostError struct {
	Format Format
	Cues   int    // the number of lost cues, at least 1
	First  string // the position of the first lost cue, and what is wrong with it
}

// Error returns how many cues are lost, and where and why the first one is lost.
func (e *LostError) Error() string {
	if e.Cues == 1 {
		return fmt.Sprintf("caption: %s: 1 cue is lost, %s", e.Format, e.First)
	}
	return fmt.Sprintf("caption: %s: %d cues are lost, the first %s", e.Format, e.Cues, e.First)
}

// losses counts the cues that a reader has lost. The zero value is none.
type losses struct {
	cues  int
	first string
}

// add counts a cue that is lost for a reason, which tells where.
func (l *losses) add(reason string, where ...any) {
	if l.cues++; l.cues == 1 {
		l.first = fmt.Sprintf(reason, where...)
	}
}

// after counts text after the times of a line, which no player shows.
func (l *losses) after(line int, t timing) {
	if len(t.rest) > 0 && !areSettings(t.rest) {
		l.add("in line %d: text follows the times: %q", line, excerpt(bytes.TrimSpace(t.rest)))
	}
}

// of is what was lost of a file of the format, nil when that is nothing.
func (l *losses) of(format Format) *LostError {
	if l.cues == 0 {
		return nil
	}
	return &LostError{Format: format, Cues: l.cues, First: l.first}
}

// report yields what was lost as the end of a sequence.
func (l *losses) report(format Format, yield func(transcript.Segment, error) bool) {
	report(l.of(format), yield)
}

func report(lost *LostError, yield func(transcript.Segment, error) bool) {
	if lost != nil {
		yield(transcript.Segment{}, lost)
	}
}

// What is lost of files of lines, and where.
const (
	noTimes     = "in line %d: these are no times: %q"
	noEncoding  = "before line %d: the encoding of the text is not known: tell its Language"
	outsideCues = "in line %d: the text belongs to no cue"
)

// file returns all cues that were read. If all cues were lost, file returns an error.
func file(segments []transcript.Segment, looks *looks, lost *LostError) (File, error) {
	if len(segments) == 0 && lost != nil {
		return File{}, lost
	}
	segments, drawn := cleaning.Sorted(segments, looks.list())
	return File{Segments: cleaning.Once(segments, drawn), Lost: lost}, nil
}

// excerpt is how a line begins, to be quoted.
func excerpt(line []byte) []byte { return line[:min(len(line), 60)] }
