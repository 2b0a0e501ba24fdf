package chunk

import (
	"iter"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// chapter is a part of a script.
type chapter struct {
	title string // "" means the part before the first chapter, or the whole script if there are no chapters
	from  place
	to    int
}

// chapters divides the script. A segment belongs to the chapter that contains its middle,
// but never to an earlier chapter than the previous segment.
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
