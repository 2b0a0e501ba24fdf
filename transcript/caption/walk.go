package caption

import (
	"errors"
	"io"
	"iter"
	"math"
	"slices"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// readAll collects the segments of a file.
func readAll(sequence iter.Seq2[transcript.Segment, error], looks *looks) (File, error) {
	var lost *LostError
	var chunks [][]transcript.Segment // to append to one slice copies it again and again
	chunk := make([]transcript.Segment, 0, 256)
	for s, err := range sequence {
		if err != nil && !errors.As(err, &lost) {
			return File{}, err
		}
		if err != nil {
			break
		}
		if len(chunk) == cap(chunk) {
			chunks = append(chunks, chunk)
			chunk = make([]transcript.Segment, 0, cap(chunk))
		}
		chunk = append(chunk, s)
	}
	return file(slices.Concat(append(chunks, chunk)...), looks, lost)
}

// collector fills s with the next cue of a file. A cue is open if the file does not say
// its end; its duration then covers its known words. At the end of the file the error
// is io.EOF, and s stays as it is.
type collector func(s *transcript.Segment) (open bool, err error)

// walk yields the cues that next collects, and reports whether it reached the end of
// the file. An open cue waits for the next cue and lasts until the next cue starts.
func walk(next collector, yield func(transcript.Segment, error) bool) (ended bool) {
	var s, waiting transcript.Segment
	waits := false
	for {
		s = transcript.Segment{}
		open, err := next(&s)
		if waits {
			if err == nil {
				extend(&waiting, s.Start)
			}
			if !yield(waiting, nil) {
				return false
			}
		}
		waits = open && err == nil
		switch {
		case err == io.EOF:
			return true
		case err != nil:
			yield(transcript.Segment{}, err)
			return false
		case open:
			waiting = s
		case !yield(s, nil):
			return false
		}
	}
}

// extend lets s, and the words that nothing else ends, last until end.
func extend(s *transcript.Segment, end float64) {
	if end <= s.End() {
		return
	}
	s.Duration = math.Round((end-s.Start)*1000) / 1000
	for i := len(s.Words) - 1; i >= 0 && s.Words[i].Start == s.Words[len(s.Words)-1].Start; i-- {
		s.Words[i].End = end
	}
}
