package caption

import (
	"bytes"
	"io"
)

// lines cuts a stream into lines that end with LF, CR, CRLF or the input. It
// never waits for the byte after a CR, so that a live stream is not held up.
type lines struct {
	src io.Reader
	err error // what src ended with

	buf      []byte
	pos, end int // buf[pos:end] is still to be read

	// Where the next LF, CR and arrow are, each byte searched once: see find.
	lf, cr, arrow int

	line    []byte // the last line, part of buf
	arrowed bool   // "-->" is in line
	again   bool   // next returns line once more
	afterCR bool   // an LF at pos belongs to the end of line
	number  int    // of line, from 1
}

var (
	lf    = []byte("\n")
	cr    = []byte("\r")
	arrow = []byte("-->")
)

func newLines(src io.Reader) *lines {
	return &lines{src: src, buf: make([]byte, 32<<10)}
}

// next returns the next line without its end, and whether "-->" is in it. The
// line is good until the next call. At the end of the input the error is io.EOF.
func (l *lines) next() (line []byte, arrowed bool, err error) {
	if l.again {
		l.again = false
		return l.line, l.arrowed, nil
	}
	for {
		if l.afterCR && l.pos < l.end {
			if l.buf[l.pos] == '\n' {
				l.pos++
			}
			l.afterCR = false
		}
		l.lf = l.find(l.lf, lf)
		l.cr = l.find(l.cr, cr)
		to := min(l.lf, l.cr)
		if to == l.end {
			if l.err == nil {
				if err := l.fill(); err != nil {
					return nil, false, err
				}
				continue
			}
			if l.err != io.EOF || l.pos == l.end {
				return nil, false, l.err
			}
		}
		l.arrow = l.find(l.arrow, arrow)
		l.arrowed = l.arrow+len(arrow) <= to
		l.line = l.buf[l.pos:to]
		l.afterCR = to == l.cr && to < l.end
		l.pos = min(to+1, l.end)
		l.number++
		return l.line, l.arrowed, nil
	}
}

// back makes next return the last line once more.
func (l *lines) back() { l.again = true }

// find returns where sep begins next. Before at it does not: at is what the last
// search returned. Where sep is not in the buffer, find returns where it might
// begin when there is more.
func (l *lines) find(at int, sep []byte) int {
	at = max(at, l.pos)
	if bytes.HasPrefix(l.buf[at:l.end], sep) {
		return at
	}
	if i := bytes.Index(l.buf[at:l.end], sep); i >= 0 {
		return at + i
	}
	return max(at, l.end+1-len(sep))
}

// peek returns the next n bytes, or less where the input ends or fails before.
func (l *lines) peek(n int) []byte {
	for l.end-l.pos < n && l.err == nil {
		if l.fill() != nil {
			break // only a full buffer, which holds more than anyone peeks at
		}
	}
	return l.buf[l.pos:min(l.pos+n, l.end)]
}

// skip passes over n bytes that peek has shown.
func (l *lines) skip(n int) { l.pos += n }

// fill reads once, into a larger buffer where this one is full. The end of the
// input is kept in err and is no error here.
func (l *lines) fill() error {
	if l.pos > 0 {
		copy(l.buf, l.buf[l.pos:l.end])
		l.lf, l.cr, l.arrow = l.lf-l.pos, l.cr-l.pos, l.arrow-l.pos
		l.pos, l.end = 0, l.end-l.pos
	}
	if l.end == len(l.buf) {
		if len(l.buf) >= maxBlock {
			return ErrTooLarge
		}
		l.buf = append(l.buf, make([]byte, len(l.buf))...)
	}
	for range 100 {
		n, err := l.src.Read(l.buf[l.end:])
		l.end += n
		l.err = err
		if n > 0 || err != nil {
			return nil
		}
	}
	l.err = io.ErrNoProgress
	return nil
}
