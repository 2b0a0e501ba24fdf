package caption

import (
	"io"
	"slices"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// yieldBlocks yields what block reads, as collect says, one segment at a time, and
// reports whether the end of the file was reached. An error comes once, as the last
// pair. err is how the file began.
func yieldBlocks(err error, block func(*transcript.Segment) error, yield func(transcript.Segment, error) bool) (ended bool) {
	var s transcript.Segment // one for all: behind a function value it is allocated
	for err == nil {
		s = transcript.Segment{}
		if err = block(&s); s.Text != "" && !yield(s, nil) {
			return false
		}
	}
	if err != io.EOF {
		yield(transcript.Segment{}, err)
	}
	return err == io.EOF
}

// collect gathers the segments of a file. Block reads the next lines into a segment,
// or leaves it as it is; at the end of the file its error is io.EOF.
//
// Each segment is read into its place, and where r tells how much is left the
// places are as many as are needed: copying them took a tenth of the time.
func (l *lines) collect(block func(*transcript.Segment) error) ([]transcript.Segment, error) {
	var segments []transcript.Segment
	for n := 0; ; n = len(segments) {
		if n == cap(segments) {
			segments = slices.Grow(segments, l.more(n))
		}
		err := block(&segments[:n+1][n])
		if segments[:n+1][n].Text != "" {
			segments = segments[:n+1]
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	if len(segments) == 0 {
		return nil, nil
	}
	return segments, nil
}

// more estimates how many segments come after the first n. A reader like
// [bytes.Reader] tells how many bytes are left.
func (l *lines) more(n int) int {
	const first = 256
	src, ok := l.src.(interface{ Len() int })
	if n == 0 || !ok {
		return max(n, first)
	}
	left := int64(l.end - l.pos + src.Len())
	each := (l.before + int64(l.pos)) / int64(n)
	return int(left/max(each, 1)) + first
}
