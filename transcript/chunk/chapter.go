package chunk

import (
	"iter"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// chapter is a stretch of a script.
type chapter struct {
	title string // "" means that that before the first, or all where there are none
	from  place
	to    int
}

// chapters divides the script. A segment belongs to the chapter that its middle is in, but
// never to an earlier one than the segment before.
func (s *script) chapters(named []transcript.Chapter) iter.Seq[chapter] {
	return func(yield func(chapter) bool) {
		title, next := "", 0
		for first := 0; first < len(s.segments); {
			for ; next < len(named) && named[next].Start <= s.middle(first); next++ {
				title = named[next].Title
			}
			segment := first + 1
			for ; segment < len(s.segments); segment++ {
				if next < len(named) && named[next].Start <= s.middle(segment) {
					break
				}
			}
			if !yield(chapter{title, place{at: s.from[first], segment: first}, s.from[segment]}) {
				return
			}
			first = segment
		}
	}
}

func (s *script) middle(segment int) float64 {
	return (s.segments[segment].Start + s.until(segment)) / 2
}
