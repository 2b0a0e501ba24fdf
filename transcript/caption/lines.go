package caption

import (
	"bytes"
	"io"
)

// lines cuts a stream into lines that end with LF, CR, CRLF or the input. It
// never waits for the byte after a CR, so that a live stream is not held up.
type lines struct {
	src io.Reader
	err error // why there is no more than buf holds

	buf      []byte
	pos, end int // buf[pos:end] is still to be read

	// lf, cr and arrow are the positions of the next LF, CR and arrow in buf. A
	// position before pos is out of date. If there is no such byte, the position is
	// beyond end less the length of the searched text. So no byte is searched twice.
	lf, cr, arrow int

	// The last line.
	from, to int
	arrowed  bool  // "-->" is in it
	again    bool  // next returns it once more
	afterCR  bool  // an LF at pos belongs to its end
	number   int   // from 1
	before   int64 // bytes before buf
	read     int   // bytes
}

var arrow = []byte("-->")

func newLines(src io.Reader) *lines {
	return &lines{src: src, buf: make([]byte, 16<<10), lf: -1, cr: -1, arrow: -1}
}

// next returns the next line without its end, and whether "-->" is in it. The
// line is good until the next call. At the end of the input the error is io.EOF.
func (l *lines) next() (line []byte, arrowed bool, err error) {
	if l.again {
		l.again = false
		return l.buf[l.from:l.to], l.arrowed, nil
	}
	for {
		if l.afterCR && l.pos < l.end {
			if l.buf[l.pos] == '\n' {
				l.pos++
			}
			l.afterCR = false
		}
		if l.lf < l.pos {
			l.lf = l.findByte('\n', l.pos)
		}
		if l.cr < l.pos {
			l.cr = l.findByte('\r', l.pos)
		}
		to := min(l.lf, l.cr)
		if to == l.end {
			if l.err == nil {
				l.fill()
				continue
			}
			if l.err != io.EOF || l.pos == l.end {
				return nil, false, l.err
			}
		}
		if l.arrow < l.pos {
			l.arrow = l.findArrow(l.pos)
		}
		l.arrowed = l.arrow+len(arrow) <= to
		l.from, l.to = l.pos, to
		l.afterCR = to == l.cr && to < l.end
		l.read += to + 1 - l.pos
		l.pos = min(to+1, l.end)
		l.number++
		return l.buf[l.from:to], l.arrowed, nil
	}
}

// back makes next return the last line once more.
func (l *lines) back() { l.again = true }

// unended reports whether the last line has no end, as the last one of a file may.
func (l *lines) unended() bool { return l.pos == l.to }

// findByte returns where c is in buf[from:end], or end.
func (l *lines) findByte(c byte, from int) int {
	if i := bytes.IndexByte(l.buf[from:l.end], c); i >= 0 {
		return from + i
	}
	return l.end
}

// findArrow returns where "-->" begins in buf[from:end] or, when it does not, the
// first place where it may once there is more.
func (l *lines) findArrow(from int) int {
	if i := bytes.Index(l.buf[from:l.end], arrow); i >= 0 {
		return from + i
	}
	return max(from, l.end+1-len(arrow))
}

// peek returns the next n bytes, or less where the input ends or fails before.
func (l *lines) peek(n int) []byte {
	for l.end-l.pos < n && l.err == nil {
		l.fill()
	}
	return l.buf[l.pos:min(l.pos+n, l.end)]
}

// skip passes over n bytes that peek has shown.
func (l *lines) skip(n int) { l.pos += n }

// rest returns what is still to be read; the lines are of no use after it.
func (l *lines) rest() io.Reader {
	return io.MultiReader(bytes.NewReader(l.buf[l.pos:l.end]), &stickyReader{src: l.src, err: l.err})
}

// fill reads once, into a larger buffer where this one is full.
func (l *lines) fill() {
	if l.pos > 0 {
		copy(l.buf, l.buf[l.pos:l.end])
		l.before += int64(l.pos)
		l.lf, l.cr, l.arrow = l.lf-l.pos, l.cr-l.pos, l.arrow-l.pos
		l.pos, l.end = 0, l.end-l.pos
	}
	if l.end == len(l.buf) {
		if len(l.buf) >= maxBlock {
			l.err = ErrTooLarge
			return
		}
		l.buf = append(l.buf, make([]byte, len(l.buf))...)
	}
	for range 100 {
		n, err := l.src.Read(l.buf[l.end:])
		if l.err = err; n > 0 || err != nil {
			l.grown(n)
			return
		}
	}
	l.err = io.ErrNoProgress
}

// grown takes n more bytes in, and goes on looking for what was not there.
func (l *lines) grown(n int) {
	old := l.end
	l.end += n
	if l.lf == old {
		l.lf = l.findByte('\n', old)
	}
	if l.cr == old {
		l.cr = l.findByte('\r', old)
	}
	if l.arrow > old-len(arrow) {
		l.arrow = l.findArrow(max(l.arrow, l.pos))
	}
}
