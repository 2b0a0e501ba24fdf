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
	pos, end int  // buf[pos:end] is still to be read
	scanned  int  // buf[pos:scanned] has no line end
	lf       int  // the first LF from scanned on, or end; unknown when below scanned
	afterCR  bool // an LF at pos belongs to the line end before it

	line   []byte // the last line, part of buf
	again  bool   // next returns line once more
	number int    // of the last line, from 1
}

func newLines(src io.Reader) *lines {
	return &lines{src: src, buf: make([]byte, 32<<10), lf: -1}
}

// next returns the next line without its end. The line is good until the next
// call. At the end of the input the error is io.EOF.
func (l *lines) next() ([]byte, error) {
	if l.again {
		l.again = false
		return l.line, nil
	}
	for {
		if i := l.lineEnd(); i >= 0 {
			l.afterCR = l.buf[i] == '\r'
			return l.take(i, i+1), nil
		}
		if l.err == io.EOF && l.pos < l.end {
			return l.take(l.end, l.end), nil
		}
		if l.err != nil {
			return nil, l.err
		}
		if err := l.fill(); err != nil {
			return nil, err
		}
	}
}

// back makes next return the last line once more.
func (l *lines) back() { l.again = true }

func (l *lines) take(to, next int) []byte {
	l.line = l.buf[l.pos:to]
	l.pos, l.scanned = next, next
	l.number++
	return l.line
}

// lineEnd finds the CR or LF that ends the line at pos, or returns -1 when it is
// not in the buffer. No byte is looked at twice, also where lines end with CR only.
func (l *lines) lineEnd() int {
	if l.afterCR && l.pos < l.end {
		if l.buf[l.pos] == '\n' {
			l.pos++
			l.scanned = l.pos
		}
		l.afterCR = false
	}
	if l.lf < l.scanned {
		l.lf = l.end
		if i := bytes.IndexByte(l.buf[l.scanned:l.end], '\n'); i >= 0 {
			l.lf = l.scanned + i
		}
	}
	if i := bytes.IndexByte(l.buf[l.scanned:l.lf], '\r'); i >= 0 {
		return l.scanned + i
	}
	l.scanned = l.lf
	if l.lf < l.end {
		return l.lf
	}
	return -1
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
func (l *lines) skip(n int) {
	l.pos += n
	l.scanned = l.pos
}

// fill reads once, into a larger buffer where this one is full. The end of the
// input is kept in err and is no error here.
func (l *lines) fill() error {
	if l.pos > 0 {
		copy(l.buf, l.buf[l.pos:l.end])
		l.scanned -= l.pos
		l.end -= l.pos
		l.pos = 0
	}
	l.lf = -1
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
