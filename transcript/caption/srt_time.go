package caption

import (
	"bytes"

	"github.com/transcriptkit/transcriptkit/transcript/internal/eight"
)

// timingLine parses a timing line, in milliseconds. arrowed says that "-->" is in the
// line. A line that is not ok may still have been meant as one.
func timingLine(line []byte, arrowed bool) (start, end int64, ok, meant bool) {
	if !arrowed {
		return looseTimes(line)
	}
	plain := line
	if bytes.IndexByte(line, fullWidth) >= 0 {
		plain = plainTimes(line)
	}
	if isClock(plain) {
		return 0, 0, false, false
	}
	if start, end, ok = srtTimes(plain); ok {
		return start, end, true, true
	}
	if start, end, ok, _ = looseTimes(line); ok { // a long dash before the arrow
		return start, end, true, true
	}
	return 0, 0, false, startsTime(plain)
}

// srtTimes parses a line with an arrow, in milliseconds. It is none with times
// when neither can be read.
func srtTimes(line []byte) (start, end int64, ok bool) {
	before, after, _ := bytes.Cut(line, arrow)
	start, rest, ok := srtTime(before)
	ok = ok && len(bytes.Trim(rest, "- \t")) == 0
	end, _, okEnd := srtTime(after)
	switch {
	case ok && okEnd:
		return start, end, true
	case ok:
		return start, start, true
	case okEnd && startsTime(before):
		return end, end, true
	}
	return 0, 0, false
}

// startsTime reports whether a line which is no time was meant to be one; talk can
// have an arrow, too.
func startsTime(b []byte) bool {
	_, size, b := digits(skipSpace(b))
	return size > 0 && len(b) > 0 && b[0] == ':'
}

// srtTime parses a time, in milliseconds, and returns what follows it. It has two
// numbers at least.
func srtTime(b []byte) (ms int64, rest []byte, ok bool) {
	b = skipSpace(b)
	if ms, ok := fullTime(b); ok {
		return ms, b[fullSize:], true
	}
	b, negative := bytes.CutPrefix(b, []byte("-"))
	sec, size, b := digits(b)
	if size == 0 {
		return 0, b, false
	}
	parts := 1
	for ; parts < 3; parts++ {
		v, rest, ok := after(b, ":")
		if !ok {
			break
		}
		sec, b = sec*60+v, rest
	}
	if parts == 1 {
		return 0, b, false
	}
	ms, b = fraction3(b)
	if negative {
		return 0, b, true
	}
	return min(sec*1000+ms, maxHours*3600*1000), b, true
}

// fullSize is the size of a full time.
const fullSize = len("00:00:00,000")

// fullTime parses a full time, HH:MM:SS and milliseconds after a comma or a dot, which
// no digit follows. Nearly every time is written so, and there is one at every word
// of automatic captions: so its digits are read at once.
func fullTime(b []byte) (ms int64, ok bool) {
	if len(b) < fullSize || b[2] != ':' || b[5] != ':' || b[8] != ',' && b[8] != '.' || len(b) > fullSize && isDigit(b[fullSize]) {
		return 0, false
	}
	return eight.Clock(b)
}

// after parses a number after one of the separators, with white space around that.
func after(b []byte, separators string) (v int64, rest []byte, ok bool) {
	next := skipSpace(b)
	if len(next) == 0 || bytes.IndexByte([]byte(separators), next[0]) < 0 {
		return 0, b, false
	}
	v, size, next := digits(skipSpace(next[1:]))
	if size == 0 {
		return 0, b, false
	}
	return v, next, true
}

// fraction3 parses a fraction of a second, in milliseconds; it, or its digits, may not be
// there.
func fraction3(b []byte) (ms int64, rest []byte) {
	next := skipSpace(b)
	if len(next) == 0 || bytes.IndexByte([]byte(",.:"), next[0]) < 0 {
		return 0, b
	}
	next = skipSpace(next[1:])
	size := 0
	for unit := int64(100); size < len(next) && isDigit(next[size]); unit /= 10 {
		ms += int64(next[size]-'0') * unit
		size++
	}
	return ms, next[size:]
}
