package cleaning

import (
	"cmp"
	"math"
	"slices"

	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	// maxRepeats bounds how many segments are compared with the next one.
	maxRepeats = 16
	// frame is how long, in seconds, a picture of an animation lasts at most, and
	// syllable, a part of a line that is colored word by word.
	frame    = 0.25
	syllable = 2.0
	// joint is the most time, in seconds, between two pictures.
	joint = 0.05
)

// Once leaves out segments that repeat one of the same text and speaker, and lets that one
// last until the end of both. segments are sorted by start. looks has a number for each
// segment that tells how the text is drawn; nil: that is not known.
//
// A segment repeats another one if both are equal, as at the borders of the pieces of a
// live stream; if both are shown together, as a shadow is, and begin together, end with the
// first one, or are drawn in two ways; and if one follows the other at once and lasts as
// long as a picture of an animation, or is drawn in another way and lasts as long as a
// syllable. Lines that are sung again are drawn as before, or later.
func Once(segments []transcript.Segment, looks []uint64) []transcript.Segment {
	kept := segments[:0]
	var runs []run
	if looks != nil {
		runs = make([]run, 0, len(segments))
	}
	for i, s := range segments {
		var now run
		if looks != nil {
			now = run{looks[i], looks[i]}
		}
		n := repeated(kept, runs, &s, now.last)
		if n < 0 {
			kept = append(kept, s)
			if looks != nil {
				runs = append(runs, now)
			}
			continue
		}
		k := &kept[n]
		if end := s.End(); end > k.End() {
			k.Duration = math.Round((end-k.Start)*1000) / 1000
		}
		if looks != nil {
			runs[n].last = now.last
		}
	}
	clear(segments[len(kept):])
	return kept
}

// run are the looks of the first and the last one of segments that are one.
type run struct{ first, last uint64 }

// repeated returns which of the kept segments the next one repeats, or -1.
func repeated(kept []transcript.Segment, runs []run, s *transcript.Segment, look uint64) int {
	for n := len(kept) - 1; n >= max(len(kept)-maxRepeats, 0); n-- {
		k := &kept[n]
		gap := s.Start - k.End()
		if gap > joint || len(k.Text) != len(s.Text) || k.Text != s.Text || k.Speaker != s.Speaker {
			continue
		}
		if k.Start == s.Start && k.Duration == s.Duration && slices.Equal(k.Words, s.Words) {
			return n
		}
		if k.Words != nil || s.Words != nil {
			continue
		}
		shorter := min(k.Duration, s.Duration)
		switch {
		case gap < -joint: // shown together
			if other := runs != nil && look != runs[n].last && look != runs[n].first; s.Start-k.Start <= frame || s.End() <= k.End()+joint || other && -gap >= shorter/2 {
				return n
			}
		case runs == nil && shorter < frame/2, runs != nil && shorter < frame && look != runs[n].last:
			return n
		case runs != nil && shorter < syllable && look != runs[n].last && look != runs[n].first:
			return n
		}
	}
	return -1
}

// Sorted puts segments and their looks in the order of their start; most files have them
// so.
func Sorted(segments []transcript.Segment, looks []uint64) ([]transcript.Segment, []uint64) {
	byStart := func(a, b transcript.Segment) int { return cmp.Compare(a.Start, b.Start) }
	if slices.IsSortedFunc(segments, byStart) {
		return segments, looks
	}
	if looks == nil {
		slices.SortStableFunc(segments, byStart)
		return segments, nil
	}
	order := make([]int, len(segments))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return byStart(segments[a], segments[b]) })
	inOrder, looksInOrder := make([]transcript.Segment, len(order)), make([]uint64, len(order))
	for i, from := range order {
		inOrder[i], looksInOrder[i] = segments[from], looks[from]
	}
	return inOrder, looksInOrder
}
